"""Compiled kernels of Mondrian's cuts."""

from __future__ import annotations

import numpy as np

from workbench.base.cell_kernels import median, widest_range
from workbench.base.compiled import compiled, lowest_bit

# Cuts that follow the nodes of hierarchies: they choose cuts and count records in the parts.
#
# Conventions as in `cell_kernels`. `at` has, from `place[a, l]` on, the node of each code of axis `a` on level `l`, and
# `width` that node's width; axis `a` has `depth[a]` levels, the lowest first.

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
            codes, nodes_of_codes = quasi[a], at[place[a, level - 1] :]
            lowest, highest = nodes_of_codes[low[n, a]], nodes_of_codes[high[n, a]]
            for j in range(start[n], end[n]):
                c, records = codes[order[j]], weight[order[j]]
                counts[nodes_of_codes[c]] += records
                last[nodes_of_codes[c]] = max(last[nodes_of_codes[c]], c)
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
                m, below, at_median, before = median(
                    order, start[n], end[n], quasi[a], weight, lowest, highest, half, counts
                )
                left = below + at_median
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


# Compiled kernels of cuts that serve queries: the error of classes, and the cuts to examine.
#
# Conventions as in `cell_kernels`, and `asked`, a tuple that describes the workload: `met` (cells x words) has a bit
# for each query that a cell satisfies; `known` (cells x words, or no words) one for each query whose conditions on
# columns that are published unchanged, including quasi-identifiers, it satisfies; `kind` is the row of each cell in
# `kept` (kinds x queries): which conditions it satisfies on columns that are published as counts per class. Code c of
# axis a lies between the places `begin[first[a] + c]` and `finish[first[a] + c]`; `before` is the length of the axis
# before each place, `inside` (places x queries) the part of it that satisfies each query's condition there. `cost` is
# the error of one excess record for each query.

ONE = np.uint64(1)
NOWHERE = np.iinfo(np.int32).max


@compiled
def counts(met, weight, queries):
    """Count the records that satisfy each query."""
    sums = np.zeros(64 * met.shape[1])
    for cell in range(weight.size):
        _add(met[cell], weight[cell], sums)
    return sums[:queries]


@compiled
def errors(order, start, end, weight, low, high, workload):
    """Return the error of the answers of each node, if it publishes these runs of codes."""
    found = np.empty(start.size, dtype=np.float64)
    estimates, of, sums, exact = _room(workload)
    for n in range(start.size):
        sums[:], of[:], exact[:] = 0.0, 0.0, 0.0
        records = 0
        for j in range(start[n], end[n]):
            records += _count(order[j], weight, workload, sums, of, exact)
        found[n] = _error(records, low[n], high[n], workload, sums, of, exact, estimates)
    return found


@compiled
def error_of_all(order, start, end, weight, low, high, workload):
    """Return the error of the answers of all nodes together; errors of different nodes may cancel out."""
    cost = workload[9]
    estimates, of, sums, exact = _room(workload)
    apart = np.zeros(cost.size)
    for n in range(start.size):
        sums[:], of[:], exact[:] = 0.0, 0.0, 0.0
        records = 0
        for j in range(start[n], end[n]):
            records += _count(order[j], weight, workload, sums, of, exact)
        _estimate_answers(records, low[n], high[n], workload, of, exact, estimates)
        apart += estimates - sums[: cost.size]
    return np.sum(cost * np.abs(apart))


@compiled
def cuts(pending, order, start, end, quasi, weight, size, axes, floor, most, workload):
    """Return the examined cuts of each pending node on some axes, and the error of the answers before and after.

    The result is the error of each node, and of each cut: node, axis, code, records below, error.
    """
    room = 0
    for n in pending:
        room += quasi.shape[0] * min(end[n] - start[n], 2 * most)
    node = np.empty(room, dtype=pending.dtype)
    axis = np.empty(room, dtype=np.int32)
    cut = np.empty(room, dtype=np.int32)
    below = np.empty(room, dtype=np.int64)
    after = np.empty(room, dtype=np.float64)
    before = np.zeros(pending.size, dtype=np.float64)
    estimates, of, sums, exact = _room(workload)
    left_of, left_sums, left_exact = np.empty_like(of), np.empty_like(sums), np.empty_like(exact)
    rest_of, rest_sums, rest_exact = np.empty_like(of), np.empty_like(sums), np.empty_like(exact)
    low, high = np.empty(quasi.shape[0], np.int32), np.empty(quasi.shape[0], np.int32)
    found = 0
    for i in range(pending.size):
        n = pending[i]
        if size[n] < 2 * floor:
            continue
        members = order[start[n] : end[n]]
        sums[:], of[:], exact[:] = 0.0, 0.0, 0.0
        for cell in members:
            _count(cell, weight, workload, sums, of, exact)
        _hull(members, quasi, low, high)
        before[i] = _error(size[n], low, high, workload, sums, of, exact, estimates)
        if before[i] <= 1e-9:
            continue
        for a in range(quasi.shape[0]):
            if not axes[a] or low[a] == high[a]:
                continue
            ranked = members[np.argsort(quasi[a][members])]
            ends, records = _places(quasi[a][ranked], weight[ranked], floor, most)
            left_low, left_high = _hulls_from(ranked[::-1].copy(), quasi)
            rest_low, rest_high = _hulls_from(ranked, quasi)
            left_sums[:], left_of[:], left_exact[:] = 0.0, 0.0, 0.0
            begin = 0
            for place in range(ends.size):
                for cell in ranked[begin : ends[place]]:
                    _count(cell, weight, workload, left_sums, left_of, left_exact)
                begin, left, rest = ends[place], records[place], size[n] - records[place]
                rest_sums[:], rest_of[:], rest_exact[:] = sums - left_sums, of - left_of, exact - left_exact
                wrong = _error(
                    left, left_low[-begin], left_high[-begin], workload, left_sums, left_of, left_exact, estimates
                )
                wrong += _error(
                    rest, rest_low[begin], rest_high[begin], workload, rest_sums, rest_of, rest_exact, estimates
                )
                code = quasi[a, ranked[begin - 1]]
                node[found], axis[found], cut[found], below[found], after[found] = n, a, code, left, wrong
                found += 1
    return before, node[:found], axis[:found], cut[:found], below[:found], after[:found]


