"""Compiled kernels that cut classes and count cells, independent of models, methods and measures.

Conventions: `quasi` is attributes x cells (int16 or int32); `order` holds cells, a node is order[start:end];
a cut c on an axis sends codes <= c to the left. The cuts of node i are `first[i]:first[i + 1]` of one flat array.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.progress import checkpoint

STEPS = 5_000_000  # steps between two checks for cancellation


@compiled
def histogram(group, value, weight, groups, values):
    """Return the number of records per group and value."""
    counts = np.zeros((groups, values), dtype=np.int64)
    for i in range(group.size):
        counts[group[i], value[i]] += weight[i]
    return counts


@compiled
def lookalikes(codes, counts, wild, anything):
    """Add to the count of each pattern the counts of all patterns that match it; `anything` matches every code.

    Patterns are distinct; those that contain `anything` are the first `wild`.
    """
    found = counts.copy()
    for i in range(wild):
        for j in range(i + 1, codes.shape[0]):
            alike = True
            for a in range(codes.shape[1]):
                here, there = codes[i, a], codes[j, a]
                if here != there and here != anything and there != anything:
                    alike = False
                    break
            if alike:
                found[i] += counts[j]
                found[j] += counts[i]
    return found


@compiled
def ranges(group, cell, quasi, groups):
    """Return the lowest and highest code of each group on each attribute; entry i is `cell[i]`, in group `group[i]`."""
    axes = quasi.shape[0]
    low = np.full((groups, axes), np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full((groups, axes), -1, dtype=np.int32)
    for a in range(axes):
        codes = quasi[a]
        for i in range(group.size):
            g, c = group[i], codes[cell[i]]
            if c < low[g, a]:
                low[g, a] = c
            if c > high[g, a]:
                high[g, a] = c
    return low, high


@compiled
def median(order, start, end, codes, weight, low, high, half, counts):
    """Return the lowest code m with at least `half` records up to it, the records below and at m, and the code
    before.
    """
    if high - low < 4 * (end - start) + 64:
        counts[: high - low + 1] = 0
        for i in range(start, end):
            counts[codes[order[i]] - low] += weight[order[i]]
        below, m = 0, low
        while below + counts[m - low] < half:
            below += counts[m - low]
            m += 1
        at, before = counts[m - low], m - 1
        while before >= low and counts[before - low] == 0:
            before -= 1
        return m, below, at, before
    left, right = low, high  # with a long axis and few cells, bisection reads the cells, not the axis
    while left < right:
        middle, total = (left + right) // 2, 0
        for i in range(start, end):
            if codes[order[i]] <= middle:
                total += weight[order[i]]
        if total >= half:
            right = middle
        else:
            left = middle + 1
    below, at, before = 0, 0, low - 1
    for i in range(start, end):
        c = codes[order[i]]
        if c < left:
            below += weight[order[i]]
            before = max(before, c)
        elif c == left:
            at += weight[order[i]]
    return left, below, at, before


@compiled
def propose(nodes, order, start, end, quasi, weight, edge, span, size, low, high, exact, tried, strict, even, floor):
    """Return the median cut of each node on its widest untried axis that leaves both sides `floor` records.

    For each node with such a cut: node, axis, cut, quota, and records on each side. The quota is the number of cells at
    the cut itself that go left (-1: all). `even` cuts below the median if that makes the halves more similar in size.
    Axes whose cut leaves too few records are marked as `tried`.
    Ranges are lazy: a parent's range bounds its child's, so only an axis that may be the widest is scanned.
    `edge` holds the position of each code, `span` that of the whole axis.
    """
    node = np.empty(nodes.size, dtype=nodes.dtype)
    axis = np.empty(nodes.size, dtype=np.int32)
    cut = np.empty(nodes.size, dtype=np.int32)
    quota = np.full(nodes.size, -1, dtype=np.int64)
    records = np.empty((nodes.size, 2), dtype=np.int64)
    counts = np.empty(edge.shape[1] + 1, dtype=np.int64)
    found = 0
    for n in nodes:
        while size[n] >= 2 * floor:
            best = widest_range(n, order, start, end, quasi, edge, span, low, high, exact, tried)
            if best < 0:
                break
            half = (size[n] + 1) // 2 if strict else size[n] // 2
            m, below, at, before = median(
                order, start[n], end[n], quasi[best], weight, low[n, best], high[n, best], half, counts
            )
            left = below + at
            if not strict:
                quota[found], left = half - below, half
            elif m == high[n, best] or (even and below and abs(2 * below - size[n]) < abs(2 * left - size[n])):
                m, left = before, below
            if min(left, size[n] - left) < floor:
                tried[n, best] = True
                continue
            node[found], axis[found], cut[found] = n, best, m
            records[found, 0], records[found, 1] = left, size[n] - left
            found += 1
            break
    return node[:found], axis[:found], cut[:found], quota[:found], records[:found]


@compiled
def widest_range(n, order, start, end, quasi, edge, span, low, high, exact, tried):
    """Return the untried axis with the widest exact range; -1 if all ranges are single codes."""
    while True:
        best, width = -1, 0.0
        for a in range(low.shape[1]):
            wide = (edge[a, high[n, a]] - edge[a, low[n, a]]) / span[a]
            if not tried[n, a] and wide > width:
                best, width = a, wide
        if best < 0 or exact[n, best]:
            return best
        codes = quasi[best]
        lo, hi = high[n, best], low[n, best]
        for j in range(start[n], end[n]):
            c = codes[order[j]]
            lo, hi = min(lo, c), max(hi, c)
        low[n, best], high[n, best], exact[n, best] = lo, hi, True


@compiled
def halves(nodes, order, start, end, quasi, weight, value, values, axis, cut, quota):
    """Return the records per value on the left and on the right of each proposed cut: rows 2i and 2i + 1."""
    counts = np.zeros((2 * nodes.size, values), dtype=np.int64)
    for i in range(nodes.size):
        codes, ties, n = quasi[axis[i]], quota[i], nodes[i]
        for j in range(start[n], end[n]):
            cell = order[j]
            c = codes[cell]
            tied = c == cut[i] and ties != 0
            side, ties = not (c < cut[i] or tied), ties - tied
            counts[2 * i + side, value[cell]] += weight[cell]
    return counts


@compiled
def half_ranges(nodes, order, start, end, quasi, axis, cut, quota):
    """Return the lowest and highest code of each attribute on both sides of each proposed cut: rows 2i and 2i + 1."""
    low = np.full((2 * nodes.size, quasi.shape[0]), np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full(low.shape, -1, dtype=np.int32)
    for i in range(nodes.size):
        codes, ties, n = quasi[axis[i]], quota[i], nodes[i]
        for j in range(start[n], end[n]):
            cell = order[j]
            c = codes[cell]
            tied = c == cut[i] and ties != 0
            side, ties = not (c < cut[i] or tied), ties - tied
            for a in range(quasi.shape[0]):
                low[2 * i + side, a] = min(low[2 * i + side, a], quasi[a, cell])
                high[2 * i + side, a] = max(high[2 * i + side, a], quasi[a, cell])
    return low, high


@compiled
def _covers(cell, c, regions):
    """Return whether class c covers a cell of a population; `regions` is as in `fitting`."""
    places, low, high, within, held, region, absent, offset, width = regions
    for a in range(places.shape[1]):
        at, s = places[cell, a], within[a]
        if at < 0:  # a value that is not in the table
            if not absent[offset[a] + region[c, a] * width[a] - at - 1]:
                return False
        elif at < low[c, a] or at > high[c, a] or (s >= 0 and not held[s, c, at]):
            return False
    return True


@compiled
def fitting(first, begin, end, outside, order, people, regions, found, times):
    """Count the people of a population that each class covers, from class `first` on, and how often a cell is covered.

    The candidates are entries `begin` to `end` of `order` and its first `outside` entries. `regions` consists of the
    codes of cells (-1 - i for absent value i, which is not in the table); the lowest and highest code of each class;
    for an attribute with sets (listed in `within`), whether a code is `held`; and the row of each class in `absent`,
    which marks the absent values that are covered.
    """
    for k in range(begin.size):
        c = first + k
        for i in range(outside + end[k] - begin[k]):
            cell = order[i] if i < outside else order[begin[k] + i - outside]
            if _covers(cell, c, regions):
                found[c] += people[cell]
                times[cell] += 1


@compiled
def spread(first, begin, end, outside, order, share, regions, total):
    """Add the share of each class to all cells that it covers; arguments as in `fitting`."""
    for k in range(begin.size):
        c = first + k
        for i in range(outside + end[k] - begin[k]):
            cell = order[i] if i < outside else order[begin[k] + i - outside]
            if _covers(cell, c, regions):
                total[cell] += share[c]


@compiled
def extremes(first, begin, end, outside, order, total, regions, least, most):
    """Find the minimum and the maximum of `total` over the cells that each class covers; arguments as in `fitting`."""
    for k in range(begin.size):
        c = first + k
        for i in range(outside + end[k] - begin[k]):
            cell = order[i] if i < outside else order[begin[k] + i - outside]
            if _covers(cell, c, regions):
                least[c], most[c] = min(least[c], total[cell]), max(most[c], total[cell])


@compiled
def divide(nodes, order, start, end, quasi, axis, cuts, first, quota):
    """Stably sort each node's cells into its parts, in place, and return the start of each part, node after node."""
    begins = np.empty(cuts.size + nodes.size, dtype=np.int64)
    longest = 0
    for n in nodes:
        longest = max(longest, end[n] - start[n])
    aside = np.empty(longest, dtype=order.dtype)
    for k in range(nodes.size):
        codes, mine, finish = quasi[axis[k]], cuts[first[k] : first[k + 1]], end[nodes[k]]
        begin = begins[first[k] + k : first[k + 1] + k + 1]
        begin[0], stride = start[nodes[k]], 1
        while 2 * stride <= mine.size:
            stride *= 2
        while stride:  # the middle cut first, then the middle cut of each half
            for part in range(stride, begin.size, 2 * stride):
                until = begin[part + stride] if part + stride < begin.size else finish
                ties = quota[k] if part == 1 else -1
                begin[part] = _halve(order, begin[part - stride], until, codes, mine[part - 1], ties, aside)
            stride //= 2
    return begins


