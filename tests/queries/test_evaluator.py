"""Which columns a release publishes per record, per bucket, or not at all; sums are tested in test_answers.py."""

import numpy as np
import pytest

from tests.queries.queried import RELEASES, table
from workbench.queries import evaluator
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
