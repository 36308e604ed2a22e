"""The compiled kernels of queries: what regions have of a condition, and sums over records that meet several.

Conventions: a condition on a column is a bit for each of its codes, in words of 64, and `at` is the number of its first
word (-1: no condition). Records are a tree, a level a column: `codes` of the nodes, level after level, `first` node of
each level, where among the next level's the children of each begin (`child`, one entry more a level), and the `total`
of the records below each.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.progress import step

STEPS = 20_000_000  # of a long sum, between two looks at who waits for it
ODD, PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
NIBBLES, BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
ONE, TWO, FOUR, TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
LOW, STEP = np.uint64(63), np.uint64(0x9E3779B97F4A7C15)
MIX, REMIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
HALF = np.uint64(32)


def words(size):
    """How many words a condition on a column of so many codes takes."""
    return (size + 63) // 64


@compiled
def _ones(word):
    """How many bits are set."""
    word -= (word >> ONE) & ODD
    word = (word & PAIRS) + ((word >> TWO) & PAIRS)
    return np.int64((((word + (word >> FOUR)) & NIBBLES) * BYTES) >> TOP)


@compiled
def _met(bits, at, code):
    """Whether a code meets a condition."""
    return (bits[at + (code >> 6)] >> (np.uint64(code) & LOW)) & ONE != 0


@compiled
def in_runs(bits, at, size, low, high):
    """How many codes of each run meet each condition on a column of `size` codes: conditions x runs."""
    found = np.empty((at.size, low.size), dtype=np.int32)
    before = np.zeros((size + 63) // 64 + 2, dtype=np.int32)  # codes that meet it in the words before this one
    for i in range(at.size):
        for word in range((size + 63) // 64):
            before[word + 1] = before[word] + _ones(bits[at[i] + word])
        for r in range(low.size):
            begin, end = np.int64(low[r]), np.int64(high[r]) + 1
            count = before[end >> 6] - before[begin >> 6]
            if end & 63:
                count += _ones(bits[at[i] + (end >> 6)] & ((ONE << (np.uint64(end) & LOW)) - ONE))
            if begin & 63:
                count -= _ones(bits[at[i] + (begin >> 6)] & ((ONE << (np.uint64(begin) & LOW)) - ONE))
            found[i, r] = count
    return found


@compiled
def in_sets(bits, at, held):
    """How many codes of each set (a row of bits) meet each condition: conditions x sets."""
    found = np.empty((at.size, held.shape[0]), dtype=np.int32)
    for i in range(at.size):
        for s in range(held.shape[0]):
            count = 0
            for word in range(held.shape[1]):
                count += _ones(bits[at[i] + word] & held[s, word])
            found[i, s] = count
    return found


@compiled
def amounts(bits, at, low, high, amount, between):
    """What the codes of each run that meet each condition amount to, with what lies between two of them that do.

    `between[c]` is what lies between the codes c - 1 and c: it belongs to a condition that both of them meet.
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
    """The least and the greatest number of the codes of each run that meet each condition; where none does, of none."""
    least, most = np.full((at.size, low.size), np.inf), np.full((at.size, low.size), -np.inf)
    for i in range(at.size):
        for r in range(low.size):
            for code in range(low[r], high[r] + 1):
                if _met(bits, at[i], code):
                    least[i, r], most[i, r] = min(least[i, r], numbers[code]), max(most[i, r], numbers[code])
    return least, most


def sums(tree, at, of, bits, tables, table_at, values, value_at):
    """For each query the sum over the records of their factors, one for each level that it asks about (`at` >= 0).

    The factor of a level is a row of `tables` from column `table_at` on, or where that is -1 whether the bits are set,
    times the number of the code on level `of` (-1: none), in `values` from `value_at` on.
    """
    found, (spans, weights) = np.zeros(len(at)), _room(tree)
    factors, done = (at, of, bits, tables, table_at, values, value_at), 0
    while done < len(at):
        done = _sums(done, STEPS, found, spans, weights, tree, factors)
        step()
    return found


def dealt(tree, at, bits, fewest, room):
    """The least and the most records that meet each query, whose last level are buckets: of a bucket with n records
    that meet the conditions on all other levels at least n + `fewest`, and at most n and its `room`."""
    nothing, none = np.empty((len(at), 0)), np.full(at.shape[1], -1)
    factors, done = (at, np.full(len(at), -1), bits, nothing, none, np.empty(0), none), 0
    (spans, weights), people = _room(tree), np.zeros(fewest.shape[1])
    least, most = np.zeros(len(at)), np.zeros(len(at))
    while done < len(at):
        done = _dealt(done, STEPS, least, most, people, spans, weights, tree, factors, fewest, room)
        step()
    return least, most