@compiled
def _halve(order, start, end, codes, cut, ties, aside):
    """Stably move the cells left of a cut, and `ties` cells at it, before the others; return where the others start."""
    left, right = start, 0
    for i in range(start, end):  # branch-free: every cell is written to both sides, and one side advances
        cell = order[i]
        c = codes[cell]
        tied = c == cut and ties != 0
        goes = c < cut or tied
        order[left], aside[right] = cell, cell
        left, right, ties = left + goes, right + (not goes), ties - tied
    order[left:end] = aside[:right]
    return left


@compiled
def bounds(nodes, low, high, exact, axis, cuts, first, quota):
    """Return the bounds of each part's codes, and which of them are exact, node after node."""
    parts = cuts.size + nodes.size
    lowest = np.empty((parts, low.shape[1]), dtype=low.dtype)
    highest = np.empty_like(lowest)
    known = np.zeros(lowest.shape, dtype=exact.dtype)
    for k in range(nodes.size):
        n, a = nodes[k], axis[k]
        for j in range(first[k], first[k + 1] + 1):
            lowest[j + k], highest[j + k] = low[n], high[n]
            if j > first[k]:  # if ties are split, the right part may begin at the cut itself
                lowest[j + k, a] = cuts[j - 1] + (quota[k] < 0)
            if j < first[k + 1]:
                highest[j + k, a] = cuts[j]
        known[first[k] + k, a] = exact[n, a]
    return lowest, highest, known


