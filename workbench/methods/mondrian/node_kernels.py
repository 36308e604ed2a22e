"""Compiled kernels of cuts that follow the nodes of hierarchies: they choose cuts and count records in the parts.

Conventions as in `cell_kernels`. `at` has, from `place[a, l]` on, the node of each code of axis `a` on level `l`, and
`width` that node's width; axis `a` has `depth[a]` levels, the lowest first.
"""

from __future__ import annotations

import numpy as np

from workbench.base.cell_kernels import median, widest_range
from workbench.base.compiled import compiled

FEW_CHILDREN = 6  # of a node; with no more children, the most even cut loses less


@compiled
def propose(nodes, order, start, end, quasi, weight, low, high, exact, tried, at, width, place, depth, floor):
    """Propose for each node the children on its widest untried axis on which each has at least `floor` records.

    Return for the nodes with a cut: node, axis, cuts, the offset of each node's cuts, and the records of each part.
    Axes without such children are marked as `tried`. Ranges are lazy, as in `cell_kernels.propose`.
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
def propose_per_column(
    nodes,
    order,
    start,
    end,
    quasi,
    weight,
    edge,
    span,
    size,
    low,
    high,
    exact,
    tried,
    even,
    floor,
    of_nodes,
    at,
    place,
    depth,
):
    """Propose for each node a cut in two, on its widest untried axis that leaves both sides `floor` records.

    Axes `of_nodes` are cut between children of the smallest node that contains the class, where both sides are closest
    in size; the others at the median, as in `cell_kernels.propose`, which also describes the result.
    """
    node = np.empty(nodes.size, dtype=nodes.dtype)
    axis = np.empty(nodes.size, dtype=np.int32)
    cut = np.empty(nodes.size, dtype=np.int32)
    quota = np.full(nodes.size, -1, dtype=np.int64)
    records = np.empty((nodes.size, 2), dtype=np.int64)
    counts = np.zeros(max(edge.shape[1], at.max()) + 1, dtype=np.int64)
    found = 0
    for n in nodes:
        while size[n] >= 2 * floor:
            a = widest_range(n, order, start, end, quasi, edge, span, low, high, exact, tried)
            if a < 0:
                break
            lowest, highest = low[n, a], high[n, a]
            if of_nodes[a]:
                level = _level(at, place[a], depth[a], lowest, highest)
                child = at[place[a, max(level - 1, 0)] :]
                m, left = _between_children(
                    order, start[n], end[n], quasi[a], weight, lowest, highest, child, size[n], floor, counts
                )
            else:
                half = (size[n] + 1) // 2
                m, below, there, before = median(
                    order, start[n], end[n], quasi[a], weight, lowest, highest, half, counts
                )
                left = below + there
                if m == highest or (even and below and abs(2 * below - size[n]) < abs(2 * left - size[n])):
                    m, left = before, below
            if min(left, size[n] - left) < floor:
                tried[n, a] = True
                continue
            node[found], axis[found], cut[found] = n, a, m
            records[found, 0], records[found, 1] = left, size[n] - left
            found += 1
            break
    return node[:found], axis[:found], cut[:found], quota[:found], records[:found]


@compiled
def _between_children(order, start, end, codes, weight, low, high, child, size, floor, counts):
    """Return the last code before a cut between children, and the records up to it (0 if there is one child).

    If there are many children, the first or the last is cut off (the one with more records), provided that both sides
    have `floor` then: it is published as itself from now on. Otherwise the sides are as even as possible. `counts` is
    scratch.
    """
    counts[: high - low + 1] = 0
    for j in range(start, end):
        counts[codes[order[j]] - low] += weight[order[j]]
    cut, left, best = low, 0, 0
    first, first_left, last, last_left, children = low, 0, low, 0, 1
    for code in range(low, high):
        left += counts[code - low]
        if child[code] == child[code + 1]:
            continue
        children += 1
        if first_left == 0:
            first, first_left = code, left
        if left < size:
            last, last_left = code, left
        if abs(2 * left - size) < abs(2 * best - size):
            cut, best = code, left
    of_last = size - last_left
    if children <= FEW_CHILDREN:
        return cut, best
    if min(first_left, size - first_left) < floor:
        first_left = 0
    if min(last_left, of_last) < floor:
        of_last = 0
    if first_left >= of_last and first_left > 0:
        return first, first_left
    if of_last > 0:
        return last, last_left
    return cut, best


@compiled
def _widest(n, order, start, end, quasi, low, high, exact, tried, at, width, place, depth):
    """Return the untried axis of the widest node with children, after tightening its range, and the level; or -1."""
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
    """Return the lowest level on which two codes share a node; `depth` if there is none."""
    for level in range(depth):
        if at[place[level] + low] == at[place[level] + high]:
            return level
    return depth


@compiled
def part_values(nodes, order, start, end, quasi, weight, value, values, axis, cuts, first):
    """Count records per value in each part of nodes that are cut, node after node."""
    counts = np.zeros((cuts.size + nodes.size, values), dtype=np.int64)
    for i in range(nodes.size):
        codes, n, mine = quasi[axis[i]], nodes[i], cuts[first[i] : first[i + 1]]
        for j in range(start[n], end[n]):
            cell = order[j]
            counts[first[i] + i + np.searchsorted(mine, codes[cell]), value[cell]] += weight[cell]
    return counts


@compiled
def enclosing(low, high, at, place, depth):
    """Return the lowest level on which each class has one node, classes x axes; `depth` if there is none."""
    found = np.empty(low.shape, dtype=np.int32)
    for n in range(low.shape[0]):
        for a in range(low.shape[1]):
            found[n, a] = _level(at, place[a], depth[a], low[n, a], high[n, a])
    return found


@compiled
def distinct(order, start, end, values, most):
    """Count the distinct values, each below `most`, of each node on each attribute: nodes x attributes."""
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
