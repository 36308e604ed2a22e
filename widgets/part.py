"""What every widget is: choices as traits, pictures as messages.

The front end asks and Python decides. A trait holds a choice (names, numbers) and can be linked; what is drawn is sent
when a view says hello, and never kept in a synced trait: so no saved notebook holds it, and a reloaded page asks again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from workbench.errors import BadInput, Undefined, Unsatisfiable

STATIC = Path(__file__).parent / "static"
HELLO = "hello"  # a view has come, or come back
log = logging.getLogger("widgets")


def script(*names: str) -> str:
    """The JavaScript of a widget: what all share, then its own files; the page loads it as one module."""
    return "\n".join((STATIC / f"{name}.js").read_text("utf-8") for name in ("shared", *names))


def styles(*names: str) -> str:
    """The style sheet of a widget: what all share, then its own."""
    return "\n".join((STATIC / f"{name}.css").read_text("utf-8") for name in ("shared", *names))


class Part(anywidget.AnyWidget):
    """One part of the workbench. `hear_<kind>(content, buffers)` answers the front end's message of that kind.

    A message may name the field it comes from; what is wrong with it is then said at that field.
    """

    _css = styles()
    unfolded = traitlets.Bool(True, help="whether its step is open (`open` is a method of every widget)").tag(sync=True)
    group = traitlets.Unicode("", help="of the steps of one group, one is open at a time").tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._loop = running_loop()
        self.on_msg(self._heard)

    def show(self) -> None:
        """Send everything that the view draws."""
        raise NotImplementedError

    def hear_hello(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self.show()

    def tell(self, kind: str, buffers: list[Any] | None = None, **content: Any) -> None:
        """Send a message to the views; infinity goes as "inf", what is no number as null."""
        self.send({"kind": kind, **plain(content)}, buffers)

    def soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call from another thread, in the thread of the kernel."""
        if self._loop is None:
            call(*arguments)
        else:
            self._loop.call_soon_threadsafe(call, *arguments)

    def problem(self, field: str, text: str) -> None:
        """Say what is wrong, at the field; the last good state stays."""
        self.tell("problem", field=field, text=text)

    def fine(self, field: str) -> None:
        """Nothing is wrong with the field any more."""
        self.tell("fine", field=field)

    def _heard(self, _: Any, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Answer in the kernel's own thread: JupyterLab lets messages in by another one, beside what runs there."""
        kind, field = content.get("kind"), str(content.get("field") or "")
        answer = getattr(self, f"hear_{kind}", None) if isinstance(kind, str) else None
        if answer is None:
            return
        if self._loop is None or self._loop is running_loop():
            self.guarded(field, answer, content, buffers)
        else:
            self.soon(self.guarded, field, answer, content, buffers)

    def guarded(self, field: str, call: Callable[..., object], *arguments: Any) -> bool:
        """Call, and say at the field what went wrong. Of a mistake of ours only the place: its text may hold data."""
        try:
            call(*arguments)
        except (BadInput, Undefined, Unsatisfiable) as error:
            self.problem(field, str(error))
            return False
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
            frames = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s\n%s", where, frames)
            self.problem(field, f"A mistake of the workbench itself: {where}. The last good state is kept.")
            return False
        if field:
            self.fine(field)
        return True


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The kernel's loop; a script has none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def plain(value: Any) -> Any:
    """Data that JSON can carry."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
