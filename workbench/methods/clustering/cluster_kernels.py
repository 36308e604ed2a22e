"""Compiled kernels of clusterings: they grow clusters record by record, with prices from lookup tables.

Conventions. Entries are records, or groups of identical records: `codes` is attributes x entries, `values` sensitive
columns x entries, `left` the number of an entry's records that are in no cluster yet. Among equal costs the earlier
entry wins. All costs are integers, so that no sum depends on its order.

`prices` are kind, sizes, at, price, place. On attribute `a`, from `place[a, 0]` on in `price`, a cluster pays: the
distance of its lowest and highest code (WIDTH); the price of its number of values (VALUES); or the price of the
smallest node that contains both codes, on levels that nest from the values to the root (NODES): `at` has the node of
each code, from `place[a, l]` on.

`state` is the open cluster: low, high, held, count, near, pairs, whole. `held` are its codes where values are counted,
`near[s, v]` the contribution of its records to value v of sensitive column s, `pairs[s]` their contribution to each
other; `whole` is its price and its number of records. `entries` are codes, values, left, origin; origin is the number
of the entry, since entries are compacted in place. `taken[:filled[0]]` has the numbers of entries, record by record and
cluster by cluster.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled

WIDTH, NODES, VALUES = range(3)
GROWN, TOO_DEAR, NOTHING_LEFT, PAUSED = range(4)
MOST = 2**31 - 1
BLOCK = 512


@compiled
def price_of(a, low, high, count, prices):
    """Return the price of a cluster on an attribute that spans these codes, or has so many values."""
    kind, _, at, price, place = prices
    if kind[a] == WIDTH:
        return price[place[a, 0] + high] - price[place[a, 0] + low]
    if kind[a] == VALUES:
        return price[place[a, 0] + count]
    level = 0
    while at[place[a, level] + low] != at[place[a, level] + high]:
        level += 1
    return price[place[a, level] + low]


@compiled
def grown_price(a, code, state, prices):
    """Return the price of the open cluster on an attribute with one more code."""
    low, high, held, count = state[:4]
    return price_of(a, min(low[a], code), max(high[a], code), count[a] + (not held[a, code]), prices)


@compiled
def _add_prices(a, sign, begin, end, codes, state, prices, score, row):
    """Add (or with sign -1 subtract) each entry's price of the grown cluster on an attribute to its score."""
    size = prices[1][a]
    if size > end - begin:  # few entries: cheaper than a row of all codes
        for i in range(begin, end):
            score[i] += sign * grown_price(a, codes[a, i], state, prices)
        return
    for code in range(size):
        row[code] = sign * grown_price(a, code, state, prices)
    for i in range(begin, end):
        score[i] += row[codes[a, i]]


@compiled
def _join(a, code, state):
    """Add a code to the open cluster."""
    low, high, held, count = state[:4]
    low[a], high[a] = min(low[a], code), max(high[a], code)
    if not held[a, code]:
        held[a, code] = True
        count[a] += 1


@compiled
def _clear(state, prices):
    """Empty the open cluster."""
    low, high, held, count, near, pairs, whole = state
    for a in range(low.size):
        if prices[0][a] == VALUES:
            held[a, low[a] : high[a] + 1] = False
        low[a], high[a], count[a] = held.shape[1], -1, 0
    near[:] = 0.0
    pairs[:] = 0.0
    whole[:] = 0


@compiled
def alone(codes_of_one, state, prices):
    """Empty the cluster, and add one combination of codes."""
    _clear(state, prices)
    for a in range(codes_of_one.size):
        code = codes_of_one[a]
        state[0][a], state[1][a] = code, code
        if prices[0][a] == VALUES:
            state[2][a, code] = True
            state[3][a] = 1
        state[6][0] += price_of(a, code, code, 1, prices)


@compiled
def score_all(begin, end, codes, state, prices, work):
    """Compute the price of the open cluster with each entry's codes added."""
    score, row, _ = work
    score[begin:end] = 0
    for a in range(codes.shape[0]):
        _add_prices(a, 1, begin, end, codes, state, prices, score, row)


@compiled
def start(entry, entries, state, prices, near_by, taken, firsts, filled):
    """Open a new cluster with one record of an entry; scores are not computed yet."""
    codes, values, left, origin = entries
    alone(codes[:, entry], state, prices)
    firsts[filled[1]] = filled[0]
    filled[1] += 1
    taken[filled[0]] = origin[entry]
    filled[0] += 1
    left[entry] -= 1
    state[6][1] = 1
    for s in range(values.shape[0]):
        state[5][s] = 1.0
        v = values[s, entry]
        for w in range(near_by.shape[1]):
            state[4][s, w] = near_by[s, v, w]


@compiled
def _take(entry, begin, end, entries, state, prices, near_by, work):
    """Add a record to the open cluster; return whether the scores have changed."""
    codes, values, left, _ = entries
    score, row, _ = work
    kind, changed = prices[0], False
    left[entry] -= 1
    for a in range(codes.shape[0]):
        code = codes[a, entry]
        inside = state[2][a, code] if kind[a] == VALUES else state[0][a] <= code <= state[1][a]
        if inside:
            continue
        before = price_of(a, state[0][a], state[1][a], state[3][a], prices)
        after = grown_price(a, code, state, prices)
        if kind[a] == NODES and after == before:  # the node is unchanged, and so are all scores
            state[0][a], state[1][a] = min(state[0][a], code), max(state[1][a], code)
            continue
        _add_prices(a, -1, begin, end, codes, state, prices, score, row)
        if kind[a] == VALUES:
            state[2][a, code] = True
            state[3][a] += 1
        state[0][a], state[1][a] = min(state[0][a], code), max(state[1][a], code)
        _add_prices(a, 1, begin, end, codes, state, prices, score, row)
        state[6][0] += after - before
        changed = True
    state[6][1] += 1
    for s in range(values.shape[0]):
        v = values[s, entry]
        state[5][s] += 2 * state[4][s, v] + 1.0
        for w in range(near_by.shape[1]):
            state[4][s, w] += near_by[s, v, w]
    return changed


