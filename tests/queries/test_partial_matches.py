"""Classes that match a query in part, compared with a loop over all codes."""

import random

import numpy as np
import pandas as pd
import pytest

from tests.conftest import people
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DistinctLDiversity, KAnonymity
from workbench.queries.partial_matches import find_partial_matches
from workbench.queries.workload import Workload

TEXTS = ["age >= 30", "age between 25 and 40 and sex = 'F'", "disease = 'flu'", "age < 0", "avg(age) where sex = 'M'"]


@pytest.fixture
def table():
    return Table.from_frame(people(random.Random(3), missing=True), ["age", "work", "sex"], "disease")


def by_hand(release, workload, q):
    """Return the classes in which only some combinations meet the conditions on quasi-identifiers."""
    found = []
    classes, table = release.classes, release.table
    for c in range(len(classes)):
        met = []
        for a, name in enumerate(table.quasi):
            condition = workload.condition(q, name)
            if condition is not None:
                codes = range(classes.low[c, a], classes.high[c, a] + 1)
                met.append([bool(condition[code]) for code in codes])
        if met and all(map(any, met)) and not all(map(all, met)):
            found.append(c)
    return found


def test_generalized_classes_are_matched_in_part(table):
    release = Mondrian()(table, KAnonymity(5))
    workloads = [Workload.from_texts(table, TEXTS), Workload.random(table, count=40, dimension=2, selectivity=0.3)]
    cuts = 0
    for workload in workloads:
        for q in range(len(workload)):
            cut = find_partial_matches(release, workload, q)
            assert cut.classes.tolist() == by_hand(release, workload, q)
            assert bool(cut.main_column) == bool(len(cut.classes)) and cut.main_column in ("", *table.quasi)
            cuts += len(cut.classes)
    assert cuts > 20


def test_records_are_counted_by_column():
    frame = pd.DataFrame({"a": [1, 2, 3, 4] * 3, "b": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], "s": list("xy") * 6})
    table = Table.from_frame(frame, ["a", "b"], "s")
    release = Mondrian()(table, KAnonymity(12))  # one class
    cut = find_partial_matches(release, Workload.from_texts(table, ["a > 2 and b >= 1"]), 0)
    assert cut.classes.tolist() == [0] and cut.by == {"a": 12, "b": 0} and cut.main_column == "a"


def test_unchanged_and_unpublished_columns_are_never_matched_in_part(table):
    workload = Workload.from_texts(table, TEXTS)
    for release in (Keep()(table), Remove()(table)):
        assert not any(len(find_partial_matches(release, workload, q).classes) for q in range(len(workload)))


def test_buckets_are_matched_in_part_by_sensitive_values(table):
    release = Mondrian(publish="bucketized")(table, DistinctLDiversity(2))
    classes, workload = release.classes, Workload.from_texts(table, ["disease = 'flu'", "age >= 30"])
    met = workload.condition(0, "disease")
    share = (classes.histograms["disease"] * met).sum(axis=1) / classes.sizes
    assert (
        find_partial_matches(release, workload, 0).classes.tolist()
        == np.flatnonzero((share > 0) & (share < 1)).tolist()
    )
    assert not len(find_partial_matches(release, workload, 1).classes)  # ages are published unchanged
    nobody = Workload.from_texts(table, ["disease = 'flu' and age > 500"])
    assert not len(find_partial_matches(release, nobody, 0).classes)
