"""Proposed hierarchies match their columns, and have a reason."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.hierarchies.columns import BUILT, dates, numbers, texts
from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.hierarchies.builders import Columns, Dates, Groups, Intervals, Prefixes, from_dict
from workbench.data.hierarchies.proposal import RARITY, grouped, levels_of, propose, recover, similar_groups
from workbench.data.table import Table

ICD = {f"{head}-*": [f"{head}-{i}" for i in range(9)] for head in ("heart", "lung", "skin")}


HALF_YEAR = [f"2008-0{month}-1{day}" for month in range(1, 7) for day in range(5)]


@pytest.mark.parametrize(
    ("column", "expected", "reason"),
    [
        (numbers(range(17, 91)), Intervals(widths=(5, 10, 20)), "values from 17 to 90 are spread well"),
        (numbers([i / 100 for i in range(300)]), Intervals(widths=(0.05, 0.1, 0.5, 1)), "round intervals"),
        (numbers(range(0, 1000, 10), [900] + [1] * 99), Intervals(quantiles=(16, 8, 4)), "equally filled"),
        (numbers(range(12_285, 1_490_401, 1_000)), Intervals(widths=(50_000, 100_000, 500_000)), "12,285 to 1,490,285"),
        (numbers(range(5)), None, "5 values are few"),
        (texts([f"{12000 + 37 * i}" for i in range(60)]), Prefixes((3, 2)), "codes of 5 digits"),
        (texts(value for group in ICD.values() for value in group), Groups((ICD,)), "27 of 27"),
        (texts([f"v{i}" for i in range(40)]), None, "without an order or common parts"),
        (texts([f"v{i}" for i in range(15)]), None, "without a known order"),
        (dates(HALF_YEAR), Dates(("month", "quarter")), "several of each: month, quarter"),
    ],
)
def test_proposals_have_reasons(column, expected, reason):
    builder, why = propose(column)
    assert builder == expected
    assert reason in why
    if builder is not None:
        assert len(builder(column).leaves) == len(column.labels)


@given(st.sets(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-50, 50), min_size=1, max_size=40))
def test_a_proposal_always_fits(values):
    column = numbers([float(v) for v in values])
    builder, _ = propose(column)
    if builder is not None:
        assert len(builder(column).leaves) == len(column.labels)


# Groups of similar text values, against a naive clustering and for values of known similarity.

RNG = np.random.default_rng(5)


def schooling(n=4000):
    """Return degrees that correlate with ages and jobs, but not in alphabetical order."""
    degree = RNG.choice(
        ["Masters", "Doctorate", "Preschool", "9th", "10th", "College"], n, p=[0.2, 0.1, 0.05, 0.2, 0.2, 0.25]
    )
    low = np.isin(degree, ["Preschool", "9th", "10th"])
    high = np.isin(degree, ["Masters", "Doctorate"])
    job = np.where(high, RNG.choice(["law", "school"], n), np.where(low, RNG.choice(["farm", "yard"], n), "office"))
    return pd.DataFrame({"degree": degree, "job": job, "sex": RNG.choice(["f", "m"], n)})


def members(level):
    return {frozenset(values) for values in level.values() if len(values) > 1}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_values_that_occur_with_similar_values_are_grouped(engine):
    groups = similar_groups(Table.without_roles(schooling(), engine=engine), "degree", ["job", "sex"])
    assert [len(level) for level in groups.levels] == [3, 2]
    assert members(groups.levels[0]) == {frozenset({"Masters", "Doctorate"}), frozenset({"Preschool", "9th", "10th"})}


def test_rare_values_are_merged_first_without_other_information():
    frame = pd.DataFrame({"race": ["a"] * 500 + ["b"] * 300 + ["c"] * 9 + ["d"] * 7 + ["e"] * 3})
    groups = similar_groups(Table.without_roles(frame), "race", [])
    assert [members(level) for level in groups.levels] == [{frozenset("cde")}, {frozenset("bcde")}]


def naive(profiles, weights, size):
    """Apply Ward's criterion to all pairs before each merge."""
    clusters = [([i], profiles[i], weights[i]) for i in range(len(weights))]

    def cost(pair):
        (_, p, m), (_, q, n) = pair
        return m * n / (m + n) * (((p - q) ** 2).sum() + RARITY)

    while len(clusters) > size:
        first, second = min(combinations(clusters, 2), key=cost)
        total = first[2] + second[2]
        center = (first[1] * first[2] + second[1] * second[2]) / total
        clusters = [one for one in clusters if one is not first and one is not second]
        clusters.append((first[0] + second[0], center, total))
    return {frozenset(one) for one, _, _ in clusters}


