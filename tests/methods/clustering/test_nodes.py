"""Clusters on levels compared with the smallest node found by brute force; allowed levels; buckets."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.hierarchies.builders import Intervals
from workbench.methods import KMember, Microaggregation, ThresholdClustering
from workbench.models import KAnonymity

WIDTHS = (5, 10, 20, 50, 100)  # of Sramka et al.: 20 does not nest in 50


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    age = rng.integers(17, 91, 300)
    frame = pd.DataFrame({"age": age, "job": rng.choice(list("abcde"), 300, p=[0.5, 0.2, 0.1, 0.1, 0.1])})
    frame["ill"] = np.where(age + rng.integers(0, 40, 300) > 80, "gout", "none")
    found = Table.from_frame(frame, ["age", "job"], "ill", hierarchies={"age": Intervals(widths=WIDTHS)})
    return found.with_settings(level_ranges={"age": [1, 5]})


def smallest(ages):
    """Return the shortest interval of some width, aligned at 0, that contains all ages."""
    for width in WIDTHS:
        if len({age // width for age in ages}) == 1:
            return ages[0] // width * width, (ages[0] // width + 1) * width
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize("method", [KMember, Microaggregation, ThresholdClustering])
def test_a_cluster_shows_the_smallest_allowed_node_that_contains_it(table, method):
    release = method(recode="levels")(table, KAnonymity(6))
    column, classes = table.columns["age"], release.classes
    tight = release.group_of_entry
    cell, _ = release.parts or (np.arange(len(release.cells)), None)
    ages = column.values[release.cells.quasi[0][cell]]
    assert classes.sizes.min() >= 6
    for c in range(len(classes)):
        there = np.sort(column.values[column.values >= 0])
        low, high = column.values[classes.low[c, 0]], column.values[classes.high[c, 0]]
        inside = ages[tight == c]
        begin, end = min((smallest(list(inside)), (low, high + 1)), key=lambda ends: ends[1] - ends[0])
        assert begin <= low <= inside.min() <= inside.max() <= high < end
        assert {low, high} <= set(there[(there >= begin) & (there < end)])
        jobs = set(release.cells.quasi[1][cell[tight == c]].tolist())
        shown = range(classes.low[c, 1], classes.high[c, 1] + 1)
        assert list(shown) == sorted(jobs) if len(jobs) == 1 else len(shown) == 5
    assert not set(release.class_labels("age")) & set(column.labels)  # no age is published exactly


def test_values_without_an_allowed_node_are_refused(table):
    with pytest.raises(Unsatisfiable, match="contain several nodes of 'age'"):
        KMember(recode="levels")(table.with_settings(level_ranges={"age": [1, 1]}), KAnonymity(100))


def test_buckets_of_disallowed_values_are_refused(table):
    with pytest.raises(BadInput, match="publishes quasi-identifiers unchanged"):
        KMember(recode="levels", publish="bucketized")(table, KAnonymity(5))
