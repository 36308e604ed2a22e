"""Boxes: what is inside of them, and a part in a frame."""

import ipywidgets

from widgets import LatticeView
from widgets.app.boxes import below, framed


def test_everything_inside_is_found():
    inner, deep = ipywidgets.Label("a"), ipywidgets.Label("b")
    box = ipywidgets.VBox([inner, ipywidgets.HBox([deep])])
    assert below(box) == [inner, box.children[1], deep]


def test_a_part_is_framed():
    part = LatticeView(None, unfolded=False)
    assert framed(part).children == (part,) and "wb-card" in framed(part)._dom_classes
