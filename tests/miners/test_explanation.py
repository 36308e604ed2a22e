"""Explanations of miners: importance compared with values expected by hand, and the tree of predictions."""

import threading

import numpy as np
import pandas as pd
import pytest

from tests.miners.oracle import UNKNOWN, MemorizingMiner
from workbench.base.errors import BadInput, Undefined
from workbench.base.progress import Cancelled
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import cross_fitting
from workbench.miners.explanation import accuracy_sentence, explain_miner
from workbench.models import KAnonymity

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
