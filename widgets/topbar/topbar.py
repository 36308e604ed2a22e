"""The line above all: the study's name, its data, what is under way, undo and redo, where it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from widgets.base.part import Part, script, styles

LARGEST = 5_000_000  # characters of a study's file
ASKS = ("undo", "redo", "cancel", "again", "theirs", "mine")


class TopBar(Part):
    """`asked(kind, value)` is called for what the front end asks; `state` is what it shows."""

    _esm = script("topbar/topbar")
    _css = styles("topbar/topbar", "app/app")
    remembered = traitlets.Bool(False, help="the browser's tab keeps the study, where no file does").tag(sync=True)

    fresh = traitlets.Bool(False, help="nothing has been changed here yet").tag(sync=True)

    def __init__(self, asked: Callable[[str, Any], object], **traits: Any) -> None:
        self._asked = asked
        self._state: dict[str, Any] = {}
        super().__init__(**traits)

    def show(self) -> None:
        self.send_message("state", **self._state)

    def state(self, **changes: Any) -> None:
        """Show this; what is not named stays."""
        if any(self._state.get(name) != value for name, value in changes.items()):
            self._state.update(changes)
            self.send_message("state", **changes)

    def receive_ask(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        kind = content.get("what")
        if kind in ASKS:
            self._asked(str(kind), None)

    def receive_rename(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self._asked("rename", str(content.get("name", ""))[:200].strip() or "untitled")

    def receive_open(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """A study's text, of a file or of what this tab remembers."""
        text = str(content.get("text", ""))
        if len(text) > LARGEST:
            self.problem("open", f"this file is larger than {LARGEST:,} characters: it is not a study")
            return
        self._asked("recall" if content.get("recalled") else "open", text)
