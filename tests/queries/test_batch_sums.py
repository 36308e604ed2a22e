"""Queries that are summed in batches have the same answers as single ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.queries.batch_sums import CodeLevel, RegionLevel, blocks, sums
from workbench.queries.conditions import Conditions
from workbench.queries.tree import Tree


@examples(30)
@given(st.integers(0, 10_000), st.sampled_from([1, 63, 64, 65, 150]))
def test_each_query_has_its_own_sum(seed, count):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [[70], [4]], (2, 40)).astype(np.int32)
    amount, met = rng.integers(1, 4, 40).astype(float), rng.random((count, 70)) < 0.5
    asked, of = rng.random((count, 2)) < 0.6, rng.random(count) < 0.3
    asked[:, 0] |= of
    packed = Conditions.packed([{"a": row} if there else {} for row, there in zip(met, asked[:, 0], strict=True)])
    table, numbers = rng.choice([0.0, 0.5, 1.0], (4, count)), rng.normal(size=70)
    levels = [
        CodeLevel(70, packed.at[:, 0] if len(packed.columns) else np.full(count, -1), packed.bits, numbers, of),
        RegionLevel(4, np.where(asked[:, 1], 0, -1), lambda some: np.where(asked[some, 1], table[:, some], 1.0)),
    ]
    found = sums(Tree.from_columns(list(codes), amount), levels, count)
    for q in range(count):
        factors = amount * (met[q, codes[0]] if asked[q, 0] else 1) * (table[codes[1], q] if asked[q, 1] else 1)
        assert found[q] == pytest.approx((factors * (numbers[codes[0]] if of[q] else 1)).sum())


def test_queries_without_conditions_count_all():
    tree, none = Tree.from_columns([np.array([0, 1])], np.array([2.0, 3])), np.full(70, -1)
    assert sums(tree, [CodeLevel(2, none, np.zeros(0, np.uint64))], 70).tolist() == [5.0] * 70
    assert sums(Tree.from_columns([], np.array([2.0, 3])), [], 3).tolist() == [5.0] * 3


def test_unused_levels_are_skipped():
    none = np.full(65, -1)
    asked = np.where(np.arange(65) == 64, 0, -1)
    levels = [CodeLevel(2, asked, np.array([1], np.uint64)), CodeLevel(2, none, np.array([1], np.uint64))]
    assert [block.last for block in blocks(levels, 65)] == [0, 0]
    assert [int(block.queries) for block in blocks(levels, 65)] == [2**64 - 1, 1]
