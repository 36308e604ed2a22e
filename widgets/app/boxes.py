"""Boxes that contain the parts of the workbench."""

from __future__ import annotations

import ipywidgets

from widgets.base.part import Part


def below(box: ipywidgets.Box) -> list[ipywidgets.DOMWidget]:
    """Return every widget inside a box."""
    return [one for child in box.children for one in (child, *(below(child) if hasattr(child, "children") else ()))]


def framed(part: Part) -> ipywidgets.Box:
    """Return a part in a frame."""
    return ipywidgets.VBox([part]).add_class("wb-card")
