"""Which columns a release tells of each record, of buckets, or not at all; the sums of them are in test_answers.py."""

import numpy as np
import pytest

from tests.releases.queried import RELEASES, queries, table
from workbench.releases import told
from workbench.workloads.query import Query
from workbench.workloads.workload import Workload

NAMES = ("age", "dose", "ill", "wage", "job")


def everything(asking):
    met = {name: np.arange(asking.columns[name].size) > 0 for name in NAMES}
    return Workload.asking(asking, [Query("", "count", None, met)])


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
def test_a_column_is_told_in_one_way(kind, regions, unchanged, dealt, hidden):
    release = RELEASES[kind](table(0))
    seen = told.Told(release, everything(release.table))
    assert (set(seen.quasi), set(seen.unchanged), set(seen.dealt), set(seen.hidden)) == (
        regions,
        unchanged,
        dealt,
        hidden,
    )


def test_columns_with_few_codes_come_first_and_buckets_last():
    release = RELEASES["bucketized"](table(0))
    ((places, branch),) = told.Told(release, everything(release.table)).branches(np.array([0]))
    sizes = [int(level.codes.max()) for level in branch.levels if level.name]
    assert places.tolist() == [0] and branch.levels[-1].name == "" and sizes == sorted(sizes)
    assert branch.people.sum() == release.table.records


def test_queries_are_answered_some_at_a_time(monkeypatch):
    release = RELEASES["generalized"](table(1))
    workload = queries(release.table, 3)
    whole = release.count(workload)
    monkeypatch.setattr(told, "ROOM", 1)
    assert np.array_equal(release.count(workload), whole, equal_nan=True)
    assert [*told.blocks(5, 0)] == [slice(0, 1), slice(1, 2), slice(2, 3), slice(3, 4), slice(4, 5)]