def coverage(runs, low, high, left, right, histogram, same, sets=None, whole=False):
    """Return the counts that a researcher expects from generalized classes: populations x values.

    A class is weighted by the share of its region that a population covers, attribute by attribute; with `whole`, by 1
    if they intersect. On an axis in `sets` (classes x codes) the region is a set of codes, which are counted. `same[p]`
    is the number of leading attributes that population p shares with the previous one: their shares are computed once,
    and only for the classes that the prefix reaches.
    """
    place, before = np.full(runs.shape[1], -1), np.zeros((len(sets or ()), len(histogram), left.shape[1] + 1), np.int32)
    for i, (a, held) in enumerate((sets or {}).items()):
        place[a] = i
        before[i, :, 1 : held.shape[1] + 1] = held.cumsum(axis=1)
    axes = np.arange(runs.shape[1])  # the ends of each class, contiguous by attribute, looked up once
    ends = np.ascontiguousarray(left[axes, low].T), np.ascontiguousarray(right[axes, high].T)
    regions = high, left, right, *ends, place, before
    expected, reached = np.zeros((len(runs), histogram.shape[1])), _everything(runs, len(histogram))
    share, done = np.ones(reached[0].shape), 0
    while done < len(runs):
        done = _cover(done, STEPS, expected, share, *reached, runs, regions, histogram, same, whole)
        checkpoint()
    return expected


