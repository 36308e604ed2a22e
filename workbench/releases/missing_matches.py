"""Missing values that fit every value, as sdcMicro counts (`freqCalc` with alpha = 1): who may be meant by each label.

"A missing value stands for any of the possible categories of the variable considered"
(https://sdctools.github.io/sdcMicro/reference/freqCalc.html). So two records look alike where their values are the same
in every quasi-identifier that neither lacks; what a record lacks fits the others, and what others lack fits it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.base import cell_kernels
from workbench.models.classes import Classes

ANYTHING = -1  # in place of a code


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
