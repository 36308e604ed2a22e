"""Compiled kernels of clusterings: they grow clusters record by record, and place single records into clusters."""

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
    """Add the cheapest records to the open cluster until it has `until` records or the next costs more than `limit`.

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


# Compiled kernels that find the cheapest nearby cluster for a record, and add the record to it.
#
# Clusters are ordered so that near ones are adjacent; a block of them is searched at once, so their regions are stored
# attribute by attribute: `low` and `high` are the prices at the ends (WIDTH); `node` the nodes that contain the
# cluster, from row `first[a]` on by level and -1 if none does, `high` the price (NODES); `held` its codes, from row
# `first[a]` on (VALUES). `gain` is what one more record of a value adds for protection to the price of all records of a
# cluster; `size` and `paid` are its number of records and its price for attributes. For the rest see `kernels`.

GONE = 2**61  # the price of a dissolved cluster: more than any other


@compiled
def join(c, code, shown, prices, first, depth):
    """Add a record to the region of a cluster; return the cluster's new price for its attributes."""
    low, high, node, held = shown
    kind, _, at, price, place = prices
    paid = 0
    for a in range(code.size):
        x = code[a]
        if kind[a] == WIDTH:
            low[a, c] = min(low[a, c], price[place[a, 0] + x])
            high[a, c] = max(high[a, c], price[place[a, 0] + x])
            paid += high[a, c] - low[a, c]
        elif kind[a] == NODES:
            cost = -1
            for level in range(depth[a]):
                of = at[place[a, level] + x]
                if high[a, c] < 0:  # still empty
                    node[first[a] + level, c] = of
                elif node[first[a] + level, c] != of:
                    node[first[a] + level, c] = -1
                if cost < 0 and node[first[a] + level, c] >= 0:
                    cost = price[place[a, level] + x]
            high[a, c] = cost
            paid += cost
        else:
            held[first[a] + x, c] = True
            for row in range(first[a], first[a] + depth[a]):
                paid += held[row, c] * (price[place[a, 0] + 2] - price[place[a, 0] + 1])
    return paid


@compiled
def take(c, code, value, shown, prices, near_by, first, depth, sums, size, paid):
    """Add a record to a cluster."""
    near, pairs = sums
    paid[c] = join(c, code, shown, prices, first, depth)
    size[c] += 1
    for s in range(value.size):
        pairs[c, s] += 2 * near[c, s, value[s]] + 1
        for v in range(near.shape[2]):
            near[c, s, v] += near_by[s, value[s], v]


@compiled
def find_gain(c, scale, gain, sums, size):
    """Compute what one more record of each value adds to the protection price of all records of a cluster."""
    near, pairs = sums
    n = size[c]
    for s in range(near.shape[1]):
        now = round(scale[s] * pairs[c, s] / n**2)
        for v in range(near.shape[2]):
            then = round(scale[s] * (pairs[c, s] + 2 * near[c, s, v] + 1) / (n + 1) ** 2)
            gain[s, v, c] = (n + 1) * then - n * now


@compiled
def gather(taken, begins, codes, values, shown, prices, near_by, scale, first, depth, gain, sums, size, paid, links):
    """Fill the clusters: cluster c has entries `taken[begins[c]:begins[c + 1]]`, each linked to the next."""
    head, following, last = links
    for c in range(begins.size - 1):
        for t in range(begins[c], begins[c + 1]):
            code, value = codes[:, taken[t]], values[:, taken[t]]
            take(c, code, value, shown, prices, near_by, first, depth, sums, size, paid)
            following[t] = t + 1
        find_gain(c, scale, gain, sums, size)
        head[c], last[c] = begins[c], begins[c + 1] - 1
        following[last[c]] = -1


@compiled
def _rises(begin, end, code, shown, prices, first, depth, rise, cost):
    """Compute what one more record adds to the attribute price of each cluster from `begin` to `end`."""
    low, high, node, held = shown
    kind, _, at, price, place = prices
    count = end - begin
    rise[:count] = 0
    for a in range(code.size):
        x = code[a]
        if kind[a] == WIDTH:
            here, lows, highs = price[place[a, 0] + x], low[a, begin:end], high[a, begin:end]
            for i in range(count):
                rise[i] += max(here - highs[i], 0) + max(lows[i] - here, 0)
        elif kind[a] == NODES:
            top = depth[a] - 1
            cost[:count] = price[place[a, top] + x]
            for level in range(top - 1, -1, -1):
                of, pays = at[place[a, level] + x], price[place[a, level] + x]
                nodes = node[first[a] + level, begin:end]
                for i in range(count):
                    cost[i] = pays if nodes[i] == of else cost[i]
            own = high[a, begin:end]
            for i in range(count):
                rise[i] += max(cost[i] - own[i], 0)
        else:
            one_more, has = price[place[a, 0] + 2] - price[place[a, 0] + 1], held[first[a] + x, begin:end]
            for i in range(count):
                rise[i] += 0 if has[i] else one_more


@compiled
def _cheapest_cluster(begin, end, code, value, shown, prices, first, depth, gain, size, paid, rise, cost, added):
    """Return the first cluster from `begin` to `end` whose total price rises least with the record."""
    _rises(begin, end, code, shown, prices, first, depth, rise, cost)
    least, count = GONE, end - begin
    sizes, pays = size[begin:end], paid[begin:end]
    for i in range(count):
        added[i] = rise[i] * (sizes[i] + 1) + pays[i]
    for s in range(value.size):
        gains = gain[s, value[s], begin:end]
        for i in range(count):
            added[i] += gains[i]
    for i in range(count):
        least = min(least, added[i])
    at = 0
    while added[at] != least:
        at += 1
    return begin + at


@compiled
def dissolve(
    i, budget, order, floor, blocks, taken, links, codes, values, shown, prices, near_by, scale, first, depth, gain,
    sums, size, paid, chosen, came,
):  # fmt: skip
    """Move the records of each cluster of `order[i:]` to the cheapest other one of its block; return where to continue.

    A cluster is skipped if it has `floor` records and has received one, or is the last of its block. `chosen[t]`
    receives the cluster of record t, which is one of entry `taken[t]`, and `came[t]` the time of its move, later than
    all before. `head` is the next record of the cluster that is being dissolved.
    """
    (head, following, last), now = links, came.max() + 1
    widest = (blocks[1:] - blocks[:-1]).max()
    rise, cost, added = np.empty(widest, np.int32), np.empty(widest, np.int32), np.empty(widest, np.int64)
    code, value = np.empty(codes.shape[0], codes.dtype), np.empty(values.shape[0], values.dtype)
    while i < order.size and budget >= 0:
        own = order[i]
        block = np.searchsorted(blocks, own, side="right") - 1
        begin, end = blocks[block], blocks[block + 1]
        if paid[own] < GONE:
            remaining = 0
            for c in range(begin, end):
                remaining += paid[c] < GONE
            if remaining == 1 or (size[own] >= floor and chosen[last[own]] != -1):
                i += 1
                continue
            paid[own], gain[:, :, own] = GONE, 0
        while head[own] >= 0 and budget >= 0:
            t = head[own]
            code[:], value[:] = codes[:, taken[t]], values[:, taken[t]]
            c = _cheapest_cluster(
                begin, end, code, value, shown, prices, first, depth, gain, size, paid, rise, cost, added
            )
            head[own] = following[t]
            following[last[c]], following[t], last[c], chosen[t], came[t] = t, -1, t, c, now
            now += 1
            take(c, code, value, shown, prices, near_by, first, depth, sums, size, paid)
            find_gain(c, scale, gain, sums, size)
            budget -= end - begin
        i += head[own] < 0
    return i
