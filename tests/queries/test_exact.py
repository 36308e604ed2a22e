"""True answers, counted record by record, in both engines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import queries, table
from workbench.data.table import Table
from workbench.queries.exact import (
    CodeLevel,
    Conditions,
    RegionLevel,
    Tree,
    batch_sums,
    blocks,
    denominators,
    largest_change,
    pack,
    unpack,
)
from workbench.queries.query import Query
from workbench.queries.workload import Workload

seeds = st.integers(0, 60)


def answer(asking, workload, q):
    weight = asking.weight
    each = asking.columns[weight].values[asking.codes[weight]] if weight else np.ones(asking.records)
    for name in workload.columns:
        met = workload.condition(q, name)
        each = each * (1 if met is None else met[asking.codes[name]])
    if workload.summed[q] < 0:
        return each.sum()
    column = asking.columns[workload.columns[workload.summed[q]]]
    codes = asking.codes[column.name]
    there = codes < len(column.values)
    total = (each[there] * column.values[codes[there]]).sum()
    if workload.aggregate[q] == 1:
        return total
    return total / each[there].sum() if each[there].sum() else np.nan


@examples(40)
@given(seeds, seeds, st.booleans())
def test_answers_are_those_of_the_records(seed, asked, weighted):
    asking = table(seed, weighted)
    workload = queries(asking, asked)
    expected = [answer(asking, workload, q) for q in range(len(workload))]
    assert workload.truth == pytest.approx(expected, nan_ok=True)


def test_the_other_engine_gives_the_same_answers(small):
    frame, roles = small(1).frame, {"quasi": ["age", "work", "sex"], "sensitive": "disease"}
    here, there = (Table.read(frame, **roles, engine=engine) for engine in ("memory", "duckdb"))
    workload = Workload.random(here, 40, 2)
    assert Workload.random(there, 40, 2).truth.tolist() == workload.truth.tolist() and workload.truth.any()


def test_relative_errors_have_a_minimum_denominator():
    asking = table(0)
    none = np.zeros(asking.columns["age"].size, bool)
    asked = [Query("", kind, of, {"age": none}) for kind, of in (("count", None), ("sum", "wage"), ("avg", "wage"))]
    workload, wage = Workload.from_queries(asking, asked), asking.frame["wage"].abs().mean()
    assert denominators(workload, 3.0) == pytest.approx([3, 3 * wage, 3 * wage / asking.records])
    assert largest_change(workload, 3.0, 10) == np.inf
    assert largest_change(Workload.from_queries(asking, asked[:1]), 4.0, 10) == 2.5


@pytest.mark.parametrize("weighted", [False, True])
def test_queries_about_everybody_need_no_column(weighted, small):
    for asking in (table(0, weighted), Table.read(small(0).frame, ["age"], engine="duckdb")):
        weight = asking.weight
        everybody = asking.frame[weight].sum() if weight else asking.records
        assert Workload.from_texts(asking, ["count", "count"]).truth.tolist() == pytest.approx([everybody] * 2)


# Conditions are packed and restored.


@pytest.mark.parametrize("size", [1, 63, 64, 65, 500])
def test_conditions_survive_packing(size):
    rng = np.random.default_rng(size)
    asked = [{"b": rng.random(size) < 0.5}, {}, {"a": rng.random(7) < 0.5, "b": rng.random(size) < 0.5}]
    packed = Conditions.packed(asked)
    assert packed.columns == ("b", "a") and (packed.at >= 0).tolist() == [[True, False], [False, False], [True, True]]
    for q, one in enumerate(asked):
        for name, codes in one.items():
            assert packed.met(q, packed.columns.index(name), len(codes)).tolist() == codes.tolist()


def test_equal_conditions_are_stored_once():
    odd = np.arange(100) % 2 == 1
    packed = Conditions.packed([{"a": odd}, {"a": ~odd}, {"a": odd.copy()}])
    assert packed.at.tolist() == [[0], [2], [0]] and len(packed.bits) == 4


def test_space_is_reserved_for_future_conditions():
    empty = Conditions.empty({"a": 65, "b": 3}, np.array([[True, False], [True, True]]))
    assert empty.at.tolist() == [[0, -1], [2, 4]] and empty.bits.tolist() == [0] * 5


def test_the_first_bit_of_a_word_is_the_first_code():
    assert pack(np.array([[True, False, True], [False, True, False]])).tolist() == [[5], [2]]
    assert unpack(np.array([[5], [2]], np.uint64), 3).tolist() == [[True, False, True], [False, True, False]]


# A tree of records has a node for each beginning of a row that occurs.


@examples(60)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 40))
def test_every_prefix_of_a_row_is_a_node_with_its_total(seed, columns, rows):
    rng = np.random.default_rng(seed)
    codes, amount = rng.integers(0, 3, (columns, rows)), rng.integers(1, 5, rows)
    tree = Tree.from_columns(list(codes), amount)
    begin = ()
    paths = {(): [*range(tree.first[1])]}
    for level in range(columns):
        found = {}
        for begin, nodes in paths.items():
            for node in nodes:
                here = (*begin, int(tree.codes[tree.first[level] + node]))
                below = tree.first[level] + level + node
                found[here] = [] if level == columns - 1 else [*range(tree.child[below], tree.child[below + 1])]
                alike = (codes[: level + 1] == np.array(here)[:, None]).all(axis=0)
                assert tree.total[tree.first[level] + node] == amount[alike].sum() > 0
        assert len(found) == tree.first[level + 1] - tree.first[level]
        assert set(found) == {tuple(row[: level + 1]) for row in codes.T.tolist()}
        paths = found


def test_without_columns_or_rows_there_is_one_level():
    assert Tree.from_columns([], np.array([2, 3])).total.tolist() == [5]
    assert Tree.from_columns([np.zeros(0, np.int32)], np.zeros(0)).total.tolist() == []


# Queries that are summed in batches have the same answers as single ones.


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
    found = batch_sums(Tree.from_columns(list(codes), amount), levels, count)
    for q in range(count):
        factors = amount * (met[q, codes[0]] if asked[q, 0] else 1) * (table[codes[1], q] if asked[q, 1] else 1)
        assert found[q] == pytest.approx((factors * (numbers[codes[0]] if of[q] else 1)).sum())


def test_queries_without_conditions_count_all():
    tree, none = Tree.from_columns([np.array([0, 1])], np.array([2.0, 3])), np.full(70, -1)
    assert batch_sums(tree, [CodeLevel(2, none, np.zeros(0, np.uint64))], 70).tolist() == [5.0] * 70
    assert batch_sums(Tree.from_columns([], np.array([2.0, 3])), [], 3).tolist() == [5.0] * 3


def test_unused_levels_are_skipped():
    none = np.full(65, -1)
    asked = np.where(np.arange(65) == 64, 0, -1)
    levels = [CodeLevel(2, asked, np.array([1], np.uint64)), CodeLevel(2, none, np.array([1], np.uint64))]
    assert [block.last for block in blocks(levels, 65)] == [0, 0]
    assert [int(block.queries) for block in blocks(levels, 65)] == [2**64 - 1, 1]
