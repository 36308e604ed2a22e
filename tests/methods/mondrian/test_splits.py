"""Breadth-first splitting: the parts of every level are allowed, and the classes divide the table."""

import numpy as np

from workbench.methods.mondrian.splits import Nodes, Widest, grow
from workbench.models import KAnonymity


def test_the_search_starts_with_the_whole_table_as_one_class(small):
    table = small(1)
    cells = table.cells()
    root = Nodes.root(table, cells)
    assert root.sizes.tolist() == [table.records] and root.order.tolist() == list(range(len(cells)))
    assert root.high[0].tolist() == [table.columns[name].size - 1 for name in table.quasi]


def test_the_search_ends_when_no_cut_is_allowed(small):
    table, model = small(1), KAnonymity(4)
    cells = table.cells()
    group = grow(Nodes.root(table, cells), Widest(table, cells, model, strict=True), model)
    sizes = np.bincount(group, weights=cells.weight)
    assert len(sizes) > 1 and sizes.min() >= 4 and sizes.sum() == table.records
    whole = KAnonymity(table.records)
    one = grow(Nodes.root(table, cells), Widest(table, cells, whole, strict=True), whole)
    assert set(one.tolist()) == {0}


def test_only_equal_records_stay_together_without_a_model(small):
    table = small(0)
    cells = table.cells()
    group = grow(Nodes.root(table, cells), Widest(table, cells, None, strict=True), None)
    assert len(set(group.tolist())) == len(np.unique(cells.quasi, axis=1).T)
