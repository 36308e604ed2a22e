"""Records of a release by class and unchanged columns, compared with record-by-record counts."""

from collections import Counter

import numpy as np
import pytest

from tests.queries.queried import RELEASES, table
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.releases.class_counts import counts_from_partition

COLUMNS = [[], ["ill"], ["ill", "wage"], ["job"], ["age", "job", "ill"]]


@pytest.mark.parametrize("names", COLUMNS, ids=" ".join)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in RELEASES if kind != "foreign"])
def test_records_are_counted_by_class_and_codes(kind, names, weighted):
    release = RELEASES[kind](table(3, weighted, 1))
    asking, group = release.table, release.group_of_record
    each = asking.columns[asking.weight].values[asking.codes[asking.weight]] if weighted else np.ones(asking.records)
    names = [name for name in names if name not in release.unpublished_columns]
    for original in (False, True):
        expected = Counter()
        codes = asking.codes if original else asking.model_view.codes
        for i in np.flatnonzero(group < len(release.classes)):
            expected[(int(group[i]), *(int(codes[name][i]) for name in names))] += each[i]
        found = Counter()
        joint = counts_from_partition(release, names, True) if original else release.class_counts(names)
        for row in zip(joint.group, *(joint.codes[name] for name in names), joint.people, strict=True):
            found[tuple(map(int, row[:-1]))] += float(row[-1])
        assert found == expected


def test_the_other_engine_counts_the_same(small):
    frame, roles = small(1).frame, {"quasi": ["age", "work", "sex"], "sensitive": "disease"}
    found = []
    for engine in ("memory", "duckdb"):
        release = Mondrian()(Table.read(frame, **roles, engine=engine), KAnonymity(4))
        joint = release.class_counts(["wage", "disease"])
        rows = np.column_stack([joint.group, joint.codes["wage"], joint.codes["disease"], joint.people])
        found.append(Counter({tuple(key): 0 for key in rows[:, :3].tolist()}))
        for *key, count in rows.tolist():
            found[-1][tuple(key)] += count
    assert found[0] == found[1]