@compiled
def _cheapest(begin, end, values, left, score, row_of_value, floor):
    """Return the first of the cheapest entries, and its cost, which is at least `floor`; -1 if none is left."""
    best, at = MOST, -1
    for block in range(begin, end, BLOCK):
        until, least = min(block + BLOCK, end), MOST
        if values.shape[0]:
            for i in range(block, until):
                cost = score[i]
                for s in range(values.shape[0]):
                    cost += row_of_value[s, values[s, i]]
                least = min(least, cost if left[i] > 0 else MOST)
        else:
            for i in range(block, until):
                least = min(least, score[i] if left[i] > 0 else MOST)
        if least >= best:
            continue
        best = least
        for i in range(block, until):
            cost = score[i]
            for s in range(values.shape[0]):
                cost += row_of_value[s, values[s, i]]
            if left[i] > 0 and cost == least:
                at = i
                break
        if best <= floor:
            break
    return at, best


@compiled
def floor_of(state, scale, row_of_value):
    """Compute the cost of each sensitive value of one more record; return a lower bound on a record's cost."""
    near, pairs, whole = state[4], state[5], state[6]
    floor = whole[0]
    for s in range(near.shape[0]):
        least = MOST
        for v in range(near.shape[1]):
            row_of_value[s, v] = round(scale[s] * (pairs[s] + 2 * near[s, v] + 1) / (whole[1] + 1) ** 2)
            least = min(least, row_of_value[s, v])
        floor += least
    return floor


@compiled
def extend(begin, end, until, limit, budget, entries, state, prices, near_by, scale, work, taken, filled):
    """Add the cheapest records to the open cluster until it has `until`, or the next would cost more than `limit`.

    Return PAUSED after about `budget` examined entries: call again.
    """
    _, values, left, origin = entries
    row_of_value, whole = work[2], state[6]
    while whole[1] < until:
        floor = floor_of(state, scale, row_of_value)
        if floor > limit:
            return TOO_DEAR
        entry, cost = _cheapest(begin, end, values, left, work[0], row_of_value, floor)
        if entry < 0:
            return NOTHING_LEFT
        if cost > limit:
            return TOO_DEAR
        changed = False
        while not changed and left[entry] > 0 and whole[1] < until:
            changed = _take(entry, begin, end, entries, state, prices, near_by, work)
            taken[filled[0]] = origin[entry]
            filled[0] += 1
            if values.shape[0]:
                break
        budget -= end - begin
        if budget < 0:
            return PAUSED
    return GROWN


@compiled
def compact(begin, end, entries):
    """Compact the entries that have records left, in order; return the new end."""
    codes, values, left, origin = entries
    to = begin
    for i in range(begin, end):
        if left[i] > 0:
            if to < i:
                left[to], origin[to] = left[i], origin[i]
                for a in range(codes.shape[0]):
                    codes[a, to] = codes[a, i]
                for s in range(values.shape[0]):
                    values[s, to] = values[s, i]
            to += 1
    left[to:end] = 0
    return to


@compiled
def cluster_parts(part, starts, limit, budget, entries, state, prices, near_by, scale, work, taken, filled, firsts):
    """Cluster parts from `part` on, with the first remaining record as seed; return the part to continue with.

    `firsts[filled[1]]` receives the start of each cluster in `taken`; it ends where the next begins.
    """
    codes, _, left, _ = entries
    while part < starts.size - 1 and budget >= 0:
        begin, end = starts[part], starts[part + 1]
        seed, gone = begin, 0
        while True:
            while seed < end and left[seed] == 0:
                seed += 1
            if seed == end:
                break
            if 4 * gone > end - seed:
                end, gone = compact(seed, end, entries), 0
            start(seed, entries, state, prices, near_by, taken, firsts, filled)
            if floor_of(state, scale, work[2]) <= limit:
                score_all(seed, end, codes, state, prices, work)
                extend(seed, end, MOST, limit, MOST, entries, state, prices, near_by, scale, work, taken, filled)
            gone += state[6][1]
            budget -= (end - seed) * state[6][1]
        part += 1
    return part


@compiled
def highest_score(begin, end, left, score):
    """Return the first of the entries with the highest score."""
    best, at = -1, -1
    for i in range(begin, end):
        if left[i] > 0 and score[i] > best:
            best, at = score[i], i
    return at


@compiled
def add_rows(end, codes, rows, score):
    """Compute the sum of the costs of each entry's codes, from one row of costs per attribute."""
    score[:end] = 0
    for a in range(codes.shape[0]):
        row = rows[a]
        for i in range(end):
            score[i] += row[codes[a, i]]


@compiled
def take_nearest(end, count, codes, left, score, taken):
    """Take `count` records of the entries with the lowest scores; return how many there were."""
    nothing, rows = np.zeros((0, 0), np.int32), np.zeros((0, 0), np.int32)
    filled, floor = 0, -1
    while filled < count:
        entry, floor = _cheapest(0, end, nothing, left, score, rows, floor)
        if entry < 0:
            break
        while left[entry] > 0 and filled < count:
            taken[filled] = entry
            left[entry] -= 1
            filled += 1
    return filled
