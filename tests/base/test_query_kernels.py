"""The compiled part of queries against plain counting, code by code and record by record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base import query_kernels
from workbench.workloads.conditions import Conditions, of_columns
from workbench.workloads.tree import Tree

seeds = st.integers(0, 10_000)
sizes = st.sampled_from([1, 3, 63, 64, 65, 128, 200])


def conditions(rng, size, count=4):
    met = rng.random((count, size)) < rng.choice([0.02, 0.5, 0.98], (count, 1))
    return met, Conditions.packed([{"a": row} for row in met])


@settings(max_examples=60, deadline=None)
@given(seeds, sizes)
def test_codes_of_runs_are_counted(seed, size):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size)
    low, high = np.sort(rng.integers(0, size, (2, 9)), axis=0).astype(np.int32)
    found = query_kernels.in_runs(packed.bits, packed.at[:, 0], size, low, high)
    assert found.tolist() == [[int(row[a : b + 1].sum()) for a, b in zip(low, high, strict=True)] for row in met]


@settings(max_examples=40, deadline=None)
@given(seeds, sizes)
def test_codes_of_sets_are_counted(seed, size):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size)
    held, sets = conditions(rng, size, 7)
    rows = np.stack([sets.bits[at : at + query_kernels.words(size)] for at in sets.at[:, 0]])
    found = query_kernels.in_sets(packed.bits, packed.at[:, 0], rows)
    assert found.tolist() == [[int((row & one).sum()) for one in held] for row in met]


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([1, 5, 64, 70]))
def test_what_lies_between_two_codes_that_meet_a_condition_belongs_to_it(seed, size):
    rng = np.random.default_rng(seed)
    met, packed = conditions(rng, size)
    amount, between = rng.integers(-3, 9, (2, size)).astype(float)
    low, high = np.sort(rng.integers(0, size, (2, 9)), axis=0).astype(np.int32)
    found = query_kernels.amounts(packed.bits, packed.at[:, 0], low, high, amount, between)
    for row, answers in zip(met, found, strict=True):
        for a, b, answer in zip(low, high, answers, strict=True):
            inside = sum(amount[c] for c in range(a, b + 1) if row[c])
            gaps = sum(between[c] for c in range(a + 1, b + 1) if row[c] and row[c - 1])
            assert answer == pytest.approx(inside + gaps)


@settings(max_examples=60, deadline=None)
@given(seeds, st.booleans())
def test_sums_are_over_the_products_of_factors(seed, last_asked):
    """Three columns: bits, a table of factors, bits times numbers."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [[3], [5], [70]], (3, 50)).astype(np.int32)
    amount = rng.integers(1, 4, 50).astype(float)
    met = [rng.random((6, size)) < 0.6 for size in (3, 5, 70)]
    asked = rng.random((6, 3)) < 0.7
    asked[:, 2] |= last_asked
    packed = Conditions.packed(
        [
            {name: met[c][q] for c, name in enumerate("abc") if asked[q, c] and c != 1} | {"z": met[0][q]}
            for q in range(6)
        ]
    )
    at = of_columns(packed, list("abc"))
    at[:, 1] = np.where(asked[:, 1], 0, -1)
    table, numbers = rng.choice([0.0, 0.25, 1.0], (6, 5)), rng.normal(size=70)
    of = np.where(asked[:, 2] & (rng.random(6) < 0.5), 2, -1)
    found = query_kernels.sums(
        Tree.of(list(codes), amount), at, of, packed.bits, table, np.array([-1, 0, -1]), numbers, np.array([-1, -1, 0])
    )
    for q in range(6):
        expected = 0.0
        for i in range(50):
            factor = amount[i]
            factor *= met[0][q, codes[0, i]] if asked[q, 0] else 1
            factor *= table[q, codes[1, i]] if asked[q, 1] else 1
            factor *= met[2][q, codes[2, i]] if asked[q, 2] else 1
            expected += factor * (numbers[codes[2, i]] if of[q] == 2 else 1)
        assert found[q] == pytest.approx(expected)


def test_a_long_sum_goes_on_where_it_stopped(monkeypatch):
    rng = np.random.default_rng(1)
    met, packed = conditions(rng, 70, 30)
    codes = rng.integers(0, 70, 500).astype(np.int32)
    none = np.full(1, -1)
    given = (packed.at, np.full(30, -1), packed.bits, np.empty((30, 0)), none, np.zeros(1), none)
    whole = query_kernels.sums(Tree.of([codes], np.ones(500)), *given)
    monkeypatch.setattr(query_kernels, "STEPS", 1)
    assert query_kernels.sums(Tree.of([codes], np.ones(500)), *given).tolist() == whole.tolist()
    assert whole.tolist() == [row[codes].sum() for row in met]


def test_every_choice_of_values_is_as_likely_as_any_other():
    at, order = np.arange(6_000, dtype=np.int64), np.array([4, 0, 3, 1, 2])
    bits = np.zeros(6_000, np.uint64)
    query_kernels.draw(bits, at, np.random.default_rng(2).integers(2**63, size=6_000).astype(np.uint64), order, 2)
    found, counts = np.unique(bits, return_counts=True)
    assert [bin(one).count("1") for one in found.tolist()] == [2] * 10
    assert (np.abs(counts - 600) < 4 * np.sqrt(600)).all()


def test_the_draw_is_the_same_for_ever():
    bits = np.zeros(2, np.uint64)
    query_kernels.draw(bits, np.array([0, 1]), np.array([7, 8], np.uint64), np.arange(40), 11)
    assert [bin(one).count("1") for one in bits.tolist()] == [11, 11]
    assert bits.tolist() == [354940880162, 75264893200]
