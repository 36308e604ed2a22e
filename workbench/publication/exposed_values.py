"""Choose the sensitive column that each class shows: the one with the value nearest to certainty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workbench.data.wording import PLAIN, Wording
from workbench.disclosure.recommendable import FAR
from workbench.models.classes import Classes
from workbench.releases.published_classes import RedactedClasses, redact_classes


def choose_exposed_values(
    classes: Classes,
    smallest: int,
    most: float = math.inf,
    wording: Wording = PLAIN,
    limits: Mapping[str, np.ndarray] | None = None,
) -> RedactedClasses:
    """Return the published classes, each with the value nearest to certainty in any sensitive column.

    A mix of many values may differ much from the overall mix although no value stands out, so the loss does not decide.
    A value that nearly everybody has anyway comes last. Only published figures decide, so the choice discloses nothing
    more.
    """
    found = redact_classes(classes, "js", smallest, most, wording, limits)
    if len(found.names) == 1:
        return found
    each = [redact_classes(_alone(classes, name), "js", smallest, most, wording, limits) for name in found.names]
    column, value, loss = found.column.copy(), found.value.copy(), found.loss.copy()
    ways = [_ways(one) for one in each]
    for row in range(len(classes)):
        if not found.is_tiny(row):  # tiny classes do not publish their value
            best = max(range(len(each)), key=lambda i: ways[i][row])
            column[row], value[row], loss[row] = best, each[best].value[row], each[best].loss[row]
    return replace(found, column=column, value=value, loss=loss)


def _alone(classes: Classes, name: str) -> Classes:
    return replace(classes, histograms={name: classes.histograms[name]}, sensitive={name: classes.sensitive[name]})


def _ways(found: RedactedClasses) -> list[tuple[bool, float, float]]:
    """Return the rank of each class's value by exposure."""
    first, number = found.distinct
    ways = [_way(found, row) for row in first.tolist()]
    return [ways[i] for i in number.tolist()]


def _way(found: RedactedClasses, row: int) -> tuple[bool, float, float]:
    """Return whether the value is news, and the maximum and minimum shift of belief toward certainty."""
    least, most = found.certainty_gain(row)
    return found.prior_share(row) <= 1 - FAR, most, least
