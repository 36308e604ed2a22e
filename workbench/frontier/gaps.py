"""Find the largest gap on the frontier, and the family and position to evaluate next in order to close it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from workbench.frontier.family_search import NARROW, FamilySearch
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point

SAME = 0.002  # share of the range of all points: closer points leave no gap


def find_widest_gap(seen: Frontier, tracks: Sequence[FamilySearch]) -> tuple[FamilySearch, float] | None:
    """Return the family and the position next to a point at the widest gap; the next widest if no position is left
    there.

    A gap is the distance between neighbors, relative to the span of all points: a point is then near any cap that
    a user may set. The first and the last gap extend to the best values of any point.
    """
    losses, standing = seen.losses(), np.flatnonzero(seen.is_efficient())
    drawn = losses[np.isfinite(losses).all(axis=1)]
    if not len(standing) or not len(drawn):
        return None
    standing = standing[np.lexsort(losses[standing].T[::-1])]
    corners = np.vstack([_corner(drawn, 0), losses[standing], _corner(drawn, 1)])
    span = np.maximum(np.ptp(drawn, axis=0), np.finfo(float).tiny)
    lengths = [float(np.hypot(*((after - before) / span))) for before, after in pairwise(corners)]
    at = {id(point): own / span for point, own in zip(seen.measured, losses, strict=True)}
    neighbours = [None, *(seen.measured[int(i)] for i in standing), None]
    for gap in np.argsort(-np.nan_to_num(lengths, posinf=0), kind="stable"):
        for track in tracks:
            place = _inside(track, neighbours[gap], neighbours[gap + 1], at)
            if place is not None:
                return track, place
    return None


def _corner(losses: np.ndarray, best: int) -> np.ndarray:
    """Return the point that is best on one side, with the lowest loss on the other."""
    return losses[np.lexsort((losses[:, 1 - best], losses[:, best]))[0]]


def _inside(
    track: FamilySearch, private: Point | None, useful: Point | None, at: Mapping[int, np.ndarray]
) -> float | None:
    """Return a new position of the family between its own points, next to the point at either side of the gap; beyond
    the last of them, the end of its range. There is none between nearly identical points.
    """
    places, own = sorted(track.tried), {id(point): place for place, point in track.tried.items()}
    for point, step in ((private, 1), (useful, -1)):
        if (place := own.get(id(point))) is None:
            continue
        near = places.index(place) + step
        if not 0 <= near < len(places):
            end = max(step, 0.0)
            if abs(end - place) > NARROW and track.new(end):
                return end
            continue
        low, high = sorted((place, places[near]))
        apart = np.abs(at[id(track.tried[low])] - at[id(track.tried[high])])
        if not apart.max() <= SAME and (found := track.gap(low, high)) is not None:
            return found
    return None