@compiled
def _cover(p, most, expected, share, member, reached, runs, regions, histogram, same, whole):
    high, left, right, begins, finishes, place, before = regions
    populations, axes, work = runs.shape[0], runs.shape[1], 0
    while p < populations and work < most:
        for a in range(same[p], axes):
            first, last = runs[p, a, 0], runs[p, a, 1]
            from_low, to_high = left[a, first], right[a, last]
            begin, finish, found = begins[a], finishes[a], 0
            if place[a] < 0:
                for j in range(reached[a]):  # branch-free: each class is written, and kept if they intersect
                    c = member[a, j]
                    overlap = min(finish[c], to_high) - max(begin[c], from_low)
                    member[a + 1, found] = c
                    share[a + 1, found] = share[a, j] * (overlap / (finish[c] - begin[c]))
                    found += overlap > 0
            else:
                codes = before[place[a]]
                for j in range(reached[a]):
                    c = member[a, j]
                    inside = codes[c, last + 1] - codes[c, first]
                    if inside > 0:
                        member[a + 1, found] = c
                        share[a + 1, found] = share[a, j] * (inside / codes[c, high[c, a] + 1])
                        found += 1
            if whole:
                share[a + 1, :found] = 1.0
            reached[a + 1] = found
            work += reached[a]
        for j in range(reached[axes]):
            c = member[axes, j]
            for v in range(histogram.shape[1]):
                expected[p, v] += share[axes, j] * histogram[c, v]
        work += reached[axes] * histogram.shape[1]
        p += 1
    return p


def reach(runs, quasi, weight, group, belief, same):
    """Return the counts that a researcher expects from exact quasi-identifiers and a belief per group."""
    expected, reached, done = np.zeros((len(runs), belief.shape[1])), _everything(runs, quasi.shape[1]), 0
    while done < len(runs):
        done = _reach(done, STEPS, expected, *reached, runs, quasi, weight, group, belief, same)
        checkpoint()
    return expected


@compiled
def _reach(p, most, expected, member, reached, runs, quasi, weight, group, belief, same):
    populations, axes, work = runs.shape[0], runs.shape[1], 0
    while p < populations and work < most:
        for a in range(same[p], axes):
            found = 0
            for j in range(reached[a]):
                cell = member[a, j]
                if runs[p, a, 0] <= quasi[a, cell] <= runs[p, a, 1]:
                    member[a + 1, found] = cell
                    found += 1
            reached[a + 1] = found
            work += reached[a]
        for j in range(reached[axes]):
            cell = member[axes, j]
            for v in range(belief.shape[1]):
                expected[p, v] += weight[cell] * belief[group[cell], v]
        work += reached[axes] * belief.shape[1]
        p += 1
    return p


def _everything(runs, count):
    """Return the members that remain after each axis, initially all, and their counts."""
    member, reached = np.empty((runs.shape[1] + 1, count), np.int32), np.zeros(runs.shape[1] + 1, np.int64)
    member[0], reached[0] = np.arange(count), count
    return member, reached
