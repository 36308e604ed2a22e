"""Compiled kernels of queries: shares of regions that meet a condition, sums over records that meet several, and the
enumeration of large populations.

Conventions: a condition on a column has a bit for each code, in words of 64 bits; `at` is the index of its first word
(-1: no condition). If 64 queries are evaluated together, each is one bit of a word. Records form a tree with one level
per column: the `codes` of the nodes, level after level; the `first` node of each level; the index of each node's first
child on the next level (`child`, with one more entry per level); and the `total` of the records below each node.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled, count_bits, lowest_bit

ONE = np.uint64(1)
EVERY, HALVES = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0x00000000FFFFFFFF)
LOW, HALF = np.uint64(63), np.uint64(32)
STEP, MIX, REMIX = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))  # SplitMix64
QUERIES = 64  # evaluated together, one per bit of a word
TILE = 16  # conditions whose counts fit into the processor's cache together


def words(size):
    """Return the number of words of a condition on a column with `size` codes."""
    return (size + 63) // 64


@compiled
def _met(bits, at, code):
    """Return whether a code meets a condition."""
    return (bits[at + (code >> 6)] >> (np.uint64(code) & LOW)) & ONE != 0


@compiled
def in_runs(bits, at, size, low, high):
    """Count the codes of each run that meet each condition on a column of `size` codes: runs x conditions."""
    found = np.empty((low.size, at.size), dtype=np.int32)
    before = np.zeros(((size + 63) // 64 + 2, TILE), dtype=np.int32)  # matching codes in the preceding words
    for first in range(0, at.size, TILE):
        tile = min(TILE, at.size - first)
        for word in range((size + 63) // 64):
            for i in range(tile):
                before[word + 1, i] = before[word, i] + count_bits(bits[at[first + i] + word])
        for r in range(low.size):
            begin, end = np.int64(low[r]), np.int64(high[r]) + 1
            for i in range(tile):
                found[r, first + i] = before[end >> 6, i] - before[begin >> 6, i]
            if end & 63:
                mask = (ONE << (np.uint64(end) & LOW)) - ONE
                for i in range(tile):
                    found[r, first + i] += count_bits(bits[at[first + i] + (end >> 6)] & mask)
            if begin & 63:
                mask = (ONE << (np.uint64(begin) & LOW)) - ONE
                for i in range(tile):
                    found[r, first + i] -= count_bits(bits[at[first + i] + (begin >> 6)] & mask)
    return found


@compiled
def in_sets(bits, at, held):
    """Count the codes of each set (a row of bits) that meet each condition: sets x conditions."""
    found = np.empty((held.shape[0], at.size), dtype=np.int32)
    for i in range(at.size):
        for s in range(held.shape[0]):
            count = 0
            for word in range(held.shape[1]):
                count += count_bits(bits[at[i] + word] & held[s, word])
            found[s, i] = count
    return found


@compiled
def amounts(bits, at, low, high, amount, between):
    """Add up the amounts of the codes of each run that meet each condition, with the amounts between adjacent ones.

    `between[c]` is the amount between the codes c - 1 and c, which counts if both meet the condition.
    """
    found = np.empty((at.size, low.size), dtype=np.float64)
    before = np.zeros(amount.size + 1, dtype=np.float64)
    for i in range(at.size):
        was = False
        for c in range(amount.size):
            met = _met(bits, at[i], c)
            before[c + 1] = before[c] + (amount[c] if met else 0.0) + (between[c] if met and was else 0.0)
            was = met
        for r in range(low.size):
            first, last = low[r], high[r]
            if first == last:
                found[i, r] = amount[first] if _met(bits, at[i], first) else 0.0
                continue
            found[i, r] = before[last + 1] - before[first]
            if first > 0 and _met(bits, at[i], first) and _met(bits, at[i], first - 1):
                found[i, r] -= between[first]
    return found


@compiled
def extremes(bits, at, low, high, numbers):
    """Return the minimum and maximum number of the codes of each run that meet each condition; infinite if none
    does.
    """
    least, most = np.full((at.size, low.size), np.inf), np.full((at.size, low.size), -np.inf)
    for i in range(at.size):
        for r in range(low.size):
            for code in range(low[r], high[r] + 1):
                if _met(bits, at[i], code):
                    least[i, r], most[i, r] = min(least[i, r], numbers[code]), max(most[i, r], numbers[code])
    return least, most


@compiled
def across(bits, at, size, found):
    """Return for each code of a column the queries (up to 64, a bit each) that it meets; no condition is met by all."""
    square = np.empty(64, dtype=np.uint64)
    for word in range((size + 63) // 64):
        for i in range(64):
            square[i] = bits[at[i] + word] if i < at.size and at[i] >= 0 else EVERY
        _transpose(square)
        for code in range(64 * word, min(64 * word + 64, size)):
            found[code] = square[code & 63]


@compiled
def _transpose(square):
    """Transpose a 64 x 64 bit matrix (Warren, Hacker's Delight, 7-3)."""
    apart, mask = 32, HALVES
    while apart:
        shift = np.uint64(apart)
        i = 0
        while i < 64:
            other = ((square[i] >> shift) ^ square[i + apart]) & mask
            square[i] ^= other << shift
            square[i + apart] ^= other
            i = (i + apart + 1) & ~apart
        apart >>= 1
        mask ^= mask << np.uint64(apart)


@compiled
def of_groups(counts, shares):
    """Return the sum of shares over the people of each group: `counts` are groups x values, `shares` values x
    queries.
    """
    found = np.zeros((counts.shape[0], shares.shape[1]))
    for g in range(counts.shape[0]):
        for v in range(counts.shape[1]):
            count = counts[g, v]
            if count:
                for q in range(shares.shape[1]):
                    found[g, q] += count * shares[v, q]
    return found


@compiled
def sums(tree, last, queries, words, word_at, factors, factor_at, values, value_at, summed, cut):
    """Return for each of 64 queries (the bits of `queries`) the sum over records of the product of one factor per
    level.

    The factor of a level is 0 if the query's bit is not set in the word of the code (`words` from `word_at` on);
    otherwise the number in the row of the code (`factors` from `factor_at` on; -1: none), or the value of the code
    (`values` from `value_at` on) for the queries whose bits are set in `summed`. Levels after `last` have factor 1.
    With `cut` above 0, the product over the first `cut` levels is rounded: 1 from a half on, else 0.
    """
    every = tree[1][1]
    return _walk(tree, 0, every, last, queries, words, word_at, factors, factor_at, values, value_at, summed, cut)


@compiled
def in_groups(tree, last, queries, words, word_at, groups):
    """Count for each of 64 queries the records of each group (a code of the first level) with its bit in all words."""
    codes, first = tree[:2]
    found, none, nowhere = np.zeros((groups, 64)), np.zeros((0, 64)), np.full(last + 1, -1)
    unsummed = np.zeros(last + 1, np.uint64)
    for i in range(first[1]):
        found[codes[i]] = _walk(
            tree, i, i + 1, last, queries, words, word_at, none, nowhere, none[:, 0], nowhere, unsummed, 0
        )
    return found


@compiled
def _walk(tree, begin, end, last, queries, words, word_at, factors, factor_at, values, value_at, summed, cut):
    """Return the sums of the records below some nodes of the first level."""
    codes, first, child, total = tree
    found, weights = np.zeros(64), np.ones((last + 1, 64))
    node, until, live = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64), np.zeros(last + 1, np.uint64)
    own = np.zeros(last + 1, np.int64)  # the row of weights that applies on each level
    level, node[0], until[0], live[0] = 0, begin, end, queries
    while level >= 0:
        if level == last:
            here_on, behind, row = first[level] + node[level], first[level] + until[level], weights[own[level]]
            if summed[level] or factor_at[level] >= 0:
                for i in range(here_on, behind):
                    here = live[level] & words[word_at[level] + codes[i]]
                    if here:
                        number = values[value_at[level] + codes[i]] if summed[level] else 1.0
                        at = factor_at[level] + codes[i] if factor_at[level] >= 0 else -1
                        _count_in(found, here, total[i], row, factors, at, summed[level], number)
            else:
                every = words[word_at[level] :]
                for i in range(here_on, behind):
                    here, amount = live[level] & every[codes[i]], total[i]
                    while here:
                        q = lowest_bit(here)
                        found[q] += amount * row[q]
                        here &= here - ONE
            level -= 1
            continue
        if node[level] == until[level]:
            level -= 1
            continue
        code, below = codes[first[level] + node[level]], first[level] + level + node[level]
        here = live[level] & words[word_at[level] + code]
        node[level] += 1
        if not here:
            continue
        own[level + 1] = own[level]
        if factor_at[level] >= 0 or summed[level]:
            own[level + 1] = level + 1
            number = values[value_at[level] + code] if summed[level] else 1.0
            at = factor_at[level] + code if factor_at[level] >= 0 else -1
            _weigh(weights[own[level]], weights[level + 1], factors, at, summed[level], number)
        if level + 1 == cut:
            for q in range(64):
                if weights[own[level + 1], q] < 0.5:
                    here &= ~(ONE << np.uint64(q))
            own[level + 1] = 0
        level += 1
        node[level], until[level], live[level] = child[below], child[below + 1], here
    return found


