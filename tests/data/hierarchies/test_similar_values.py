"""Groups of similar text values, against a naive clustering and for values of known similarity."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from workbench.data.hierarchies.similar_values import RARITY, grouped, similar_groups
from workbench.data.table import Table

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
