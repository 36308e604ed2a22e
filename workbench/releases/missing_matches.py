"""Missing values that fit every value, as sdcMicro counts (`freqCalc` with alpha = 1): who may be meant by each label.

"A missing value stands for any of the possible categories of the variable considered"
(https://sdctools.github.io/sdcMicro/reference/freqCalc.html). So two records look alike where their values are the same
in every quasi-identifier that neither lacks; what a record lacks fits the others, and what others lack fits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.base import cell_kernels
from workbench.models.classes import Classes

ANYTHING = -1  # in place of a code


def overlapping(sizes: np.ndarray, codes: np.ndarray, neutral: bool) -> str:
    """What is said of such values, in classes of these sizes."""
    count = int(sizes[(codes == ANYTHING).any(axis=1)].sum())
    return (
        f"{count:,} of {int(sizes.sum()):,} records lack a quasi-identifier, or have it suppressed; it fits every "
        "value, so they count among all records that they may look like: classes overlap, and seem larger than they are"
        + ("; beside neutral columns it fits itself alone" if neutral else "")
    )


def widened(classes: Classes, codes: np.ndarray, axes: Sequence[int], sizes: Sequence[int]) -> Classes:
    """Classes with everything shown where a value is missing; `axes` are the quasi-identifiers that `codes` are of, of
    so many codes each."""
    assert classes.low is not None and classes.high is not None
    low, high = classes.low.copy(), classes.high.copy()
    for a, size, here in zip(axes, sizes, codes.T, strict=True):
        low[here == ANYTHING, a], high[here == ANYTHING, a] = 0, size - 1
    return replace(classes, low=low, high=high)


def matched(classes: Classes, codes: np.ndarray) -> Classes:
    """Each class with all records that look like it: such classes overlap.

    `codes` is classes x quasi-identifiers, ANYTHING where a value is missing.
    """
    wild = (codes == ANYTHING).any(axis=1)
    first = np.argsort(~wild, kind="stable")  # classes that lack nothing are alike only if they are the same
    names = list(classes.histograms)
    counts = np.column_stack([classes.sizes, *(classes.histograms[name] for name in names)])
    found = np.empty_like(counts)
    patterns = np.ascontiguousarray(codes[first], dtype=np.int32)
    found[first] = cell_kernels.lookalikes(patterns, counts[first], int(wild.sum()), ANYTHING)
    ends = np.cumsum([1, *(classes.histograms[name].shape[1] for name in names)])
    histograms = np.split(found, ends, axis=1)[1:-1]
    return replace(classes, sizes=found[:, 0], histograms=dict(zip(names, histograms, strict=True)))
