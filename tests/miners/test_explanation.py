"""Explanations of miners: importance compared with values expected by hand, and the tree of predictions."""

import threading

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame, table_of
from tests.miners.oracle import UNKNOWN, MemorizingMiner
from workbench.base.errors import BadInput, Undefined
from workbench.base.progress import Cancelled
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import cross_fitting
from workbench.miners.explanation import (
    ALL,
    REST,
    Conditions,
    PredictionQuality,
    accuracy_sentence,
    conditions_on,
    explain_miner,
    grow_tree,
)
from workbench.miners.features import Feature
from workbench.models import KAnonymity
from workbench.queries.parser import parse

RECORDS = 2400


@pytest.fixture(scope="module")
def table():
    """The illness depends on the work only; the noise is irrelevant, and wages are ten times the age."""
    rng = np.random.default_rng(0)
    work = rng.choice(["Farm", "Shop", "Sea"], RECORDS, p=[0.6, 0.3, 0.1])
    ill = np.select([work == "Farm", work == "Shop"], ["Flu", "Gout"], "Ulcer")
    age = rng.integers(20, 60, RECORDS)
    frame = pd.DataFrame({"work": work, "age": age, "noise": rng.integers(0, 5, RECORDS), "ill": ill, "wage": age * 10})
    return Table.from_frame(frame, ["work", "age", "noise"], "ill")


@pytest.mark.parametrize("miner", ["one rule", "decision tree", "naive bayes"])
def test_importance_is_the_accuracy_lost_by_shuffling(table, miner):
    """Shuffled work is right for people who get the same work: the sum of squared shares."""
    found = explain_miner(Keep()(table), "ill", miner)
    shares = pd.Series(table.frame["work"]).value_counts(normalize=True)
    assert found.right == 1
    assert found.importance["work"] == pytest.approx(1 - (shares**2).sum(), abs=0.03)
    assert abs(found.importance["noise"]) < 0.01 and abs(found.importance["age"]) < 0.01
    assert "correctly for 100 %" in accuracy_sentence(found)


def test_importance_of_numbers_is_the_additional_error(table):
    """Ten times the mean difference of two random ages."""
    found = explain_miner(Keep()(table), "wage", "linear regression")
    age = table.frame["age"].to_numpy()
    apart = np.abs(age[:, None] - age).mean() * 10
    assert found.numbers and found.right < 1
    assert found.importance["age"] == pytest.approx(apart, rel=0.05)
    assert found.importance["noise"] == pytest.approx(0, abs=1)
    assert found.tree.below[0].condition.startswith("age >= ")


def test_the_tree_describes_predictions(table):
    lines = explain_miner(Keep()(table), "ill", "decision tree").text.splitlines()
    farm = int((table.frame["work"] == "Farm").sum())
    assert f"    work = 'Farm': Flu for all of {farm:,} records; right for 100 %" in lines
    assert any("work = 'Shop': Gout for all of" in line for line in lines)


def test_a_miner_that_learns_nothing_has_no_conditions(table):
    found = explain_miner(Keep()(table), "ill", "majority")
    assert found.tree.below == () and set(found.importance.values()) == {0.0}


def test_no_record_is_predicted_by_a_model_that_saw_it():
    """A miner that memorizes records cannot predict a new one."""
    frame = pd.DataFrame({"person": np.arange(300), "t": ["a first", *np.resize(["x", "y"], 299)]})
    found = explain_miner(Keep()(Table.from_frame(frame, ["person"], "t")), "t", MemorizingMiner())
    assert found.right == pytest.approx((frame.t == sorted(frame.t)[UNKNOWN]).mean())


def test_regions_are_formatted_as_conditions_and_a_seed_is_reproducible(table):
    release = Mondrian()(table, KAnonymity(300))
    first, again = (explain_miner(release, "age", "decision tree", seed=3) for _ in range(2))
    assert first.importance == again.importance and first.text == again.text
    assert "age " in first.tree.says


def test_worker_processes_give_the_same_result(table, monkeypatch):
    release = Mondrian()(table, KAnonymity(50))
    here = explain_miner(release, "ill", "decision tree")
    monkeypatch.setattr(cross_fitting, "FEW", 0)
    heard = list[tuple[int, int]]()
    there = explain_miner(release, "ill", "decision tree", progress=lambda *far: heard.append(far))
    assert here == there and heard == [(1, 3), (2, 3), (3, 3)]


def test_bad_requests_are_reported(table):
    with pytest.raises(BadInput, match="these are 3 miners"):
        explain_miner(Keep()(table), "ill", "three")
    with pytest.raises(Undefined, match="predicts numbers, and 'ill' is text"):
        explain_miner(Keep()(table), "ill", "mean")
    with pytest.raises(Undefined):
        explain_miner(Remove()(table), "age", "one rule")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        explain_miner(Keep()(table), "ill", "one rule", cancel=cancel)


# A small tree: its first condition is the best by exhaustive search, and its lines count correctly.

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


# Conditions describe their records: each is parsed as a query and evaluated record by record.


@pytest.fixture(scope="module")
def conditions_table():
    return table_of(random_frame(3, 200, missing=0.1), ["whole", "word", "real", "day", "plain"], ("s", "s2"))


@pytest.mark.parametrize(("method", "k"), [(Keep(), 1), (Mondrian(), 7)])
def test_records_that_certainly_meet_a_condition_show_nothing_else(conditions_table, method, k):
    release = method(conditions_table, KAnonymity(k))
    asked = 0
    for name in conditions_table.quasi:
        shown = release.shown(name)
        found = conditions_on(shown.column, Feature.from_shown(shown))
        for words, met in zip(found.words, found.met, strict=True):
            codes = parse(words, conditions_table).conditions[name]
            held = np.stack([shown.held(np.full(shown.records, c)) for c in range(shown.column.size)], axis=1)
            assert np.array_equal(met[found.at], ~(held & ~codes).any(axis=1)), words
            asked += 1
    assert asked > 20


def test_nodes_of_hierarchies_have_their_labels(conditions_table):
    shown = Keep()(conditions_table).shown("word")
    found = conditions_on(shown.column, Feature.from_shown(shown)).words
    assert shown.column.hierarchy is None or any("within" in words for words in found)
    assert any(words.startswith("word = '") for words in found)