@compiled
def _weigh(before, after, factors, at, summed, number):
    """Multiply the weight of records in each query by the factor of one level."""
    if at >= 0:
        for q in range(64):
            after[q] = before[q] * factors[at, q]
    else:
        for q in range(64):
            after[q] = before[q] * (number if summed >> np.uint64(q) & ONE else 1.0)


@compiled
def _count_in(found, here, amount, weights, factors, at, summed, number):
    """Add a weighted amount to the sum of each query whose bit is set."""
    if at >= 0:
        for q in range(64):
            found[q] += amount * weights[q] * factors[at, q] if here >> np.uint64(q) & ONE else 0.0
        return
    while here:
        q = lowest_bit(here)
        found[q] += amount * weights[q] * (number if summed >> np.uint64(q) & ONE else 1.0)
        here &= here - ONE


@compiled
def _mixed(state):
    """Return the output of SplitMix64 for a state (Steele, Lea & Flood 2014)."""
    x = (state ^ (state >> np.uint64(30))) * MIX
    x = (x ^ (x >> np.uint64(27))) * REMIX
    return x ^ (x >> np.uint64(31))


@compiled
def draw(bits, at, seeds, order, count):
    """Set `count` random bits of each condition, all choices equally likely; bit i belongs to code order[i].

    Selection sampling: each bit is set with its conditional probability given the previous ones. The random numbers are
    those of SplitMix64, which do not depend on the version of a library.
    """
    size, plain = order.size, True
    for i in range(size):
        plain &= order[i] == i
    for q in range(at.size):
        state, needed = seeds[q], np.uint64(count)
        for first in range(0, size, 64):
            word = np.uint64(0)
            for i in range(first, min(first + 64, size)):
                state += STEP
                chance = ((_mixed(state) >> HALF) * np.uint64(size - i)) >> HALF
                taken = np.uint64(chance < needed)  # branch-free
                word |= taken << np.uint64(i - first)
                needed -= taken
            if plain:
                bits[at[q] + (first >> 6)] = word
                continue
            while word:
                code = order[first + lowest_bit(word)]
                bits[at[q] + (code >> 6)] |= ONE << (np.uint64(code) & LOW)
                word &= word - ONE


