"""What every widget is: choices as traits, pictures as messages.

The front end asks and Python decides. A trait holds a choice (names, numbers) and can be linked; what is drawn is sent
when a view says hello, and never kept in a synced trait: so no saved notebook holds it, and a reloaded page asks again.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from widgets.base.turns import Turn, turns_here
from widgets.base.worker import Worker
from workbench.base.errors import BadInput, Fix, Undefined, Unsatisfiable, render_fixes, safe_repr
from workbench.base.jsonable import jsonable
from workbench.studies.faults import study_words

WIDGETS = Path(__file__).parents[1]
log = logging.getLogger("widgets")


def script(*names: str) -> str:
    """Return the JavaScript of a widget as one module: the shared files, then its own."""
    return "\n".join((WIDGETS / f"{name}.js").read_text("utf-8") for name in ("base/shared", *names))


def styles(*names: str) -> str:
    """Return the style sheet of a widget: the shared rules, then its own."""
    return "\n".join((WIDGETS / f"{name}.css").read_text("utf-8") for name in ("base/shared", *names))


def control_words(fix: Fix, value: Any = None) -> str:
    """Return the control that applies a fix, or the key in the study's data if there is none."""
    if fix is Fix.MISSING:
        return "'Missing values' below"
    if fix is Fix.SAMPLE:
        return "'A random sample' below the data"
    if fix is Fix.TABLE and value is not None:
        return f"{value!r} below"
    if fix is Fix.TYPES and isinstance(value, dict):
        return " and ".join(f"{kind} as the type of {name!r} below" for name, kind in value.items())
    if fix is Fix.LEVELS and isinstance(value, dict):
        return " and ".join(f"level {level} next to the role of {name!r}" for name, level in value.items())
    return study_words(fix, value).replace("under data", "in the study's data")


class Part(anywidget.AnyWidget):
    """One part of the workbench. `hear_<kind>(content, buffers)` answers the front end's message of that kind.

    A message may name the field it comes from; what is wrong with it is then said at that field.
    """

    _css = styles()
    unfolded = traitlets.Bool(True, help="whether its step is open (`open` is a method of every widget)").tag(sync=True)
    group = traitlets.Unicode("", help="of the steps of one group, one is open at a time").tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self._turns = turns_here()
        self._unheard: dict[str, str] | None = {}  # problems said before the first view came
        super().__init__(**traits)
        self.on_msg(self._heard)

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject invalid values without quoting them, since they may contain records."""
        try:
            super().__setattr__(name, value)
            return
        except traitlets.TraitError as error:
            if not str(error).startswith(f"The {name!r} trait"):
                raise  # in words of ours
            kind = getattr(self.traits().get(name), "klass", None)
            wanted = f"it must be a {kind.__name__}" if isinstance(kind, type) else "it is of another kind"
        raise BadInput(f"{type(self).__name__}: {name} cannot be {safe_repr(value)}; {wanted}")

    def __repr__(self) -> str:
        about = self.about()
        return f"<{type(self).__name__}{about and ': '}{about}>"

    def about(self) -> str:
        """A short description of the content, without values of the data."""
        return ""

    def close(self) -> None:
        """Leave the page; long work stops, and nobody hears of it."""
        for one in vars(self).values():
            if isinstance(one, Worker):
                one.forget()
        super().close()

    def show(self) -> None:
        """Send everything that the view draws."""
        raise NotImplementedError

    def hear_hello(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self.show()
        unheard, self._unheard = self._unheard or {}, None
        for field, text in unheard.items():
            self.problem(field, text)

    def tell(self, kind: str, buffers: list[Any] | None = None, **content: Any) -> None:
        """Send a message to the views; infinity is sent as "inf", NaN as null."""
        self.send({"kind": kind, **jsonable(content)}, buffers)

    def soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call from another thread, in the thread of the kernel, guarded."""
        if self._turns is None:
            call(*arguments)
        else:
            self._turns.soon(self.guarded, "", call, *arguments)

    def later(self, seconds: float, call: Callable[..., object]) -> Turn | None:
        """Call after a while, guarded; at once in a script, where nothing comes later."""
        if self._turns is None:
            call()
            return None
        return self._turns.later(seconds, lambda: self.guarded("", call))

    def problem(self, field: str, text: str) -> None:
        """Say what is wrong, at the field, in the words of the controls; the last good state stays."""
        text = render_fixes(text, control_words)
        if self._unheard is not None:
            self._unheard[field] = text
        self.tell("problem", field=field, text=text)

    def fine(self, field: str) -> None:
        """Clear the error of a field."""
        if self._unheard is not None:
            self._unheard.pop(field, None)
        self.tell("fine", field=field)

    def wrong(self, field: str, error: BaseException) -> None:
        """Say at the field what went wrong. Of a mistake of ours only the place: its text may hold data."""
        if isinstance(error, (BadInput, Undefined, Unsatisfiable)):
            self.problem(field, str(error))
            return
        places = [f" at {Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
        where = type(error).__name__ + "".join(places[-1:])
        log.error("%s\n%s", where, "".join(traceback.format_tb(error.__traceback__)))
        self.problem(field, f"Internal error: {where}. The last good state is kept.")

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

    def _heard(self, _: Any, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Answer in the kernel's main thread: JupyterLab delivers messages in another one while a cell runs."""
        if self._turns is None or self._turns.here:
            self._answer(content, buffers)
        else:
            self.soon(self._answer, content, buffers)

    def _answer(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Call the handler of a message; ignore unknown kinds."""
        kind = content.get("kind") if isinstance(content, Mapping) else None
        answer = getattr(self, f"hear_{kind}", None) if isinstance(kind, str) else None
        if answer is not None:
            self.guarded(str(content.get("field") or ""), answer, content, buffers)


def whole(content: Mapping[str, Any], name: str, low: int, high: int | None = None, wrong: str = "") -> int:
    """The whole number of a message; BadInput, in these words or our own, where it is none or not between these."""
    value = content.get(name)
    if type(value) is int and value >= low and (high is None or value <= high):
        return value
    ends = f"from {low:,} to {high:,}" if high is not None else f"from {low:,} on"
    raise BadInput(wrong or f"{name}: give a whole number {ends}, not {safe_repr(value)}")
