"""Boxes that hold the parts of the workbench."""

from __future__ import annotations

import ipywidgets

from widgets.base.part import Part


def below(box: ipywidgets.Box) -> list[ipywidgets.DOMWidget]:
    """Every widget inside."""
    return [one for child in box.children for one in (child, *(below(child) if hasattr(child, "children") else ()))]


def framed(part: Part) -> ipywidgets.Box:
    """A part as a card of its own."""
    return ipywidgets.VBox([part]).add_class("wb-card")