# Large populations: conditions that enough records satisfy, and true sensitive counts.


@compiled
def _gather(cells, weights, after, records, touched):
    """Add up the weights of cells that are equal `after` an axis is removed; list the cells in `touched`, return their
    count."""
    count = 0
    for i in range(cells.size):
        cell = after[cells[i]]
        if records[cell] == 0:
            touched[count] = cell
            count += 1
        records[cell] += weights[i]
    return count


@compiled
def _arrange(touched, records, code, cells, weights, begin, total):
    """Put gathered cells in the order of their codes; code c begins at `begin[c]`, and `total[c]` records before it."""
    begin[:] = 0
    total[:] = 0
    for cell in touched:
        begin[code[cell] + 1] += 1
        total[code[cell] + 1] += records[cell]
    for c in range(1, begin.size):
        begin[c] += begin[c - 1]
        total[c] += total[c - 1]
    for cell in touched:
        place = begin[code[cell]]
        cells[place], weights[place] = cell, records[cell]
        begin[code[cell]] += 1
        records[cell] = 0
    for c in range(begin.size - 1, 0, -1):  # they have moved on by one code meanwhile
        begin[c] = begin[c - 1]
    begin[0] = 0


@compiled
def _chance(index):
    """Return a pseudorandom number from 0 to 1 for each population, always the same."""
    return (_mixed((np.uint64(index) + np.uint64(1)) * STEP) >> np.uint64(11)) * 2.0**-53


@compiled
def descend(trie, frames, state, found, needed, limit, most):
    """Walk all conjunctions of at most one run per axis with `needed` records; list those with a chance up to `limit`.

    The walk pauses after about `most` steps, when the lists are full, or at its end (depth -1), and goes on from
    its `state`: the depth, how many there were, how many are listed. The cells of axis a are the entries `first[a]` to
    `first[a + 1]` of `code` and `after`, the cell of the axis below that each belongs to; `value` is what the last ones
    hold, a row a sensitive column. Run 0 of an axis is the whole of it.
    """
    first, code, after, first_code, first_run, runs, value, offset = trie
    cells, weights, begin, total, choice, records, touched = frames
    paths, support, truth, chances = found
    depth, index, listed = state
    last, work = first_run.size - 2, 0
    while depth >= 0 and listed < support.size and work < most:
        run, codes = first_run[depth] + choice[depth], first_code[depth]
        if run == first_run[depth + 1]:
            depth -= 1
            continue
        choice[depth] += 1
        work += 1
        low, high = codes + runs[run, 0], codes + runs[run, 1] + 1
        if total[high] - total[low] < needed:
            continue
        here = slice(first[depth] + begin[low], first[depth] + begin[high])
        if depth < last:
            into = after[first[depth] : first[depth + 1]]
            count = _gather(cells[here], weights[here], into, records, touched)
            depth += 1
            nodes, coded = slice(first[depth], first[depth + 1]), slice(first_code[depth], first_code[depth + 1])
            _arrange(touched[:count], records, code[nodes], cells[nodes], weights[nodes], begin[coded], total[coded])
            choice[depth] = 0
            work += here.stop - here.start + count + coded.stop - coded.start
            continue
        if choice.max() == 1:  # no condition on any axis
            continue
        chance = _chance(index)
        index += 1
        if chance <= limit:
            paths[listed], support[listed], chances[listed] = choice - 1, total[high] - total[low], chance
            truth[listed] = 0
            for i in range(here.start, here.stop):
                cell = after[first[depth] + cells[i]]
                for s in range(value.shape[0]):
                    truth[listed, offset[s] + value[s, cell]] += weights[i]
            work += here.stop - here.start
            listed += 1
    state[0], state[1], state[2] = depth, index, listed
