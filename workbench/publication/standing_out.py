"""Which of several sensitive columns each class shows: that in which a value comes nearest to being certain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workbench.data.wording import PLAIN, Wording
from workbench.disclosure.recommendable import FAR
from workbench.models.classes import Classes
from workbench.releases.published_classes import Told, told


def standing_out(
    classes: Classes,
    smallest: int,
    most: float = math.inf,
    wording: Wording = PLAIN,
    limits: Mapping[str, np.ndarray] | None = None,
) -> Told:
    """The classes as they may be told, each by the value that is nearest to certainty, of all sensitive columns.

    A mix of many values may be far from everybody's though none of them stands out, so the loss does not say which.
    What nearly everybody has anyway comes last. It is chosen by what is told, so it tells nothing else.
    """
    found = told(classes, "js", smallest, most, wording, limits)
    if len(found.names) == 1:
        return found
    each = [told(_alone(classes, name), "js", smallest, most, wording, limits) for name in found.names]
    column, value, loss = found.column.copy(), found.value.copy(), found.loss.copy()
    ways = [_ways(one) for one in each]
    for row in range(len(classes)):
        if not found.tiny(row):  # of those nothing is told of which value it is
            best = max(range(len(each)), key=lambda i: ways[i][row])
            column[row], value[row], loss[row] = best, each[best].value[row], each[best].loss[row]
    return replace(found, column=column, value=value, loss=loss)


def _alone(classes: Classes, name: str) -> Classes:
    return replace(classes, histograms={name: classes.histograms[name]}, sensitive={name: classes.sensitive[name]})


def _ways(found: Told) -> list[tuple[bool, float, float]]:
    """Of each class how far its value stands out."""
    first, number = found.alike
    ways = [_way(found, row) for row in first.tolist()]
    return [ways[i] for i in number.tolist()]


def _way(found: Told, row: int) -> tuple[bool, float, float]:
    """Whether the value is news, and how far belief in it has come at most and at least."""
    least, most = found.exposed(row)
    return found.usual(row) <= 1 - FAR, most, least
