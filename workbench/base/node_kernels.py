"""The compiled kernels of cuts that follow the nodes of hierarchies: they choose cuts and count what is in the parts.

Conventions as in `cell_kernels`. `at` holds, from `place[a, l]` on, the node of each code of axis `a` on level `l`, and
`width` that node's width; axis `a` has `depth[a]` levels, the lowest first.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled


@compiled
def propose(nodes, order, start, end, quasi, weight, low, high, exact, tried, at, width, place, depth, floor):
    """The children of each node on its widest untried axis on which those with records have `floor` or more.

    What comes back is of those that have one: node, axis, cuts, where each one's cuts begin, records of each part.
    Axes without such children are `tried` here and now. Ranges are lazy, as in `cell_kernels.propose`.
    """
    most = 0
    for n in nodes:
        most += end[n] - start[n]
    node = np.empty(nodes.size, dtype=nodes.dtype)
    axis = np.empty(nodes.size, dtype=np.int32)
    first = np.zeros(nodes.size + 1, dtype=np.int64)
    cuts = np.empty(most, dtype=np.int32)
    sizes = np.empty(most, dtype=np.int64)
    counts = np.zeros(at.max() + 1, dtype=np.int64)
    last = np.zeros(at.max() + 1, dtype=np.int32)
    found = parts = 0
    for n in nodes:
        while True:
            a, level = _widest(n, order, start, end, quasi, low, high, exact, tried, at, width, place, depth)
            if a < 0:
                break
            codes, of = quasi[a], at[place[a, level - 1] :]
            lowest, highest = of[low[n, a]], of[high[n, a]]
            for j in range(start[n], end[n]):
                c, records = codes[order[j]], weight[order[j]]
                counts[of[c]] += records
                last[of[c]] = max(last[of[c]], c)
            begin, enough = parts, True
            for child in range(lowest, highest + 1):
                if counts[child]:
                    enough = enough and counts[child] >= floor
                    sizes[parts], cuts[parts - found] = counts[child], last[child]
                    parts += 1
                    counts[child], last[child] = 0, 0
            if not enough:
                parts, tried[n, a] = begin, True
                continue
            node[found], axis[found] = n, a
            found += 1
            first[found] = parts - found
            break
    return node[:found], axis[:found], cuts[: parts - found], first[: found + 1], sizes[:parts]


@compiled
def _widest(n, order, start, end, quasi, low, high, exact, tried, at, width, place, depth):
    """The untried axis of the widest node with children, its range known exactly, and the level; -1 where none is."""
    while True:
        best, best_level, widest = -1, 0, 0.0
        for a in range(low.shape[1]):
            if tried[n, a]:
                continue
            level = _level(at, place[a], depth[a], low[n, a], high[n, a])
            if level == 0:
                tried[n, a] = True
                continue
            wide = width[place[a, level] + low[n, a]] if level < depth[a] else np.inf
            if wide > widest:
                best, best_level, widest = a, level, wide
        if best < 0 or exact[n, best]:
            return best, best_level
        codes = quasi[best]
        lo, hi = high[n, best], low[n, best]
        for j in range(start[n], end[n]):
            c = codes[order[j]]
            lo, hi = min(lo, c), max(hi, c)
        low[n, best], high[n, best], exact[n, best] = lo, hi, True


@compiled
def _level(at, place, depth, low, high):
    """The lowest level on which two codes are in one node; `depth` where there is none."""
    for level in range(depth):
        if at[place[level] + low] == at[place[level] + high]:
            return level
    return depth


@compiled
def part_values(nodes, order, start, end, quasi, weight, value, values, axis, cuts, first):
    """Records per value in each part of nodes that are cut, node after node."""
    counts = np.zeros((cuts.size + nodes.size, values), dtype=np.int64)
    for i in range(nodes.size):
        codes, n, mine = quasi[axis[i]], nodes[i], cuts[first[i] : first[i + 1]]
        for j in range(start[n], end[n]):
            cell = order[j]
            counts[first[i] + i + np.searchsorted(mine, codes[cell]), value[cell]] += weight[cell]
    return counts


@compiled
def enclosing(low, high, at, place, depth):
    """The lowest level on which each class has one node, classes x axes; `depth` where there is none."""
    found = np.empty(low.shape, dtype=np.int32)
    for n in range(low.shape[0]):
        for a in range(low.shape[1]):
            found[n, a] = _level(at, place[a], depth[a], low[n, a], high[n, a])
    return found
