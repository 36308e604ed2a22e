"""The base class of all widgets: choices are traits, drawings are messages.

The front end sends requests and Python decides. A trait contains a choice (names, numbers) and can be linked. Drawings
are sent when a view sends `hello`, never in a synced trait: a saved notebook does not contain them, and a reloaded page
requests them again.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from widgets.base.kernel_thread import ScheduledCall, current_kernel_thread
from widgets.base.worker import Worker
from workbench.base.errors import BadInput, Fix, Undefined, Unsatisfiable, render_fixes, safe_repr
from workbench.base.jsonable import jsonable
from workbench.studies.faults import study_words

WIDGETS = Path(__file__).parents[1]
log = logging.getLogger("widgets")


IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def script(name: str) -> str:
    """Return the JavaScript of a widget as one module: every file that it imports, then its own."""
    parts: dict[Path, str] = {}

    def add(path: Path) -> None:
        text = path.read_text("utf-8")
        for imported in IMPORT.findall(text):
            if (file := (path.parent / imported).resolve()) not in parts:
                add(file)
        parts[path] = EXPORT.sub("", IMPORT.sub("", text))

    add((WIDGETS / f"{name}.js").resolve())
    return "\n".join(parts.values())


def styles(*names: str) -> str:
    """Return the style sheet of a widget: the shared rules, then its own."""
    return "\n".join((WIDGETS / f"{name}.css").read_text("utf-8") for name in ("base/shared", *names))


def control_words(fix: Fix, value: Any = None) -> str:
    """Return the control that applies a fix, or the key in the study's data if there is none."""
    if fix is Fix.MISSING:
        return "'Missing values' below"
    if fix is Fix.SAMPLE:
        return "'Sample size' below the data"
    if fix is Fix.TABLE and value is not None:
        return f"{value!r} below"
    if fix is Fix.TYPES and isinstance(value, dict):
        return " and ".join(f"{kind} as the type of {name!r} below" for name, kind in value.items())
    if fix is Fix.LEVELS and isinstance(value, dict):
        return " and ".join(f"level {level} next to the role of {name!r}" for name, level in value.items())
    return study_words(fix, value).replace("under data", "in the study's data")


def with_controls(text: object) -> str:
    """Return a message whose fixes name controls."""
    return render_fixes(str(text), control_words)


class Part(anywidget.AnyWidget):
    """One part of the workbench. `receive_<kind>(content, buffers)` handles the front end's messages of that kind.

    A message may name the field it comes from; errors are then shown at that field.
    """

    _css = styles()
    unfolded = traitlets.Bool(True, help="whether its step is open (`open` is a method of every widget)").tag(sync=True)
    group = traitlets.Unicode("", help="of the steps of one group, one is open at a time").tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self._kernel_thread = current_kernel_thread()
        self._unseen_problems: dict[str, str] | None = {}  # problems before the first view; None afterwards
        super().__init__(**traits)
        self.on_msg(self._receive)

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject invalid values without quoting them, since they may contain records."""
        try:
            super().__setattr__(name, value)
            return
        except traitlets.TraitError as error:
            if not str(error).startswith(f"The {name!r} trait"):
                raise  # our own message
            kind = getattr(self.traits().get(name), "klass", None)
            wanted = f"it must be a {kind.__name__}" if isinstance(kind, type) else "it has another type"
        raise BadInput(f"{type(self).__name__}: {name} cannot be {safe_repr(value)}; {wanted}")

    def __repr__(self) -> str:
        about = self.about()
        return f"<{type(self).__name__}{about and ': '}{about}>"

    def about(self) -> str:
        """A short description of the content, without values of the data."""
        return ""

    def close(self) -> None:
        """Remove the widget from the page, and cancel its work."""
        for one in vars(self).values():
            if isinstance(one, Worker):
                one.forget()
        super().close()

    def show(self) -> None:
        """Send the whole content of the view."""
        raise NotImplementedError

    def receive_hello(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self.show()
        problems, self._unseen_problems = self._unseen_problems or {}, None
        for field, text in problems.items():
            self.problem(field, text)

    def send_message(self, kind: str, buffers: list[Any] | None = None, **content: Any) -> None:
        """Send a message to the views; infinity is sent as "inf", NaN as null."""
        self.send({"kind": kind, **jsonable(content)}, buffers)

    def call_soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call in the kernel's thread, from any thread; errors are shown at the top."""
        if self._kernel_thread is None:
            call(*arguments)
        else:
            self._kernel_thread.call_soon(self.guarded, "", call, *arguments)

    def call_later(self, seconds: float, call: Callable[..., object]) -> ScheduledCall | None:
        """Call after a delay (immediately in a script); errors are shown at the top."""
        if self._kernel_thread is None:
            call()
            return None
        return self._kernel_thread.call_later(seconds, lambda: self.guarded("", call))

    def problem(self, field: str, text: str) -> None:
        """Show an error at a field, in terms of the controls; the last valid state remains."""
        text = with_controls(text)
        if self._unseen_problems is not None:
            self._unseen_problems[field] = text
        self.send_message("problem", field=field, text=text)

    def fine(self, field: str) -> None:
        """Clear the error of a field."""
        if self._unseen_problems is not None:
            self._unseen_problems.pop(field, None)
        self.send_message("fine", field=field)

    def wrong(self, field: str, error: BaseException) -> None:
        """Show an error at a field; for an internal error only its place, since its text may contain data."""
        if isinstance(error, (BadInput, Undefined, Unsatisfiable)):
            self.problem(field, str(error))
            return
        places = [f" at {Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
        where = type(error).__name__ + "".join(places[-1:])
        log.error("%s\n%s", where, "".join(traceback.format_tb(error.__traceback__)))
        self.problem(field, f"Internal error: {where}. The last valid state remains.")

    def guarded(self, field: str, call: Callable[..., object], *arguments: Any) -> bool:
        """Call a function and show its error at a field; return whether it succeeded."""
        try:
            call(*arguments)
        except Exception as error:
            self.wrong(field, error)
            return False
        if field:
            self.fine(field)
        return True

    def _receive(self, _: Any, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Handle a message in the kernel's main thread; JupyterLab delivers it in another one while a cell runs."""
        if self._kernel_thread is None or self._kernel_thread.here:
            self._answer(content, buffers)
        else:
            self.call_soon(self._answer, content, buffers)

    def _answer(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Call the handler of a message; ignore unknown kinds."""
        kind = content.get("kind") if isinstance(content, Mapping) else None
        answer = getattr(self, f"receive_{kind}", None) if isinstance(kind, str) else None
        if answer is not None:
            self.guarded(str(content.get("field") or ""), answer, content, buffers)


def read_integer(content: Mapping[str, Any], name: str, low: int, high: int | None = None, wrong: str = "") -> int:
    """Return an integer of a message; raise BadInput, with the text `wrong`, if it is not an integer or out of
    range."""
    value = content.get(name)
    if type(value) is int and value >= low and (high is None or value <= high):
        return value
    ends = f"from {low:,} to {high:,}" if high is not None else f"of at least {low:,}"
    raise BadInput(wrong or f"{name}: enter a whole number {ends}, not {safe_repr(value)}")
