"""Missing values that match every value, as sdcMicro counts (`freqCalc` with alpha = 1).

"A missing value stands for any of the possible categories of the variable considered"
(https://sdctools.github.io/sdcMicro/reference/freqCalc.html). So two records match if they agree in every
quasi-identifier that neither lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.base import cell_kernels
from workbench.models.classes import Classes

ANYTHING = -1  # in place of a code


def overlapping(sizes: np.ndarray, codes: np.ndarray, neutral: bool) -> str:
    """Return a note about missing quasi-identifiers in classes of these sizes."""
    count = int(sizes[(codes == ANYTHING).any(axis=1)].sum())
    return (
        f"{count:,} of {int(sizes.sum()):,} records have a missing or suppressed quasi-identifier, which matches every "
        "value: classes overlap, and seem larger than they are"
        + ("; for the risk from neutral columns it matches only itself" if neutral else "")
    )


def widened(classes: Classes, codes: np.ndarray, axes: Sequence[int], sizes: Sequence[int]) -> Classes:
    """Return classes that show everything where a value is missing.

    `axes` are the quasi-identifiers of the columns of `codes`, and `sizes` their numbers of codes.
    """
    assert classes.low is not None and classes.high is not None
    low, high = classes.low.copy(), classes.high.copy()
    for a, size, here in zip(axes, sizes, codes.T, strict=True):
        low[here == ANYTHING, a], high[here == ANYTHING, a] = 0, size - 1
    return replace(classes, low=low, high=high)


def matched(classes: Classes, codes: np.ndarray) -> Classes:
    """Return each class with all records that match it; such classes overlap.

    `codes` is classes x quasi-identifiers, ANYTHING where a value is missing.
    """
    wild = (codes == ANYTHING).any(axis=1)
    first = np.argsort(~wild, kind="stable")  # complete classes match only if they are identical
    names = list(classes.histograms)
    counts = np.column_stack([classes.sizes, *(classes.histograms[name] for name in names)])
    found = np.empty_like(counts)
    patterns = np.ascontiguousarray(codes[first], dtype=np.int32)
    found[first] = cell_kernels.lookalikes(patterns, counts[first], int(wild.sum()), ANYTHING)
    ends = np.cumsum([1, *(classes.histograms[name].shape[1] for name in names)])
    histograms = np.split(found, ends, axis=1)[1:-1]
    return replace(classes, sizes=found[:, 0], histograms=dict(zip(names, histograms, strict=True)))
