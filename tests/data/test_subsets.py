"""Every subset of the columns, compared with loops over people."""

import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import people
from workbench.base.errors import BadInput
from workbench.data.subsets import every_subset
from workbench.data.table import Table


def naive(rows, columns, k):
    """Return, for each subset, the numbers of groups, of unique records, in groups below k, and of minimal ones."""
    alone, found = {}, {}
    for size in range(columns + 1):
        for chosen in combinations(range(columns), size):
            seen = [tuple(row[i] for i in chosen) for row in rows]
            sizes = {one: seen.count(one) for one in seen}
            alone[chosen] = {i for i, one in enumerate(seen) if sizes[one] == 1}
            earlier = set().union(*(alone[part] for part in combinations(chosen, size - 1))) if size else set()
            below = sum(n for n in sizes.values() if n < k)
            found[sum(1 << i for i in chosen)] = (
                len(sizes), len(alone[chosen]), below, len(alone[chosen] - earlier)
            )  # fmt: skip
    return [found[number] for number in range(2**columns)]


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_every_subset_equal_those_of_loops(seed):
    table = Table.from_frame(people(random.Random(seed), missing=seed % 2 == 1), ["age", "work", "sex", "wage"])
    cells = table.cells()
    rows = list(zip(*(table.codes[name].tolist() for name in table.quasi), strict=True))
    assert [*zip(*map(list, every_subset([*cells.quasi], cells.weight, 3)), strict=True)] == naive(rows, 4, 3)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12), st.integers(1, 4))
def test_rows_need_not_be_distinct(rows, k):
    codes = [np.array(one) for one in zip(*rows, strict=True)]
    found = every_subset(codes, np.ones(len(rows), np.int64), k)
    assert [*zip(*map(list, found), strict=True)] == naive(rows, 3, k)


def test_keys_beyond_64_bits_and_too_many_columns():
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 2**20, 300) for _ in range(4)]
    found = every_subset(codes, np.ones(300, np.int64), 2)
    frame = pd.DataFrame(dict(enumerate(codes)))
    assert found.unique[15] == (frame.groupby([0, 1, 2, 3]).size() == 1).sum()
    with pytest.raises(BadInput, match="13 columns have 8,192 subsets; choose at most 12"):
        every_subset([codes[0]] * 13, np.ones(300, np.int64), 2)
    many = np.zeros(200_000, np.int8)
    with pytest.raises(BadInput, match="4,096 subsets and 200,000 combinations of values, too many"):
        every_subset([many] * 12, many, 2)
