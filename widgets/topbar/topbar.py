"""The top bar: the study's name, its data, the progress, undo and redo, and where the study is saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from widgets.base.part import Part, script, styles

LARGEST = 5_000_000  # characters of a study's file
REQUESTS = ("undo", "redo", "cancel", "again", "theirs", "mine")


class TopBar(Part):
    """`on_request(kind, value)` is called for requests of the front end; `state` sets the content."""

    _esm = script("topbar/topbar")
    _css = styles("topbar/topbar", "app/app")
    remembered = traitlets.Bool(False, help="whether the browser's tab stores the study instead of a file").tag(
        sync=True
    )

    fresh = traitlets.Bool(False, help="whether nothing has been changed yet").tag(sync=True)

    def __init__(self, on_request: Callable[[str, Any], object], **traits: Any) -> None:
        self._on_request = on_request
        self._state: dict[str, Any] = {}
        super().__init__(**traits)

    def show(self) -> None:
        self.send_message("state", **self._state)

    def state(self, **changes: Any) -> None:
        """Update some parts of the content."""
        if any(self._state.get(name) != value for name, value in changes.items()):
            self._state.update(changes)
            self.send_message("state", **changes)

    def receive_ask(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        kind = content.get("what")
        if kind in REQUESTS:
            self._on_request(str(kind), None)

    def receive_rename(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self._on_request("rename", str(content.get("name", ""))[:200].strip() or "untitled")

    def receive_open(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Open a study from the text of a file, or from the browser's tab."""
        text = str(content.get("text", ""))
        if len(text) > LARGEST:
            self.problem("open", f"this file is larger than {LARGEST:,} characters: it is not a study")
            return
        self._on_request("recall" if content.get("recalled") else "open", text)
