"""Gaps: which family is asked next, and where, so that neighbours on the frontier come nearer to each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point
from workbench.frontier.track import Track


def widest(seen: Frontier, tracks: Sequence[Track]) -> tuple[Track, float] | None:
    """The family and the position beside a point at the widest gap; the next one where there is no position left.

    A gap is the rectangle between neighbours, in parts of all that points span; the first and the last reach to the
    best values that any point has.
    """
    losses, standing = seen.losses(), np.flatnonzero(seen.is_efficient())
    drawn = losses[np.isfinite(losses).all(axis=1)]
    if not len(standing) or not len(drawn):
        return None
    standing = standing[np.lexsort(losses[standing].T[::-1])]
    corners = np.vstack([_corner(drawn, 0), losses[standing], _corner(drawn, 1)])
    span = np.maximum(np.ptp(drawn, axis=0), np.finfo(float).tiny)
    areas = [float(np.abs((after - before) / span).prod()) for before, after in pairwise(corners)]
    neighbours = [None, *(seen.measured[int(i)] for i in standing), None]
    for gap in np.argsort(-np.nan_to_num(areas, posinf=0), kind="stable"):
        for track in tracks:
            place = _inside(track, neighbours[gap], neighbours[gap + 1])
            if place is not None:
                return track, place
    return None


def _corner(losses: np.ndarray, best: int) -> np.ndarray:
    """The point that is best on one side, and what it costs on the other."""
    return losses[np.lexsort((losses[:, 1 - best], losses[:, best]))[0]]


def _inside(track: Track, private: Point | None, useful: Point | None) -> float | None:
    """A new position of the family between its own points, next to the one at either side of the gap."""
    places, own = sorted(track.tried), {id(point): place for place, point in track.tried.items()}
    for point, further in ((private, True), (useful, False)):
        if (place := own.get(id(point))) is not None:
            ends = [*places, 1.0] if further else [0.0, *places]
            near = ends[places.index(place) + further]
            if (found := track.gap(min(place, near), max(place, near))) is not None:
                return found
    return None
