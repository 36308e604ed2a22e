"""The compiled kernels of queries compared with naive counting by code and by record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.queries import kernels
from workbench.queries.exact import Conditions, Tree, pack

seeds = st.integers(0, 10_000)
sizes = st.sampled_from([1, 3, 63, 64, 65, 128, 200])


def conditions(rng, size, count=20):
    met = rng.random((count, size)) < rng.choice([0.02, 0.5, 0.98], (count, 1))
    return met, Conditions.packed([{"a": row} for row in met])


@examples(60)
@given(seeds, sizes)
def test_codes_of_runs_are_counted(seed, size):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size)
    low, high = np.sort(rng.integers(0, size, (2, 9)), axis=0).astype(np.int32)
    found = kernels.in_runs(packed.bits, packed.at[:, 0], size, low, high)
    assert found.T.tolist() == [[int(row[a : b + 1].sum()) for a, b in zip(low, high, strict=True)] for row in met]


@examples(40)
@given(seeds, sizes)
def test_codes_of_sets_are_counted(seed, size):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size)
    held = rng.random((7, size)) < 0.5
    found = kernels.in_sets(packed.bits, packed.at[:, 0], pack(held))
    assert found.T.tolist() == [[int((row & one).sum()) for one in held] for row in met]


@examples(60)
@given(seeds, st.sampled_from([1, 5, 64, 70]))
def test_gaps_between_two_matching_codes_match(seed, size):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size)
    amount, between = rng.integers(-3, 9, (2, size)).astype(float)
    low, high = np.sort(rng.integers(0, size, (2, 9)), axis=0).astype(np.int32)
    found = kernels.amounts(packed.bits, packed.at[:, 0], low, high, amount, between)
    least, most = kernels.extremes(packed.bits, packed.at[:, 0], low, high, amount)
    for q, row in enumerate(met):
        for r, (a, b) in enumerate(zip(low, high, strict=True)):
            inside = [amount[c] for c in range(a, b + 1) if row[c]]
            gaps = sum(between[c] for c in range(a + 1, b + 1) if row[c] and row[c - 1])
            assert found[q, r] == pytest.approx(sum(inside) + gaps)
            assert (least[q, r], most[q, r]) == (min(inside, default=np.inf), max(inside, default=-np.inf))


@examples(40)
@given(seeds, sizes, st.integers(1, 64))
def test_the_word_of_each_code_has_bits_for_its_possible_queries(seed, size, count):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size, count)
    asked = rng.random(count) < 0.7
    found = np.zeros(size, np.uint64)
    kernels.across(packed.bits, np.where(asked, packed.at[:, 0], -1), size, found)
    for code in range(size):
        for q in range(count):
            assert (int(found[code]) >> q) & 1 == (not asked[q] or met[q, code])


@examples(60)
@given(seeds, st.integers(0, 2), st.booleans())
def test_sums_are_over_the_products_of_factors(seed, last, cut):
    """Three levels: words, a table of factors, words times numbers."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [[3], [5], [7]], (3, 50)).astype(np.int32)
    amount, cut = rng.integers(1, 4, 50).astype(float), 2 * (cut and last == 2)
    tree = Tree.from_columns(list(codes), amount)
    flags = rng.random((15, 64)) < 0.6
    factors, numbers = rng.choice([0.25, 1.0, -2.0], (5, 64)), rng.normal(size=7)
    of, queries = rng.random(64) < 0.5, rng.random(64) < 0.8
    found = kernels.sums(
        tuple(tree),
        last,
        pack(queries)[0],
        pack(flags)[:, 0],
        np.array([0, 3, 8]),
        factors,
        np.array([-1, 0, -1]),
        numbers,
        np.array([-1, -1, 0]),
        np.array([0, 0, pack(of)[0]], np.uint64),
        cut,
    )
    for q in range(64):
        expected = 0.0
        for i in range(50):
            a, b, c = codes[:, i]
            factor = amount[i] * flags[a, q] * queries[q]
            share = factors[b, q] >= 0.5 if cut else factors[b, q]
            factor *= flags[3 + b, q] * share if last > 0 else 1
            factor *= flags[8 + c, q] * (numbers[c] if of[q] else 1) if last > 1 else 1
            expected += factor
        assert found[q] == pytest.approx(expected)


