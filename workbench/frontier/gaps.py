"""Gaps: which family is asked next, and where, so that neighbours on the frontier come nearer to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point
from workbench.frontier.track import NARROW, Track

ALIKE = 0.002  # of what all points span: nearer to each other two points leave no gap


def widest(seen: Frontier, tracks: Sequence[Track]) -> tuple[Track, float] | None:
    """The family and the position beside a point at the widest gap; the next one where there is no position left.

    A gap is how far neighbours are apart, in parts of all that points span: whatever cap somebody sets, a point is
    near to it. The first gap and the last reach to the best values that any point has.
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
    """The point that is best on one side, and what it costs on the other."""
    return losses[np.lexsort((losses[:, 1 - best], losses[:, best]))[0]]


def _inside(track: Track, private: Point | None, useful: Point | None, at: Mapping[int, np.ndarray]) -> float | None:
    """A new position of the family between its own points, next to the one at either side of the gap; beyond the last
    of them it is the end. Between points that are alike there is none."""
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
        if not apart.max() <= ALIKE and (found := track.gap(low, high)) is not None:
            return found
    return None
