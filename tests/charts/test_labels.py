"""Labels on a chart hide neither points nor each other."""

from dataclasses import replace

import pytest

from tests.charts.drawn import adult
from workbench.charts.scene import Scene


@pytest.mark.parametrize("size", [(360, 400), (640, 400), (800, 400)])
@pytest.mark.parametrize("cap", [None, 0.1, 0.2, 0.3, 0.5])
def test_labels_hide_neither_points_nor_each_other(size, cap):
    """Labels are placed for the narrowest plot and keep their places on wider ones."""
    caps = {"P_loss": cap, "U_loss": 0.02} if cap else {}
    for moving in [None, *adult().measured[2:]]:
        scene = Scene(adult(), moving=moving, caps=caps)
        x, y = (scene.axis(key) for key in ("P_loss", "U_loss"))
        rows = scene.rows(x, y, live=True)
        place = replace(scene, size=size)._to_pixels(x, y)
        boxes = []
        for name in ("names", "best", "moving"):
            for row in (row for row in rows[name] if row["name"]):  # labels without room are omitted
                lines, (at, level) = row["name"].split("\n"), place(row)
                wide = max(map(len, lines)) * (7 if name == "moving" else 6.2)
                left = at + row["dx"] - {"left": 0, "center": wide / 2, "right": wide}[row["align"]]
                boxes.append((left, level + row["dy"] - 6, left + wide, level + row["dy"] + 14 * len(lines) - 8))
        for i, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0 and right <= size[0] and top >= 0 and bottom <= size[1]
            others = boxes[i + 1 :]
            assert not any(left < r and a < right and top < b and t < bottom for a, t, r, b in others)
            hidden = [row["recipe"] for row in rows["points"]
                      if left - 2 < place(row)[0] < right + 2 and top - 2 < place(row)[1] < bottom + 2]  # fmt: skip
            assert not hidden


@pytest.mark.parametrize("cap", [0.3, 0.5, 0.6])
def test_the_line_of_a_cap_does_not_cross_a_label(cap):
    scene = Scene(adult(), caps={"P_loss": cap, "U_loss": 0.02})
    x, y = (scene.axis(key) for key in ("P_loss", "U_loss"))
    rows = scene.rows(x, y)
    upright, level = scene._to_pixels(x, y)({"x": cap, "y": 0.02})
    for row in rows["names"]:
        lines, (at, height) = row["name"].split("\n"), scene._to_pixels(x, y)(row)
        wide = max(map(len, lines)) * 6.2
        left = at + row["dx"] - {"left": 0, "center": wide / 2, "right": wide}[row["align"]]
        top = height + row["dy"] - 6
        assert not left < upright < left + wide and not top < level < top + 14 * len(lines) - 2