@compiled
def _places(codes, weight, floor, most):
    """Return where cells in the order of their codes may be cut: the number of cells below, and of records.

    A cut leaves both sides `floor` records. If the codes span more than `most`, the cuts are on either side of those at
    which another of `most` equal shares of the records begins.
    """
    ends, upto, kinds = np.zeros(codes.size + 1, np.int64), np.zeros(codes.size + 1, np.int64), 0
    for j in range(codes.size):
        if j == 0 or codes[j] != codes[j - 1]:
            kinds += 1
            upto[kinds] = upto[kinds - 1]
        ends[kinds] = j + 1
        upto[kinds] += weight[j]
    total, every = upto[kinds], codes[-1] - codes[0] < most
    chosen = np.zeros(kinds + 1, np.bool_)
    for c in range(1, kinds):
        share = upto[c] * most // total
        new = upto[c - 1] * most // total != share or upto[c + 1] * most // total != share
        chosen[c] = (every or new) and floor <= upto[c] <= total - floor
    return ends[: kinds + 1][chosen], upto[: kinds + 1][chosen]


@compiled
def _room(workload):
    """Return scratch arrays per query: the answer, the possible records, the true ones, and the known ones."""
    met, known, cost = workload[0], workload[1], workload[9]
    return np.empty(cost.size), np.empty(cost.size), np.empty(64 * met.shape[1]), np.empty(64 * known.shape[1])


@compiled
def _count(cell, weight, workload, sums, of, exact):
    """Add the records of a cell to the queries that they satisfy; return how many there are."""
    met, known, kind, kept = workload[:4]
    records = weight[cell]
    _add(met[cell], records, sums)
    if exact.size:
        _add(known[cell], records, exact)
    row = kept[kind[cell]]
    for q in range(of.size):
        of[q] += records * row[q]
    return records


@compiled
def _add(words, records, sums):
    for i in range(words.size):
        word = words[i]
        while word:
            sums[64 * i + lowest_bit(word)] += records
            word &= word - ONE


@compiled
def _error(records, low, high, workload, sums, of, exact, estimates):
    """Return the error of the answers of a class with these records."""
    cost = workload[9]
    _estimate_answers(records, low, high, workload, of, exact, estimates)
    wrong = 0.0
    for q in range(cost.size):
        wrong += cost[q] * abs(estimates[q] - sums[q])
    return wrong


@compiled
def _estimate_answers(records, low, high, workload, of, exact, estimates):
    """Compute the answers of a class with these records."""
    first, begin, finish, before, inside, cost = workload[4:]
    if exact.size:
        for q in range(cost.size):
            estimates[q] = exact[q] * of[q] / records
    else:
        estimates[:] = of
        for a in range(low.size):
            place, end = begin[first[a] + low[a]], finish[first[a] + high[a]]
            whole, upto, below = before[end] - before[place], inside[end], inside[place]
            for q in range(cost.size):
                estimates[q] *= (upto[q] - below[q]) / whole


@compiled
def _hull(members, quasi, low, high):
    """Find the lowest and highest code of each attribute among some cells."""
    for a in range(quasi.shape[0]):
        codes = quasi[a]
        low[a], high[a] = NOWHERE, -1
        for cell in members:
            low[a], high[a] = min(low[a], codes[cell]), max(high[a], codes[cell])


@compiled
def _hulls_from(members, quasi):
    """Find the lowest and highest code of each attribute among the cells from each one on."""
    low = np.empty((members.size, quasi.shape[0]), np.int32)
    high = np.empty_like(low)
    for j in range(members.size - 1, -1, -1):
        for a in range(quasi.shape[0]):
            code = quasi[a, members[j]]
            last = j + 1 == members.size
            low[j, a] = code if last else min(low[j + 1, a], code)
            high[j, a] = code if last else max(high[j + 1, a], code)
    return low, high
