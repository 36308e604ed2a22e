"""Which codes a value or a group of a column stands for."""

from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy, Level
from workbench.data.table import Table
from workbench.queries.column_resolver import ColumnResolver
from workbench.queries.tokens import tokens


def held(values, kind="number", missing=0, hierarchy=None):
    values = np.asarray(values)
    return ColumnResolver(
        Column("c", kind, values, tuple(map(str, values)), np.ones(len(values), int), missing, hierarchy)
    )


def first(text):
    return next(iter(tokens(text)))


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=1, max_size=8).map(sorted),
    st.decimals(-(10**20), 10**20, places=3) | st.integers(-(2**64), 2**64),
)
def test_whole_numbers_are_compared_exactly(values, asked):
    low, high = held(np.array(values, np.int64)).equal(
        first(f"{asked:f}" if not isinstance(asked, int) else str(asked))
    )
    assert low == bisect_left(values, Fraction(asked)) and high - low == (asked in values)


@given(
    st.lists(st.floats(-1e30, 1e30), unique=True, min_size=1, max_size=8).map(sorted),
    st.decimals(-1000, 1000, places=3) | st.floats(-1e30, 1e30),
)
def test_fractions_are_compared_as_they_are_written(values, asked):
    written = [Fraction(repr(value)) for value in values]
    text = repr(asked) if isinstance(asked, float) else f"{asked:f}"
    low, high = held(np.array(values)).equal(first(text))
    assert low == bisect_left(written, Fraction(text)) and high - low == (Fraction(text) in written)


def test_days_and_moments():
    days = held(np.array(["2024-01-30", "2024-02-01"], "datetime64[D]"), "date")
    assert days.equal(first("2024-02-01")) == (1, 2) and days.equal(first("'2024-01-30 00:01'")) == (1, 1)
    moments = held(np.array(["2024-01-30T10:00", "2024-01-30T10:00:00.000001"], "datetime64[us]"), "date")
    assert moments.equal(first("2024-01-30T10:00")) == (0, 1) and moments.equal(first("2024-01-30")) == (0, 0)


@pytest.mark.parametrize("values", [["False", "True"], ["false", "true"], ["FALSE", "TRUE"]])
def test_true_and_false_without_quotes(values):
    column = held(np.array(values, object), "text")
    assert column.equal(first("True")) == (1, 2) and column.equal(first("false")) == (0, 1)
    assert column.equal(first("'tRue'")) == (0, 0)


@given(st.integers(0, 40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5), st.booleans())
def test_sets_of_codes(size, runs, missing):
    runs = [(low, high) for low, high in runs if high <= size]
    column = held(np.arange(size), missing=int(missing))
    wanted = [any(low <= code < high for low, high in runs) for code in range(size)]
    found = column.flags(column.union(runs))
    assert found.dtype == bool and found.tolist() == wanted + [False] * missing
    assert column.flags(column.values | column.missing).all() and column.flags(0).sum() == 0


LEVELS = (
    Level(np.array([0, 2]), ("x", "y")),
    Level(np.array([0, 1]), ("z", "x")),
)


@pytest.mark.parametrize(
    ("name", "run"), [("a", (0, 1)), ("y", (2, 4)), ("z", (0, 1)), ("x", None), ("w", None), ("d", (3, 4))]
)
def test_groups(name, run):
    column = held(np.array(list("abcd"), object), "text", hierarchy=Hierarchy(tuple("abcd"), LEVELS))
    if run is None:
        with pytest.raises(BadInput, match="several groups" if name == "x" else "no group 'w'"):
            column.group(first(f"'{name}'"))
    else:
        assert column.group(first(f"'{name}'")) == run


def test_the_widest_of_nested_groups_with_one_name_is_used():
    levels = (Level(np.array([0, 1, 2]), ("a", "b", "c")), Level(np.array([0, 2]), ("a", "c")))
    column = held(np.array(list("abcd"), object), "text", hierarchy=Hierarchy(tuple("abcd"), levels))
    assert column.group(first("'a'")) == (0, 2) and column.equal(first("'a'")) == (0, 1)


def test_resolvers_are_shared_per_table():
    table = Table.without_roles(pd.DataFrame({"age": [1, 2]}))
    assert ColumnResolver.of_table(table, "age") is ColumnResolver.of_table(table, "age")
