"""Compiled kernels of the lattice: merge identical rows without sorting, and add up costs.

Rows have a code for each axis; their counts are in a second array, one row of counts per row of codes.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.progress import checkpoint

STEPS = 2_000_000  # rows between two checks for cancellation


def group_rows(codes, nodes, counts):
    """Return the distinct rows after generalization, their summed counts, and the number of each given row.

    A row publishes `nodes[a, code]` on each axis.
    """
    rows, axes = codes.shape
    slots = np.full(max(16, 1 << (2 * rows - 1).bit_length() if rows else 16), -1, np.int32)
    shown, added = np.empty((rows, axes), codes.dtype), np.zeros(counts.shape, counts.dtype)
    number, found = np.empty(rows, np.int32), 0
    for start in range(0, rows, STEPS):
        found = _group(start, min(start + STEPS, rows), codes, nodes, counts, slots, shown, added, number, found)
        checkpoint()
    return shown[:found].copy(), added[:found].copy(), number


@compiled
def _group(start, end, codes, nodes, counts, slots, shown, added, number, found):
    last, axes = np.uint64(slots.size - 1), codes.shape[1]
    for i in range(start, end):
        mixed, here = np.uint64(0), shown[found]  # written in place, kept if it is new
        for a in range(axes):
            here[a] = nodes[a, codes[i, a]]
            mixed = (mixed ^ np.uint64(here[a])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = mixed & last
        while True:
            group = slots[slot]
            if group < 0:
                slots[slot] = group = found
                found += 1
                break
            same = True
            for a in range(axes):
                if shown[group, a] != here[a]:
                    same = False
                    break
            if same:
                break
            slot = (slot + np.uint64(1)) & last
        number[i] = group
        for v in range(counts.shape[1]):
            added[group, v] += counts[i, v]
    return found


@compiled
def spent(codes, sizes, kept, first, levels, cost):
    """Return the cost of all records of each node, and that of its kept rows: nodes x axes, twice.

    The rows of node i are first[i]:first[i + 1]; `cost` is axes x levels x codes.
    """
    nodes, axes = levels.shape
    every, of_kept = np.zeros((nodes, axes)), np.zeros((nodes, axes))
    for i in range(nodes):
        for row in range(first[i], first[i + 1]):
            for a in range(axes):
                here = sizes[row] * cost[a, levels[i, a], codes[row, a]]
                every[i, a] += here
                if kept[row]:
                    of_kept[i, a] += here
    return every, of_kept
