"""The compiled kernels of rules that choose the attribute to cut; conventions as in `cell_kernels`."""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled


@compiled
def distinct(order, start, end, values, most):
    """How many distinct values, each below `most`, a node has on each attribute: nodes x attributes."""
    found = np.zeros((start.size, values.shape[0]), dtype=np.int64)
    seen = np.full(most, -1, dtype=np.int64)
    for a in range(values.shape[0]):
        codes = values[a]
        seen[:] = -1
        for n in range(start.size):
            for j in range(start[n], end[n]):
                c = codes[order[j]]
                found[n, a] += seen[c] != n
                seen[c] = n
    return found
