"""Growth of clusters: remaining entries are compacted, and no record is taken twice."""

import numpy as np

from tests.methods.tables import random_frame, table_of
from workbench.methods.clustering import growth as module
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.growth import Growth
from workbench.methods.clustering.prices import Prices


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
