"""Compiled kernels that find the cheapest nearby cluster for a record, and add the record to it.

Clusters are ordered so that near ones are adjacent; a block of them is searched at once, so their regions are stored
attribute by attribute: `low` and `high` are the prices at the ends (WIDTH); `node` the nodes that contain the cluster,
from row `first[a]` on by level and -1 if none does, `high` the price (NODES); `held` its codes, from row `first[a]` on
(VALUES). `gain` is what one more record of a value adds for protection to the price of all records of a cluster; `size`
and `paid` are its number of records and its price for attributes. For the rest see `cluster_kernels`.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled
from workbench.methods.clustering.cluster_kernels import NODES, WIDTH

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
def _cheapest(begin, end, code, value, shown, prices, first, depth, gain, size, paid, rise, cost, added):
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
            there = 0
            for c in range(begin, end):
                there += paid[c] < GONE
            if there == 1 or (size[own] >= floor and chosen[last[own]] != -1):
                i += 1
                continue
            paid[own], gain[:, :, own] = GONE, 0
        while head[own] >= 0 and budget >= 0:
            t = head[own]
            code[:], value[:] = codes[:, taken[t]], values[:, taken[t]]
            c = _cheapest(begin, end, code, value, shown, prices, first, depth, gain, size, paid, rise, cost, added)
            head[own] = following[t]
            following[last[c]], following[t], last[c], chosen[t], came[t] = t, -1, t, c, now
            now += 1
            take(c, code, value, shown, prices, near_by, first, depth, sums, size, paid)
            find_gain(c, scale, gain, sums, size)
            budget -= end - begin
        i += head[own] < 0
    return i
