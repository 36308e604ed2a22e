"""The compiled kernels that find the cheapest cluster for a record, in a tree of regions, and put the record in.

Items are the clusters, in the order of the tree, and behind them the nodes above: the last is that of all. What an item
shows is kept attribute by attribute, so that many items are looked at in one go: `low` and `high` are the prices at its
ends (WIDTH), `node` the nodes that it lies in, from row `first[a]` on by level and -1 where it lies in none (NODES),
`held` which codes it has, from row `first[a]` on (VALUES). `gain` is what one more record of a value adds for
protection, and of a node the least of its clusters; `number` that of a cluster, or the least. For the rest see
`cluster_kernels`.
"""

from __future__ import annotations

import numpy as np

from workbench.base.cluster_kernels import NODES, WIDTH
from workbench.base.compiled import compiled

FARTHEST = 2**62


@compiled
def join(item, code, shown, prices, first, depth):
    """One record more in what an item shows; what a cluster then pays for its attributes."""
    low, high, node, held = shown
    kind, _, at, price, place = prices
    paid = 0
    for a in range(code.size):
        x = code[a]
        if kind[a] == WIDTH:
            low[a, item] = min(low[a, item], price[place[a, 0] + x])
            high[a, item] = max(high[a, item], price[place[a, 0] + x])
            paid += high[a, item] - low[a, item]
        elif kind[a] == NODES:
            cost = -1
            for level in range(depth[a]):
                of = at[place[a, level] + x]
                if high[a, item] < 0:  # nothing is in it yet
                    node[first[a] + level, item] = of
                elif node[first[a] + level, item] != of:
                    node[first[a] + level, item] = -1
                if cost < 0 and node[first[a] + level, item] >= 0:
                    cost = price[place[a, level] + x]
            high[a, item] = cost
            paid += cost
        else:
            held[first[a] + x, item] = True
            for row in range(first[a], first[a] + depth[a]):
                paid += held[row, item] * (price[place[a, 0] + 2] - price[place[a, 0] + 1])
    return paid


@compiled
def take(item, code, value, shown, prices, near_by, first, depth, sums, size, paid):
    """One record more in a cluster."""
    near, pairs = sums
    paid[item] = join(item, code, shown, prices, first, depth)
    size[item] += 1
    for s in range(value.size):
        pairs[item, s] += 2 * near[item, s, value[s]] + 1
        for v in range(near.shape[2]):
            near[item, s, v] += near_by[s, value[s], v]


@compiled
def find_gain(item, scale, each, gain, sums, size):
    """What one more record of each value adds to what a cluster pays for protection, `each` of its records or once."""
    near, pairs = sums
    n = size[item]
    for s in range(near.shape[1]):
        now = round(scale[s] * pairs[item, s] / n**2)
        for v in range(near.shape[2]):
            then = round(scale[s] * (pairs[item, s] + 2 * near[item, s, v] + 1) / (n + 1) ** 2)
            gain[s, v, item] = (n + 1) * then - n * now if each else then - now


@compiled
def gather(taken, begins, codes, values, shown, prices, near_by, scale, first, depth, each, gain, sums, size, paid):
    """Fill in the clusters: cluster c holds entries `taken[begins[c]:begins[c + 1]]`."""
    for c in range(begins.size - 1):
        for t in range(begins[c], begins[c + 1]):
            code, value = codes[:, taken[t]], values[:, taken[t]]
            take(c, code, value, shown, prices, near_by, first, depth, sums, size, paid)
        find_gain(c, scale, each, gain, sums, size)


@compiled
def gather_nodes(child, clusters, shown, prices, first, depth, gain, number):
    """Fill in the nodes from what is below them."""
    low, high, node, held = shown
    for i in range(child.shape[0]):
        item, begin, end = clusters + i, child[i, 0], child[i, 1]
        number[item] = number[begin:end].min()
        for a in range(low.shape[0]):
            low[a, item], high[a, item] = low[a, begin:end].min(), high[a, begin:end].max()
        for row in range(node.shape[0]):
            same = (node[row, begin:end] == node[row, begin]).all()
            node[row, item] = node[row, begin] if same else -1
        for row in range(held.shape[0]):
            held[row, item] = held[row, begin:end].any()
        least_gain(item, begin, end, gain)


@compiled
def least_gain(item, begin, end, gain):
    """The least gain below a node."""
    for s in range(gain.shape[0]):
        for v in range(gain.shape[1]):
            least = gain[s, v, begin]
            for i in range(begin + 1, end):
                least = min(least, gain[s, v, i])
            gain[s, v, item] = least


@compiled
def _rises(begin, end, code, shown, prices, first, depth, rise, cost):
    """What one more record adds to what each item from `begin` to `end` pays for its attributes."""
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
def _cheapest(code, value, shown, prices, first, depth, each, child, clusters, gain, number, size, paid, aside):
    """The cluster that a record makes dearer by the least, the first by number of those; how many items were seen."""
    rise, cost, stack, bounds = aside
    best, at, looked, filled = FARTHEST, -1, 0, 1
    stack[0], bounds[0] = clusters + child.shape[0] - 1, -FARTHEST
    while filled:
        filled -= 1
        item, bound = stack[filled], bounds[filled]
        if bound > best or (bound == best and number[item] > number[at]):
            continue
        begin, end = child[item - clusters, 0], child[item - clusters, 1]
        looked += end - begin
        _rises(begin, end, code, shown, prices, first, depth, rise, cost)
        if each and begin < clusters:
            for i in range(end - begin):
                rise[i] = rise[i] * (size[begin + i] + 1) + paid[begin + i]
        for s in range(value.size):
            gains = gain[s, value[s], begin:end]
            for i in range(end - begin):
                rise[i] += gains[i]
        bottom = filled
        for i in range(end - begin):
            if rise[i] > best:
                continue
            if begin < clusters:
                if rise[i] < best or number[begin + i] < number[at]:
                    best, at = rise[i], begin + i
                continue
            j = filled
            while j > bottom and bounds[j - 1] < rise[i]:  # the nearest on top
                stack[j], bounds[j] = stack[j - 1], bounds[j - 1]
                j -= 1
            stack[j], bounds[j] = begin + i, rise[i]
            filled += 1
    return at, looked


@compiled
def place(
    i, budget, taken, codes, values, shown, prices, near_by, scale, first, depth, each, child, parent, gain, number,
    sums, size, paid, chosen,
):  # fmt: skip
    """Put each record of `taken[i:]` in turn into its cheapest cluster; `chosen` gets its number. Where to go on."""
    clusters, widest = size.size, 1
    for node in range(child.shape[0]):
        widest = max(widest, child[node, 1] - child[node, 0])
    aside = (
        np.empty(widest, np.int64), np.empty(widest, np.int64),
        np.empty(40 * widest, np.int64), np.empty(40 * widest, np.int64),
    )  # fmt: skip
    code, value = np.empty(codes.shape[0], codes.dtype), np.empty(values.shape[0], values.dtype)
    while i < taken.size and budget >= 0:
        code[:], value[:] = codes[:, taken[i]], values[:, taken[i]]
        c, looked = _cheapest(
            code, value, shown, prices, first, depth, each, child, clusters, gain, number, size, paid, aside
        )
        chosen[i] = number[c]
        take(c, code, value, shown, prices, near_by, first, depth, sums, size, paid)
        find_gain(c, scale, each, gain, sums, size)
        item = parent[c]
        while item >= 0:
            join(item, code, shown, prices, first, depth)
            least_gain(item, child[item - clusters, 0], child[item - clusters, 1], gain)
            item = parent[item]
        budget -= looked
        i += 1
    return i
