"""A cell that is run again closes the widgets of its previous run, which frees their data."""

from __future__ import annotations

import sys
import weakref
from typing import Any

_widgets: dict[str, tuple[str, list[weakref.ref[Any]]]] = {}  # by cell: the run and its widgets


def close_previous_run(widget: Any) -> None:
    """Register a widget of the running cell, and close those of the cell's previous run."""
    cell, run = _running_cell()
    if not cell:
        return
    last_run, widgets = _widgets.get(cell, (run, []))
    if last_run != run:
        for old in (reference() for reference in widgets):
            if old is not None:
                old.close()
        widgets = []
    _widgets[cell] = run, [*widgets, weakref.ref(widget)]


def _running_cell() -> tuple[str, str]:
    """Return the running cell and the number of its run; empty outside of notebooks."""
    interactive = sys.modules.get("IPython")
    kernel = getattr(interactive and interactive.get_ipython(), "kernel", None)
    if kernel is None:
        return "", ""
    request = kernel.get_parent("shell")
    return str(request.get("metadata", {}).get("cellId") or ""), str(request.get("header", {}).get("msg_id"))
