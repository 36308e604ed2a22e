"""Place labels on a chart so that they hide neither points nor each other (positions after Imhof 1975)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

GLYPH, BOLD, LINE = 6.5, 7.2, 14  # pixels: width of a letter at 12 px, of a bold one, height of a line
RADIUS = 6  # pixels, of a point's mark
WRAP = 26  # characters per line if a label does not fit on one line
EDGE = 2  # pixels between labels and the border of the plot
STRIP = 18  # pixels along the upper border, reserved for the labels of vertical caps
EVERY = 6  # pixels between the sampled points of a curve
COSTS = {
    "outside": 5000,
    "words": 1000,
    "marks": 100,
    "lines": 50,
    "curves": 8,
    "ring": 6,
    "wrapped": 4,
    "short": 20,
    "turn": 1,
}

Box = tuple[float, float, float, float]  # left, top, right, bottom
Place = tuple[Box, str, list[str], float]  # box, alignment, lines, and basic cost


class PlotArea:
    """A plot in pixels from its upper left corner: points, curves, straight lines (boxes without width or height), and
    labels.
    """

    def __init__(
        self,
        size: tuple[int, int],
        marks: Iterable[Sequence[float]],
        curves: Iterable[np.ndarray],
        lines: Iterable[Box] = (),
    ) -> None:
        self.width, self.height = size
        self.marks = np.array(list(marks), float).reshape(-1, 2)
        self.curves = np.concatenate([np.empty((0, 2)), *(_points_along(curve) for curve in curves)])
        self.lines = list(lines)
        self.taken: list[Box] = [(0.0, 0.0, float(self.width), float(STRIP))]

    def put(
        self, text: str, at: Sequence[float], away: float, *, bold: bool = False, short: str = "", take: bool = True
    ) -> dict[str, Any]:
        """Place a label near a mark at minimum cost; `dx`, `dy` and `align` are those of a Vega text mark.

        If the whole text would hide a point, use `short`; if that would hide one too, omit the label. Without `short`
        the text is always placed. `take` reserves the place.
        """
        forms = [([text], 0), (_wrapped(text), COSTS["wrapped"]), ([short], COSTS["short"]),
                 (_wrapped(short) if short else [], COSTS["short"] + COSTS["wrapped"])]  # fmt: skip
        found = [place for lines, cost in forms if any(lines)
                 for place in self._around(lines, cost, at, away, BOLD if bold else GLYPH)]  # fmt: skip
        boxes = np.array([box for box, *_ in found])
        reach = np.array(
            [_extend_to_mark(box, at, align) for box, align, *_ in found]
        )  # on a wider plot, marks and labels are farther apart
        near = np.abs(self.marks - at).max(axis=1) <= RADIUS / 2 if len(self.marks) else np.zeros(0, bool)
        costs = np.array([cost for *_, cost in found], float)
        costs += COSTS["marks"] * _inside(reach, self.marks[~near], RADIUS)
        costs += COSTS["curves"] * np.minimum(_inside(boxes, self.curves, 1), 5)
        costs += COSTS["words"] * _touched(boxes, self.taken) + COSTS["lines"] * _touched(boxes, self.lines)
        costs += COSTS["outside"] * self._outside(boxes)
        box, align, lines, _ = found[int(costs.argmin())]
        if short and costs.min() >= COSTS["marks"]:
            return {"name": "", "align": "left", "dx": 0, "dy": 0}
        if take:
            self.taken.append(box)
        start = {"left": box[0], "right": box[2], "center": (box[0] + box[2]) / 2}[align]
        first = (box[1] + box[3]) / 2 - (len(lines) - 1) * LINE / 2
        return {"name": "\n".join(lines), "align": align, "dx": round(start - at[0], 1), "dy": round(first - at[1], 1)}

    def best_of(self, boxes: Sequence[Box]) -> int:
        """Return the index of the box with the minimum cost, the first one among ties."""
        every = np.array(boxes)
        costs = COSTS["marks"] * _inside(every, self.marks, RADIUS) + COSTS["turn"] * np.arange(len(boxes))
        costs = costs + COSTS["words"] * _touched(every, self.taken) + COSTS["outside"] * self._outside(every)
        return int(costs.argmin())

    def is_free(self, box: Box) -> bool:
        """Return whether no point and no label is in the box."""
        every = np.array([box])
        return not (_inside(every, self.marks, RADIUS).any() or _touched(every, self.taken).any())

    def _around(self, lines: list[str], cost: float, at: Sequence[float], away: float, glyph: float) -> Iterator[Place]:
        """Yield places around a mark."""
        (x, y), width, height = at, max(map(len, lines)) * glyph, len(lines) * LINE
        for ring in range(3):
            gap = away + ring * LINE
            slant, middle = 0.7 * gap, y - height / 2
            across = min(max(x - width / 2, EDGE), self.width - width - EDGE)
            places = [(x + gap, middle, "left"), (x - gap - width, middle, "right"),
                      (x + slant, y - slant - height, "left"), (x - slant - width, y - slant - height, "right"),
                      (x + slant, y + slant, "left"), (x - slant - width, y + slant, "right"),
                      (across, y - gap - height, "center"), (across, y + gap, "center")]  # fmt: skip
            for turn, (left, top, align) in enumerate(places):
                own = cost + ring * COSTS["ring"] + turn * COSTS["turn"]
                yield (left, top, left + width, top + height), align, lines, own

    def _outside(self, boxes: np.ndarray) -> np.ndarray:
        end = np.array([self.width - EDGE + 0.5, self.height - EDGE + 0.5])
        return np.logical_or((boxes[:, :2] < EDGE - 0.5).any(axis=1), (boxes[:, 2:] > end).any(axis=1))


def _touched(boxes: np.ndarray, others: Sequence[Box]) -> np.ndarray:
    """Count the other boxes that each box touches."""
    taken = np.array(others).reshape(-1, 4)
    apart = (boxes[:, None, :2] >= taken[None, :, 2:]) | (boxes[:, None, 2:] <= taken[None, :, :2])
    return (~apart.any(axis=2)).sum(axis=1)


def _wrapped(text: str) -> list[str]:
    """Wrap the text into two or more lines; empty if it fits into one."""
    most = WRAP if len(text) > WRAP + 4 else len(text) // 2 + 1
    lines = textwrap.wrap(text, max(most, *map(len, text.split())), break_on_hyphens=False)
    return lines if len(lines) > 1 else []


def _points_along(curve: np.ndarray) -> np.ndarray:
    """Return points at equal steps along a polyline."""
    if len(curve) < 2:
        return np.empty((0, 2))
    steps = np.abs(np.diff(curve, axis=0)).max(axis=1)
    along = np.append(0.0, np.cumsum(steps))
    at = np.arange(0, along[-1], EVERY)
    return np.column_stack([np.interp(at, along, curve[:, side]) for side in (0, 1)])


def _extend_to_mark(box: Box, at: Sequence[float], align: str) -> Box:
    """Extend the box to its mark."""
    left, top, right, bottom = box
    return (min(left, at[0]), top, right, bottom) if align == "left" else (left, top, max(right, at[0]), bottom)


def _inside(boxes: np.ndarray, places: np.ndarray, margin: float) -> np.ndarray:
    """Count the points in each box."""
    low, high = boxes[:, None, :2] - margin, boxes[:, None, 2:] + margin
    return ((places[None] > low) & (places[None] < high)).all(axis=2).sum(axis=1)