def _room(tree):
    """Room for the nodes of a level that are reached, in runs of neighbours, and what each run counts; twice."""
    most = int(np.diff(tree[1]).max(initial=0)) + 1
    return np.empty((2, 2, most), np.int64), np.empty((2, most))


@compiled
def _descend(q, until, spans, weights, tree, factors):
    """The nodes of level `until` that a query reaches: in which half of the room they are, how many runs, the work."""
    codes, first, child, _ = tree
    at, of, bits, tables, table_at, values, value_at = factors
    spans[0, 0, 0], spans[0, 1, 0], weights[0, 0], there, work = 0, first[1], 1.0, 1, 1
    for level in range(until):
        now, then, here, there = level % 2, 1 - level % 2, there, 0
        below = first[level] + level
        work += here
        if at[q, level] < 0:
            for i in range(here):
                spans[then, 0, i] = child[below + spans[now, 0, i]]
                spans[then, 1, i] = child[below + spans[now, 1, i]]
                weights[then, i] = weights[now, i]
            there = here
            continue
        start, table, value = at[q, level], table_at[level], value_at[level] if of[q] == level else -1
        for i in range(here):
            weight = weights[now, i]
            work += spans[now, 1, i] - spans[now, 0, i]
            for node in range(spans[now, 0, i], spans[now, 1, i]):
                code, factor = codes[first[level] + node], weight
                if table >= 0:
                    factor *= tables[q, table + code]
                    if factor == 0.0:
                        continue
                elif not _met(bits, start, code):
                    continue
                if value >= 0:
                    factor *= values[value + code]
                begin, end = child[below + node], child[below + node + 1]
                if there and spans[then, 1, there - 1] == begin and weights[then, there - 1] == factor:
                    spans[then, 1, there - 1] = end
                else:
                    spans[then, 0, there], spans[then, 1, there], weights[then, there] = begin, end, factor
                    there += 1
    return until % 2, there, work


@compiled
def _sums(q, most, found, spans, weights, tree, factors):
    codes, first, _, total = tree
    at, of, bits, tables, table_at, values, value_at = factors
    work = 0
    while q < at.shape[0] and work < most:
        last = 0
        for level in range(at.shape[1]):
            if at[q, level] >= 0:
                last = level
        now, there, steps = _descend(q, last, spans, weights, tree, factors)
        start, table, value = at[q, last], table_at[last], value_at[last] if of[q] == last else -1
        answer = 0.0
        for i in range(there):
            weight = weights[now, i]
            work += spans[now, 1, i] - spans[now, 0, i]
            for node in range(first[last] + spans[now, 0, i], first[last] + spans[now, 1, i]):
                factor = weight * total[node]
                if start >= 0:
                    if table >= 0:
                        factor *= tables[q, table + codes[node]]
                    elif not _met(bits, start, codes[node]):
                        continue
                    if value >= 0:
                        factor *= values[value + codes[node]]
                answer += factor
        found[q] = answer
        q += 1
        work += steps
    return q


@compiled
def _dealt(q, steps, least, most, people, spans, weights, tree, factors, fewest, room):
    codes, first, _, total = tree
    buckets, work = factors[0].shape[1] - 1, 0
    touched = np.empty(people.size, dtype=np.int64)
    while q < least.size and work < steps:
        now, there, more = _descend(q, buckets, spans, weights, tree, factors)
        met = 0
        for i in range(there):
            work += spans[now, 1, i] - spans[now, 0, i]
            for node in range(first[buckets] + spans[now, 0, i], first[buckets] + spans[now, 1, i]):
                bucket = codes[node]
                if people[bucket] == 0:
                    touched[met] = bucket
                    met += 1
                people[bucket] += total[node]
        for i in range(met):
            bucket = touched[i]
            least[q] += max(0.0, people[bucket] + fewest[q, bucket])
            most[q] += min(people[bucket], room[q, bucket])
            people[bucket] = 0
        q += 1
        work += more
    return q


@compiled
def draw(bits, at, seeds, order, count):
    """Set `count` bits of each condition at random, every choice as likely as any other; bit i is that of order[i].

    The numbers are those of SplitMix64 (Steele, Lea & Flood 2014): the same in every version of every library.
    """
    for i in range(at.size):
        state, needed = seeds[i], np.uint64(count)
        for c in range(order.size):
            if needed == 0:
                break
            state += STEP
            mixed = (state ^ (state >> np.uint64(30))) * MIX
            mixed = (mixed ^ (mixed >> np.uint64(27))) * REMIX
            chance = (((mixed ^ (mixed >> np.uint64(31))) >> HALF) * np.uint64(order.size - c)) >> HALF
            if chance < needed:
                code = order[c]
                bits[at[i] + (code >> 6)] |= ONE << (np.uint64(code) & LOW)
                needed -= ONE
