"""Growth of clusters: remaining entries are compacted, and no record is taken twice."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import AXES, frames, quasi_choices, random_frame, table_of
from workbench import Table
from workbench.data.cells import cell_of_record
from workbench.measures.diversity import contributions
from workbench.methods.clustering import growth as module
from workbench.methods.clustering.clusters import Clusters, Entries, Prices
from workbench.methods.clustering.growth import Growth, dissolve_violating, group_points, prepartition
from workbench.models import DistinctLDiversity, KAnonymity


def make_entries(records=60):
    table = table_of(random_frame(7, records), ["whole", "word", "plain"])
    entries = Entries.of_cells(table, table.cells(), 0)
    return entries, Prices.from_table(table, 0.5, 0.5, 1.0)


def test_every_record_is_taken_once():
    entries, prices = make_entries()
    growth = Growth(entries, prices)
    while growth.left:
        growth.begin(growth.first())
        growth.extend(4)
        assert len(growth.open) == 4 or not growth.left
    assert np.array_equal(np.bincount(growth.taken_entries, minlength=len(entries)), entries.records)
    assert growth.sizes.sum() == 60 and set(growth.sizes[:-1]) == {4}


def test_a_cluster_stops_growing_above_the_maximum_price():
    entries, prices = make_entries()
    growth = Growth(entries, prices)
    growth.begin(growth.first())
    assert not growth.extend(60, limit=2**29) and len(growth.open) < 60


def test_the_result_does_not_depend_on_the_frequency_of_checks(monkeypatch):
    found = []
    for budget in (1, 10**9):
        monkeypatch.setattr(module, "BUDGET", budget)
        growth = Growth(*make_entries())
        growth.begin(0)
        growth.extend(60)
        parts = Growth(*make_entries())
        parts.in_parts(np.array([0, 10, len(make_entries()[0])]), 2**29)
        found.append((growth.taken_entries.tolist(), parts.taken_entries.tolist(), parts.sizes.tolist()))
    assert found[0] == found[1]


def test_the_input_is_not_modified():
    entries, prices = make_entries()
    before = entries.codes.copy(), entries.records.copy()
    Growth(entries, prices).in_parts(np.array([0, len(entries)]), 2**28)
    assert np.array_equal(before[0], entries.codes) and np.array_equal(before[1], entries.records)


# Clusters are dissolved one after another, into the cheapest of all or of the nearby clusters.


def some(case, sizes):
    """Return clusters of these sizes and larger ones, record by record in the order of the entries."""
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    ends = np.minimum(np.cumsum(np.resize(sizes, len(entries))), len(entries))
    ends = np.unique(np.append(ends, len(entries)))
    return entries, Clusters.from_sizes(entries, np.arange(len(entries), dtype=np.int32), np.diff(ends, prepend=0))


@pytest.mark.slow
@examples(60)
@given(
    frames(least=12, most=60), quasi_choices, st.sampled_from([0.0, 0.4, 1.0]),
    st.lists(st.integers(1, 7), min_size=1, max_size=5), st.sampled_from([1, 10**9]),
)  # fmt: skip
def test_each_record_goes_to_the_cheapest_cluster(frame, quasi, protection, sizes, budget):
    """The clusters include single records, each at one node of a hierarchy."""
    module.EXAMINED, k = budget, max(sizes)
    case = Case(frame, quasi, ("s", "s2"))
    entries, clusters = some(case, [*sizes, k])
    order, shown, told = case.order(entries), case.shown(False, 1 - protection), case.estimability(1.0, protection)
    written = [[order[i] for i in clusters.entry[clusters.number == c]] for c in range(len(clusters))]
    wanted = oracle.dissolve_clusters(
        written,
        lambda one: len(one) >= k,
        lambda records: shown(records) + (told(records) if protection else 0),
    )
    found = dissolve_violating(
        case.table, clusters, KAnonymity(k), Prices.from_table(case.table, 1 - protection, protection, 1.0)
    )
    module.EXAMINED = 10_000_000
    assert cells_of(found) == case.as_cells(wanted)


@examples(30)
@given(frames(least=30, most=80), st.integers(2, 5), st.integers(2, 8))
def test_every_record_goes_to_a_nearby_cluster(frame, k, near):
    case = Case(frame, ["whole", "word"], ("s", "s2"))
    _, clusters = some(case, [1, 2, 1, k])
    for model in (KAnonymity(k), KAnonymity(k) & DistinctLDiversity(2)):
        if clusters.satisfies(case.table, model).any():
            found = dissolve_violating(case.table, clusters, model, Prices.from_table(case.table, 0.5, 0.5, 1.0), near)
            assert np.array_equal(np.sort(found.entry), np.sort(clusters.entry))
            assert np.bincount(found.number).min() >= k and found.satisfies(case.table, model).all()


def test_clusters_that_satisfy_the_model_are_unchanged():
    case = Case(random_frame(1, 40), ["whole", "word"])
    _, clusters = some(case, [4])
    assert (
        dissolve_violating(case.table, clusters, KAnonymity(4), Prices.from_table(case.table, 1.0, 0.0, 1.0))
        is clusters
    )


# Pre-partitioning compared with algorithm 2.


@examples(60)
@given(
    frames(least=4, most=80), st.lists(st.sampled_from(AXES), min_size=1, max_size=3, unique=True), st.integers(1, 9),
    st.booleans(), st.sampled_from([None, 0.5, 0.9, 1.3]),
)  # fmt: skip
def test_parts_are_those_of_the_pseudocode(frame, quasi, size, raw, most):
    case = Case(frame, quasi, ("s", "s2"))
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    order = case.order(entries)
    found, starts = prepartition(case.table, entries, size, "raw" if raw else "normalised", 1.0, most)
    told = case.estimability(1.0, weight=2.0)  # twice the mean over two columns
    kept = (lambda part: True) if most is None else (lambda part: told(part) <= most * oracle.WHOLE + 4)
    expected = oracle.parts(order, case.axes, size, raw, kept)
    cell = cell_of_record(case.table)
    got = [sorted(found.cell[a:b].tolist()) for a, b in pairwise(starts.tolist())]
    assert got == [sorted(cell[part].tolist()) for part in expected]


def test_a_large_part_is_halved_whatever_its_values(monkeypatch):
    frame = random_frame(0, 200)
    case = Case(frame, ["whole", "real"])
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    assert len(prepartition(case.table, entries, 5, "normalised", 1.0, 0.0)[1]) == 2
    monkeypatch.setattr(module, "LARGEST", 50)
    assert np.diff(prepartition(case.table, entries, 5, "normalised", 1.0, 0.0)[1]).max() <= 50


@pytest.mark.slow
def test_equal_records_are_halved_in_their_order(monkeypatch):
    """A part of a million equal records would take quadratic time to cluster."""
    monkeypatch.setattr(module, "LARGEST", 50)
    frame = pd.DataFrame({"a": [1] * 230 + [5] * 30 + [9] * 120, "s": list("xy") * 190})
    table = Table.from_frame(frame, ["a"], "s")
    entries = Entries.of_records(table, table.cells(), 0)
    found, starts = prepartition(table, entries, 10, "normalised", 1.0, None)
    assert np.diff(starts).max() < 100 and np.diff(starts).min() >= 10
    assert np.array_equal(np.sort(found.cell), np.sort(entries.cell)) and starts[-1] == 380
    assert prepartition(table, entries, 300, "normalised", 1.0, None)[1].tolist() == [0, 380], (
        "no part has fewer records than requested"
    )
    part = group_points(table, np.zeros((1000, 1), int), 10)
    assert np.bincount(part).tolist() == [10] * 100


@pytest.mark.slow
def test_nearby_points_are_in_one_part():
    table = Table.from_frame(pd.DataFrame({"a": range(100), "s": list("xy") * 50}), ["a"], "s")
    part = group_points(table, np.arange(100)[:, None], 10)
    assert (np.diff(part) >= 0).all() and np.bincount(part).min() >= 10 and np.bincount(part).max() < 20


def test_important_columns_are_halved_first():
    case = Case(random_frame(2, 200), ["whole", "real"])
    spread = []
    for table in (case.table, case.table.with_settings(importance={"real": 50})):
        entries, starts = prepartition(table, Entries.of_records(table, table.cells(), 0), 20, "normalised", 1.0, None)
        real = table.quasi.index("real")
        spread.append(np.mean([np.ptp(entries.codes[real, a:b]) for a, b in pairwise(starts.tolist())]))
    assert spread[1] < 0.6 * spread[0]


@pytest.mark.parametrize("name", ["s", "s2"])
def test_contributions_are_those_of_the_measure(name):
    table = Case(random_frame(4, 40), ["whole"], ("s", "s2")).table
    assert np.diag(contributions(table, name, 1.0)).tolist() == [1.0] * len(table.sensitive[name])
