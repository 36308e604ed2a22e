"""Clusters as classes: checked by models, merged if they violate one, published with sets."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame, table_of
from workbench import Table
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.methods.clustering.clusters import WHOLE, Clusters, Entries, Prices, in_sets
from workbench.methods.clustering.kernels import NODES, VALUES, WIDTH
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
from workbench.releases.partition import group_of_cell


@pytest.fixture(scope="module")
def table() -> Table:
    return table_of(random_frame(5, 60), ["whole", "plain"], ("s", "s2"))


def random_clusters(table: Table, count: int, seed: int = 0) -> Clusters:
    entries = Entries.of_records(table, table.cells(), seed)
    number = np.random.default_rng(seed).integers(count, size=len(entries))
    number[:count] = range(count)
    return Clusters(entries, np.arange(len(entries), dtype=np.int32), number.astype(np.int32))


def test_classes_are_those_of_the_release(table):
    found = random_clusters(table, 7)
    classes = found.classes(table, KAnonymity(2) & DistinctLDiversity(2), regions=True)
    release = found.release(table, table.cells(), "bucketized").classes
    assert sorted(classes.sizes) == sorted(release.sizes)
    assert {tuple(row) for row in classes.histograms["s"]} == {tuple(row) for row in release.histograms["s"]}
    assert {tuple(row) for row in classes.regions()} >= {
        tuple(row) for row in found.release(table, table.cells(), "generalized").classes.regions()
    }
    assert in_sets(table) == {"plain"}


@pytest.mark.parametrize("model", [KAnonymity(12), TCloseness(0.2), KAnonymity(7) & DistinctLDiversity(2)])
def test_clusters_that_violate_the_model_are_merged(table, model):
    broken = random_clusters(table, 12)
    mended = broken.merge_violating(table, model)
    assert not broken.satisfies(table, model).all() and mended.satisfies(table, model).all()
    assert 1 <= len(mended) < 12
    for c in range(12):  # a cluster is joined whole
        assert len(set(mended.number[broken.number == c].tolist())) == 1


def test_the_cluster_that_grows_least_is_chosen():
    frame = pd.DataFrame({"age": [1, 2, 3, 50, 51, 52, 8], "s": list("xyxyxyx")})
    table = Table.from_frame(frame, ["age"], "s")
    entries = Entries.of_records(table, table.cells(), 0)
    ages = table.columns["age"].values[entries.codes[0]]
    number = np.select([ages < 5, ages == 8], [0, 1], 2).astype(np.int32)
    mended = Clusters(entries, np.arange(7, dtype=np.int32), number).merge_violating(table, KAnonymity(2))
    assert len(mended) == 2 and mended.number[ages == 8] == mended.number[ages == 1]


def test_the_records_of_a_split_cell_are_assigned_at_random(table):
    found = random_clusters(table, 5)
    assert group_of_cell(found.release(table, table.cells(), "generalized")) is None
    of_cell = np.arange(len(table.cells())) % 3
    whole = Clusters(found.entries, found.entry, of_cell[found.entries.cell[found.entry]].astype(np.int32))
    release = whole.release(table, table.cells(), "bucketized")
    assert group_of_cell(release).tolist() == of_cell.tolist()


# Entries contain every record, and their order cannot be replayed by guessing the seed.


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


# Price tables: widths, nodes and values, as parts of the highest price of a cluster.

ROWS = [
    ("ant", "insect", "animal"),
    ("cat", "mammal", "animal"),
    ("dog", "mammal", "animal"),
    ("ivy", "plant", "plant"),
]


@pytest.fixture(scope="module")
def table_of_ages() -> Table:
    frame = pd.DataFrame({"n": [0, 4, 10, 20], "kind": ["ant", "cat", "dog", "ivy"], "word": list("abca")})
    frame["s"] = [1, 1, 2, 3]
    return Table.from_frame(frame, ["n", "kind", "word"], "s", hierarchies={"kind": Columns(ROWS)})


def test_each_column_contributes_its_share_to_the_price(table_of_ages):
    prices = Prices.from_table(table_of_ages, 1.0, 0.0, 0.5)
    kind, size, at, price, place = prices.tables
    assert kind.tolist() == [WIDTH, NODES, VALUES] and size.tolist() == [4, 4, 3] and prices.depth.tolist() == [4, 4, 3]
    third = WHOLE / 3
    assert price[place[0, 0] : place[0, 0] + 4] == pytest.approx(third * np.array([0, 0.2, 0.5, 1]), abs=1)
    levels = [price[place[1, level] : place[1, level] + 4] / third for level in range(4)]
    assert np.round(levels, 3).tolist() == [[0.25] * 4, [0.25, 0.5, 0.5, 0.25], [0.75, 0.75, 0.75, 0.25], [1.0] * 4]
    assert at[place[1, 1] : place[1, 1] + 4].tolist() == [0, 1, 1, 2]
    assert price[place[2, 0] : place[2, 0] + 4] == pytest.approx(third * np.arange(4) / 3, abs=2)


def test_a_single_value_costs_nothing_by_height(table_of_ages):
    _, _, _, price, place = Prices.from_table(table_of_ages, 1.0, 0.0, 0.5, by_height=True).tables
    third = WHOLE / 3
    assert [price[place[1, level]] / third for level in range(4)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert price[place[2, 0] : place[2, 0] + 4] == pytest.approx(third * np.array([0, 0, 0.5, 1]), abs=2)


def test_importance_and_protection_have_their_shares_of_the_price(table_of_ages):
    prices = Prices.from_table(table_of_ages.with_settings(importance={"n": 2}), 0.5, 0.5, 1.0)
    assert prices.tables[3][prices.tables[4][0, 0] + 3] == pytest.approx(WHOLE / 4, abs=1)
    assert prices.scale.tolist() == [WHOLE / 2] and prices.names == 1
    assert prices.near[0].tolist() == [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert Prices.from_table(table_of_ages, 1.0, 0.0, 1.0).names == 0


def test_a_level_that_does_not_nest_is_skipped():
    frame = pd.DataFrame({"age": [1, 12, 18, 25], "s": list("xyxy")}).astype({"age": str})
    ages = Table.from_frame(frame.astype({"age": int}), ["age"], "s")
    assert Intervals(widths=(10, 15))(ages.columns["age"]).nested is False
    rows = [("1", "a", "p"), ("12", "a", "p"), ("18", "b", "p"), ("25", "b", "q")]
    words = Table.from_frame(frame, ["age"], "s", hierarchies={"age": Columns(rows)})
    assert Prices.from_table(words, 1.0, 0.0, 0.5).depth.tolist() == [3]  # values, the upper level, everything
