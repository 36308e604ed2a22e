"""Which columns a release publishes per record, per bucket, or not at all; sums are tested in test_answers.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import RELEASES, Naive, factor, queries, table
from workbench.base.errors import Undefined
from workbench.queries import evaluator
from workbench.queries.evaluator import Regions, select_records
from workbench.queries.exact import Conditions
from workbench.queries.query import Query
from workbench.queries.workload import Workload

NAMES = ("age", "dose", "ill", "wage", "job")


def everything(asking):
    met = {name: np.arange(asking.columns[name].size) > 0 for name in NAMES}
    return Workload.from_queries(asking, [Query("", "count", None, met)])


@pytest.mark.parametrize(
    ("kind", "regions", "unchanged", "dealt", "hidden"),
    [
        ("generalized", {"age", "dose"}, {"ill", "wage", "job"}, set(), set()),
        ("bucketized", {"age", "dose"}, {"job"}, {"ill", "wage"}, set()),
        ("removed", set(), {"ill", "wage", "job"}, set(), {"age", "dose"}),
        ("one removed", {"dose"}, {"ill", "wage"}, set(), {"age", "job"}),
        ("foreign", {"age", "dose"}, {"ill", "wage"}, set(), {"job"}),
    ],
)
def test_each_column_is_published_in_one_way(kind, regions, unchanged, dealt, hidden):
    release = RELEASES[kind](table(0))
    seen = evaluator.QueryEvaluator(release, everything(release.table))
    assert (set(seen.quasi), set(seen.unchanged), set(seen.dealt), set(seen.hidden)) == (
        regions,
        unchanged,
        dealt,
        hidden,
    )


def test_levels_are_ordered_by_kind_and_size():
    for kind in ("bucketized", "generalized"):
        release = RELEASES[kind](table(0))
        ((places, branch),) = evaluator.QueryEvaluator(release, everything(release.table)).branches(np.array([0]))
        named = [level for level in branch.levels if level.name]
        sizes = [(level.regions is None, int(level.codes.max())) for level in named]
        assert places.tolist() == [0] and sizes == sorted(sizes) and branch.people.sum() == release.table.records
        assert [*branch.levels[len(branch.levels) - len(named) :]] == named


# Regions of a column and conditions; test_answers.py counts their codes.


def test_distinct_regions_are_numbered():
    column = table(0).columns["age"]
    regions, number = Regions.distinct(column, np.array([0, 2, 0]), np.array([3, 2, 3]), None)
    assert len(regions) == 2 and number.tolist() == [0, 1, 0] and regions.sizes.tolist() == [4, 1]
    held = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0]], bool)
    sets, number = Regions.distinct(table(0).columns["city"], np.array([0, 1, 0]), np.array([2, 1, 2]), held)
    assert len(sets) == 2 and number.tolist() == [0, 1, 0] and sets.sizes.tolist() == [2, 1]


def test_shares_and_numbers_of_runs_and_of_the_same_as_sets():
    for name in ("age", "dose", "wage"):
        column = table(0).columns[name]
        rng = np.random.default_rng(4)
        met = rng.random((20, column.size)) < 0.5
        packed, numbers = Conditions.packed([{name: row} for row in met]), np.append(column.values.astype(float), 0.0)
        low, high = (side.ravel() for side in np.triu_indices(column.size))
        runs = Regions(column, low.astype(np.int32), high.astype(np.int32))
        shares, values = (
            runs.shares(packed.bits, packed.at[:, 0]),
            runs.values(packed.bits, packed.at[:, 0], numbers[: column.size]),
        )
        held = np.array(
            [(np.arange(column.size) >= a) & (np.arange(column.size) <= b) for a, b in zip(low, high, strict=True)]
        )
        sets, _ = Regions.distinct(column, low, high, held)
        counted = sets.values(packed.bits, packed.at[:, 0], numbers[: column.size])
        for q, row in enumerate(met):
            for r, (a, b) in enumerate(zip(low, high, strict=True)):
                codes = [*range(a, b + 1)]
                if name != "wage":
                    assert np.isclose(shares[r, q], factor(column, codes, row, False))
                    assert np.isclose(values[r, q], factor(column, codes, row, True))
                assert (shares[r, q] == 1) == row[codes].all() and (shares[r, q] == 0) == (not row[codes].any())
                assert np.isclose(counted[r, q], (row[codes] * numbers[codes]).sum() / len(codes))


def test_nodes_and_the_whole_are_regions():
    column = table(0).columns["ill"]
    nodes = Regions.nodes(column, 1)
    assert [(a, b) for a, b in zip(nodes.low, nodes.high, strict=True)] == [(0, 2), (3, 3), (4, 4)]
    assert Regions.whole(column).sizes.tolist() == [5] and len(Regions.nodes(column, 0)) == 5


# Selections from a release, compared with a look at each record.

seeds = st.integers(0, 40)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in RELEASES if kind != "foreign"])
@examples(10)
@given(seed=seeds, asked=seeds, weighted=st.booleans(), level=st.sampled_from([0, 1]))
def test_records_are_selected_from_a_probability_of_one_half(kind, seed, asked, weighted, level):
    release = RELEASES[kind](table(seed, weighted, level))
    workload, naive = queries(release.table, asked, count=6, sums=False), Naive(release)
    found = select_records(release, workload)
    for q in range(len(workload)):
        met = {name: workload.condition(q, name) for name in workload.columns}
        met = {name: codes for name, codes in met.items() if codes is not None}
        chances = [np.prod([naive.one(i, name, codes, False) for name, codes in met.items()]) for i in naive.records]
        if any(abs(chance - 0.5) < 1e-9 for chance in chances):
            continue  # a computer's half may be less
        returned = [i for i in naive.records if chances[i] > 0.5 and naive.group[i] < len(release.classes)]
        right = [i for i in returned if all(codes[release.table.codes[name][i]] for name, codes in met.items())]
        assert found.returned[q] == pytest.approx(sum(naive.weights[i] for i in returned))
        assert found.right[q] == pytest.approx(sum(naive.weights[i] for i in right))


def test_selections_from_a_file_cannot_be_checked():
    with pytest.raises(Undefined, match="records of this release cannot be matched"):
        select_records(RELEASES["foreign"](table(0)), queries(table(0), 1, sums=False))
