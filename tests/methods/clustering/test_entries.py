"""Entries contain every record, and their order cannot be replayed by guessing the seed."""

import numpy as np

from tests.methods.tables import random_frame, table_of
from workbench.methods.clustering.entries import Entries


def test_cells_and_records_represent_the_same_people():
    table = table_of(random_frame(1, 90), ["whole", "word"], ("s", "s2"))
    cells = table.cells()
    together, apart = Entries.of_cells(table, cells, 3), Entries.of_records(table, cells, 3)
    assert together.records.sum() == len(apart) == 90 and sorted(together.cell) == list(range(len(cells)))
    assert np.array_equal(np.bincount(apart.cell), cells.weight)
    for entries in (together, apart):
        assert np.array_equal(entries.codes, cells.quasi[:, entries.cell])
        assert np.array_equal(entries.values["s2"], cells.others["s2"][entries.cell])
    assert np.array_equal(together.first_values(1)[0], together.values["s"])
    assert together.first_values(0).shape == (0, len(together))


def test_the_order_depends_on_seed_and_data():
    frame = random_frame(1, 90)
    tables = (table_of(rows, ["whole"]) for rows in (frame, frame.sample(frac=1, random_state=1), frame[:89]))
    one, same, other = (Entries.of_cells(table, table.cells(), 3) for table in tables)
    assert np.array_equal(one.cell, same.cell) and not np.array_equal(one.cell[:20], other.cell[:20])


def test_a_selection_of_entries_may_have_repetitions():
    table = table_of(random_frame(1, 30), ["whole"])
    entries = Entries.of_records(table, table.cells(), 0)
    taken = entries.take(np.array([4, 4, 0]))
    assert taken.cell.tolist() == entries.cell[[4, 4, 0]].tolist() and len(taken) == 3
