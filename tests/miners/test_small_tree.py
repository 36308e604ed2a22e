"""A small tree: its first condition is the best by exhaustive search, and its lines count correctly."""

import numpy as np
import pytest

from workbench.miners.conditions import Conditions
from workbench.miners.small_tree import ALL, REST, PredictionQuality, grow_tree

RNG = np.random.default_rng(1)
AT = RNG.integers(0, 8, 600)
TOLD = np.where(AT >= 5, 2, np.where(RNG.random(600) < 0.7, 1, 0))
COLUMN = Conditions([f"q >= {v}" for v in range(1, 8)], np.arange(8) >= np.arange(1, 8)[:, None], AT)
NOISE = Conditions(["n = 1"], np.array([[False, True]]), RNG.integers(0, 2, 600))


def impurity(labels):
    shares = [sum(one == label for one in labels) / len(labels) for label in set(labels)]
    return 1 - sum(share**2 for share in shares)


def test_the_first_condition_removes_the_most_impurity():
    tree = grow_tree([NOISE, COLUMN], PredictionQuality(TOLD, "abc".__getitem__, TOLD > 0))
    asked = {}
    for words, place, column in [("n = 1", 0, NOISE), *((w, i, COLUMN) for i, w in enumerate(COLUMN.words))]:
        met = [bool(column.met[place][thing]) for thing in column.at]
        sides = [[t for t, m in zip(TOLD.tolist(), met, strict=True) if m == side] for side in (True, False)]
        asked[words] = sum(len(one) * impurity(one) for one in sides)
    assert tree.below[0].condition == min(asked, key=asked.get) == "q >= 5"


def test_the_lines_count_their_records():
    well = np.where(AT >= 5, 2, 1) == TOLD
    lines = list(grow_tree([COLUMN], PredictionQuality(TOLD, ("Flu", "Gout", "Ulcer").__getitem__, well)).lines())
    ulcer = int((AT >= 5).sum())
    assert lines[0].startswith(f"{ALL}: ") and "of 600 records" in lines[0]
    assert lines[1] == f"    q >= 5: Ulcer for all of {ulcer} records; right for 100 %"
    assert lines[2].startswith(f"    {REST}: Gout for ") and f"of {600 - ulcer} records" in lines[2]


def test_numbers_are_described_by_their_means():
    numbers = np.where(AT >= 3, 50.0, 10.0)
    tree = grow_tree([NOISE, COLUMN], PredictionQuality(numbers, None, np.full(600, 2.0)))
    assert [one.condition for one in tree.below] == ["q >= 3", REST]
    assert tree.below[0].says == f"50 on average for {int((AT >= 3).sum())} records, off by 2"
    assert not tree.below[0].below and not tree.below[1].below


@pytest.mark.parametrize("columns", [[], [NOISE]])
def test_irrelevant_columns_give_no_condition(columns):
    assert grow_tree(columns, PredictionQuality(TOLD, "abc".__getitem__, TOLD > 0)).below == ()
    assert grow_tree([COLUMN], PredictionQuality(np.zeros(600, int), "abc".__getitem__, TOLD > 0)).below == ()