@examples(40)
@given(seeds, st.integers(0, 2))
def test_records_that_meet_conditions_are_counted_by_group(seed, last):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [[6], [4], [3]], (3, 50)).astype(np.int32)
    amount, flags, queries = rng.integers(1, 4, 50).astype(float), rng.random((13, 64)) < 0.5, rng.random(64) < 0.8
    tree = tuple(Tree.from_columns(list(codes), amount))
    found = kernels.in_groups(tree, last, pack(queries)[0], pack(flags)[:, 0], np.array([0, 6, 10]), 6)
    for g in range(6):
        for q in range(64):
            there = (codes[0] == g) & flags[g, q] & queries[q]
            there &= flags[6 + codes[1], q] if last > 0 else True
            there &= flags[10 + codes[2], q] if last > 1 else True
            assert found[g, q] == amount[there].sum()


def test_shares_are_summed_over_groups():
    counts, shares = np.array([[2, 0, 1], [0, 0, 0]]), np.array([[0.5, 1.0], [9, 9], [1, 0]])
    assert kernels.of_groups(counts, shares).tolist() == [[2.0, 2.0], [0.0, 0.0]]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 0, 3, 1, 2]], ids=["in order", "in another"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_every_choice_of_values_is_as_likely_as_any_other(order, count):
    at, bits = np.arange(6_000, dtype=np.int64), np.zeros(6_000, np.uint64)
    drawn = np.random.default_rng(2).integers(2**63, size=6_000).astype(np.uint64)
    kernels.draw(bits, at, drawn, np.array(order), count)
    found, counts = np.unique(bits, return_counts=True)
    choices = {1: 5, 2: 10, 4: 5}[count]
    assert [bin(one).count("1") for one in found.tolist()] == [count] * choices
    assert (np.abs(counts - 6_000 / choices) < 4 * np.sqrt(6_000 / choices)).all()


@pytest.mark.parametrize("size", [1, 64, 130])
def test_the_requested_number_of_values_is_drawn(size):
    for count in range(0, size + 1, 7):
        bits = np.zeros(3 * kernels.words(size), np.uint64)
        at = np.arange(3) * kernels.words(size)
        kernels.draw(bits, at, np.array([7, 8, 9], np.uint64), np.arange(size), count)
        rows = bits.reshape(3, -1).tolist()
        assert [sum(bin(one).count("1") for one in row) for row in rows] == [count] * 3
        assert all(one < 2 ** min(size - 64 * w, 64) for row in rows for w, one in enumerate(row))


MASK = 2**64 - 1


def splitmix(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        yield mixed ^ (mixed >> 31)


def test_draws_never_change():
    bits = np.zeros(1, np.uint64)
    kernels.draw(bits, np.array([0]), np.array([7], np.uint64), np.arange(40), 11)
    numbers, needed, word = splitmix(7), 11, 0
    for code in range(40):
        if ((next(numbers) >> 32) * (40 - code)) >> 32 < needed:
            word, needed = word | 1 << code, needed - 1
    assert bits.tolist() == [word]


# Large populations: conditions that enough records satisfy, and true sensitive counts.


def test_each_population_is_as_likely_in_a_sample_as_any_other():
    """The pseudorandom numbers are uniform in every part of the sequence, and independent of adjacent ones."""
    chances = np.array([kernels._chance(i) for i in range(20_000)])
    for part in (chances, chances[::2], chances[::3], chances[:500], chances[-500:]):
        share = np.histogram(part, 10, (0, 1))[0] / len(part)
        assert np.abs(share - 0.1).max() < 4 * np.sqrt(0.09 / len(part))
    assert abs(np.corrcoef(chances[1:], chances[:-1])[0, 1]) < 0.03
