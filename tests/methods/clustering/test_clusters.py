"""Clusters as classes: checked by models, merged if they violate one, published with sets."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame, table_of
from workbench import Table
from workbench.methods.clustering.clusters import Clusters, in_sets
from workbench.methods.clustering.entries import Entries
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness


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
    assert found.release(table, table.cells(), "generalized").group_of_cell is None
    of_cell = np.arange(len(table.cells())) % 3
    whole = Clusters(found.entries, found.entry, of_cell[found.entries.cell[found.entry]].astype(np.int32))
    release = whole.release(table, table.cells(), "bucketized")
    assert release.group_of_cell.tolist() == of_cell.tolist()
