"""What a miner has learnt: importance beside what is expected of it by hand, and a tree that says it."""

import threading

import numpy as np
import pandas as pd
import pytest

from tests.miners.oracle import UNKNOWN, ByHeart
from workbench.base.errors import BadInput, Undefined
from workbench.base.progress import Cancelled
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import cross_fitting
from workbench.miners.learnt import learnt, sentence
from workbench.models import KAnonymity

RECORDS = 2400


@pytest.fixture(scope="module")
def table():
    """The work alone tells the illness; the noise tells nothing, and wages are ten times the age."""
    rng = np.random.default_rng(0)
    work = rng.choice(["Farm", "Shop", "Sea"], RECORDS, p=[0.6, 0.3, 0.1])
    ill = np.select([work == "Farm", work == "Shop"], ["Flu", "Gout"], "Ulcer")
    age = rng.integers(20, 60, RECORDS)
    frame = pd.DataFrame({"work": work, "age": age, "noise": rng.integers(0, 5, RECORDS), "ill": ill, "wage": age * 10})
    return Table.from_frame(frame, ["work", "age", "noise"], "ill")


@pytest.mark.parametrize("miner", ["one rule", "decision tree", "naive bayes"])
def test_importance_is_what_is_lost_when_values_are_exchanged(table, miner):
    """Exchanged, the work is right for who gets one of the same work: sum of squared shares."""
    found = learnt(Keep()(table), "ill", miner)
    shares = pd.Series(table.frame["work"]).value_counts(normalize=True)
    assert found.right == 1
    assert found.importance["work"] == pytest.approx(1 - (shares**2).sum(), abs=0.03)
    assert abs(found.importance["noise"]) < 0.01 and abs(found.importance["age"]) < 0.01
    assert "right for 100 %" in sentence(found)


def test_importance_of_numbers_is_how_much_farther_they_are_off(table):
    """Of two ages drawn apart the mean difference, times ten."""
    found = learnt(Keep()(table), "wage", "linear regression")
    age = table.frame["age"].to_numpy()
    apart = np.abs(age[:, None] - age).mean() * 10
    assert found.numbers and found.right < 1
    assert found.importance["age"] == pytest.approx(apart, rel=0.05)
    assert found.importance["noise"] == pytest.approx(0, abs=1)
    assert found.tree.below[0].condition.startswith("age >= ")


def test_the_tree_says_who_is_predicted_what(table):
    lines = learnt(Keep()(table), "ill", "decision tree").text.splitlines()
    farm = int((table.frame["work"] == "Farm").sum())
    assert f"    work = 'Farm': Flu for all of {farm:,} records; right for 100 %" in lines
    assert any("work = 'Shop': Gout for all of" in line for line in lines)


def test_a_miner_that_learns_nothing_has_no_conditions(table):
    found = learnt(Keep()(table), "ill", "majority")
    assert found.tree.below == () and set(found.importance.values()) == {0.0}


def test_no_record_is_predicted_by_a_model_that_saw_it():
    """Who knows by heart knows nothing of a record that is new."""
    frame = pd.DataFrame({"person": np.arange(300), "t": ["a first", *np.resize(["x", "y"], 299)]})
    found = learnt(Keep()(Table.from_frame(frame, ["person"], "t")), "t", ByHeart())
    assert found.right == pytest.approx((frame.t == sorted(frame.t)[UNKNOWN]).mean())


def test_regions_are_predicted_as_conditions_and_the_same_seed_finds_the_same(table):
    release = Mondrian()(table, KAnonymity(300))
    first, again = (learnt(release, "age", "decision tree", seed=3) for _ in range(2))
    assert first.importance == again.importance and first.text == again.text
    assert "age " in first.tree.says


def test_processes_find_what_is_found_here(table, monkeypatch):
    release = Mondrian()(table, KAnonymity(50))
    here = learnt(release, "ill", "decision tree")
    monkeypatch.setattr(cross_fitting, "FEW", 0)
    heard = list[tuple[int, int]]()
    there = learnt(release, "ill", "decision tree", progress=lambda *far: heard.append(far))
    assert here == there and heard == [(1, 3), (2, 3), (3, 3)]


def test_what_cannot_be_learnt_is_said(table):
    with pytest.raises(BadInput, match="these are 3 miners"):
        learnt(Keep()(table), "ill", "three")
    with pytest.raises(Undefined, match="predicts numbers, and 'ill' is text"):
        learnt(Keep()(table), "ill", "mean")
    with pytest.raises(Undefined):
        learnt(Remove()(table), "age", "one rule")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        learnt(Keep()(table), "ill", "one rule", cancel=cancel)