@pytest.mark.parametrize("seed", range(8))
def test_every_level_is_the_clustering_of_a_naive_search(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 24))
    frame = pd.DataFrame({"v": rng.choice([f"v{i}" for i in range(count)], 900, p=rng.dirichlet(np.ones(count)))})
    column = Table.without_roles(frame).columns["v"]
    profiles = rng.dirichlet(np.ones(4), len(column.values))
    groups = grouped(column, profiles)
    hierarchy = groups(column)
    assert len(hierarchy.levels) == len(groups.levels)
    for level in groups.levels:
        found = {frozenset(column.labels.index(value) for value in values) for values in level.values()}
        assert found == naive(profiles, column.counts.astype(float), len(level))


def test_too_few_or_too_many_values_and_numbers_are_not_grouped():
    frame = pd.DataFrame({"two": ["a", "b"] * 400, "many": [f"v{i}" for i in range(800)], "number": range(800)})
    table = Table.without_roles(frame)
    assert [similar_groups(table, name, []) for name in frame] == [None, None, None]


def test_labels_show_their_values_and_are_unique():
    frame = pd.DataFrame({"v": ["a"] * 50 + ["b"] * 4 + ["c"] * 3 + ["b or c"] * 40 + [f"x{i}" for i in range(9)]})
    column = Table.without_roles(frame).columns["v"]
    groups = grouped(column, np.zeros((len(column.values), 0)))
    labels = [label for level in groups.levels for label in level]
    assert any(label.endswith("others") for label in labels)
    assert len(groups(column).levels) == len(groups.levels)
    for level in groups.levels:
        assert all(len(values) == 1 or label not in column.labels for label, values in level.items())
        assert all(label.split(" or ")[0] == max(values, key=lambda v: frame.v.value_counts()[v])
                   for label, values in level.items() if 1 < len(values) <= 3)  # fmt: skip


# The recovered builder of a hierarchy builds the same hierarchy.


@pytest.mark.parametrize("case", BUILT)
def test_the_recovered_builder_builds_the_same_hierarchy(case):
    builder, column = BUILT[case]
    made = builder(column)
    assert recover(replace(column, hierarchy=made))(column).spec() == made.spec()


@pytest.mark.parametrize("case", ["widths", "widths, top and bottom", "cuts", "top alone", "dates"])
def test_the_recovered_builder_equals_the_original(case):
    builder, column = BUILT[case]
    assert recover(replace(column, hierarchy=builder(column))).to_dict() == builder.to_dict()


def test_the_levels_of_a_hierarchy_are_its_groups():
    column = BUILT["groups"][1]
    levels = [{"gov": ("Federal-gov", "Local-gov")}, {"all": ("Federal-gov", "Local-gov", "Private", "Self-emp")}]
    assert levels_of(Groups(tuple(levels))(column)) == levels and levels_of(None) == []


def test_leaves_that_the_data_lack_are_remembered():
    """The recovered hierarchy has the same losses as the original."""
    column = datasets.adult().columns["workclass"]
    assert column.hierarchy.whole > len(column.hierarchy.leaves)
    again = from_dict(recover(column).to_dict())(replace(column, hierarchy=None))
    assert again.spec() == column.hierarchy.spec() and again.whole == column.hierarchy.whole
    for wrong in ([3], [2, [1, 1, 1, 1]], ["8", [3, 2, 1, 1]], [8, [3, 2, 1]], [8, ["a", 2, 1, 1]]):
        with pytest.raises(BadInput, match="given: must have the total number of leaves"):
            Columns(column.hierarchy.frame(), given=wrong)(replace(column, hierarchy=None))
