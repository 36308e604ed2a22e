"""Compiled kernels of cuts that serve queries: the error of classes, and the cuts to examine.

Conventions as in `cell_kernels`, and `asked`, a tuple that describes the workload: `met` (cells x words) has a bit for
each query that a cell satisfies; `known` (cells x words, or no words) one for each query whose conditions on columns
that are published unchanged, including quasi-identifiers, it satisfies; `kind` is the row of each cell in `kept` (kinds
x queries): which conditions it satisfies on columns that are published as counts per class. Code c of axis a lies
between the places `begin[first[a] + c]` and `finish[first[a] + c]`; `before` is the length of the axis before each
place, `inside` (places x queries) the part of it that satisfies each query's condition there. `cost` is the error of
one excess record for each query.
"""

from __future__ import annotations

import numpy as np

from workbench.base.bits import lowest_bit
from workbench.base.compiled import compiled

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
def errors(order, start, end, weight, low, high, asked):
    """Return the error of the answers of each node, if it publishes these runs of codes."""
    found = np.empty(start.size, dtype=np.float64)
    told, of, sums, exact = _room(asked)
    for n in range(start.size):
        sums[:], of[:], exact[:] = 0.0, 0.0, 0.0
        records = 0
        for j in range(start[n], end[n]):
            records += _count(order[j], weight, asked, sums, of, exact)
        found[n] = _error(records, low[n], high[n], asked, sums, of, exact, told)
    return found


@compiled
def error_of_all(order, start, end, weight, low, high, asked):
    """Return the error of the answers of all nodes together; errors of different nodes may cancel out."""
    cost = asked[9]
    told, of, sums, exact = _room(asked)
    apart = np.zeros(cost.size)
    for n in range(start.size):
        sums[:], of[:], exact[:] = 0.0, 0.0, 0.0
        records = 0
        for j in range(start[n], end[n]):
            records += _count(order[j], weight, asked, sums, of, exact)
        _estimate_answers(records, low[n], high[n], asked, of, exact, told)
        apart += told - sums[: cost.size]
    return np.sum(cost * np.abs(apart))


@compiled
def cuts(pending, order, start, end, quasi, weight, size, axes, floor, most, asked):
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
    told, of, sums, exact = _room(asked)
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
            _count(cell, weight, asked, sums, of, exact)
        _hull(members, quasi, low, high)
        before[i] = _error(size[n], low, high, asked, sums, of, exact, told)
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
                    _count(cell, weight, asked, left_sums, left_of, left_exact)
                begin, left, rest = ends[place], records[place], size[n] - records[place]
                rest_sums[:], rest_of[:], rest_exact[:] = sums - left_sums, of - left_of, exact - left_exact
                wrong = _error(left, left_low[-begin], left_high[-begin], asked, left_sums, left_of, left_exact, told)
                wrong += _error(rest, rest_low[begin], rest_high[begin], asked, rest_sums, rest_of, rest_exact, told)
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
def _room(asked):
    """Return scratch arrays per query: the answer, the possible records, the true ones, and the known ones."""
    met, known, cost = asked[0], asked[1], asked[9]
    return np.empty(cost.size), np.empty(cost.size), np.empty(64 * met.shape[1]), np.empty(64 * known.shape[1])


@compiled
def _count(cell, weight, asked, sums, of, exact):
    """Add the records of a cell to the queries that they satisfy; return how many there are."""
    met, known, kind, kept = asked[:4]
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
def _error(records, low, high, asked, sums, of, exact, told):
    """Return the error of the answers of a class with these records."""
    cost = asked[9]
    _estimate_answers(records, low, high, asked, of, exact, told)
    wrong = 0.0
    for q in range(cost.size):
        wrong += cost[q] * abs(told[q] - sums[q])
    return wrong


@compiled
def _estimate_answers(records, low, high, asked, of, exact, told):
    """Compute the answers of a class with these records."""
    first, begin, finish, before, inside, cost = asked[4:]
    if exact.size:
        for q in range(cost.size):
            told[q] = exact[q] * of[q] / records
    else:
        told[:] = of
        for a in range(low.size):
            place, end = begin[first[a] + low[a]], finish[first[a] + high[a]]
            whole, upto, below = before[end] - before[place], inside[end], inside[place]
            for q in range(cost.size):
                told[q] *= (upto[q] - below[q]) / whole


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
