"""Miners by name."""

import pytest

from workbench.base.errors import BadInput, Undefined
from workbench.miners import DecisionTree, Majority, NaiveBayes, RandomForest
from workbench.miners.sets import miners, resolve_miners, sets, target_or_default


def test_names_and_sets_resolve_to_the_same_miners():
    three = (NaiveBayes(), DecisionTree(), RandomForest())
    assert resolve_miners("three") == resolve_miners(["naive bayes", "decision tree", "random forest"]) == three
    assert resolve_miners(["three", "naive bayes"]) == three
    assert resolve_miners(["majority", {"name": "random forest", "trees": 50}]) == (Majority(), RandomForest(trees=50))
    assert resolve_miners(Majority()) == resolve_miners("majority") == (Majority(),)


def test_every_miner_is_in_a_set():
    assert sorted(sets()["categorical"] + sets()["numeric"]) == sorted(miners())


@pytest.mark.parametrize("given", ["decision trees", [], 5, None, [["three"]]])
def test_bad_miners_are_reported(given):
    with pytest.raises(BadInput, match=r"not a miner|no miner"):
        resolve_miners(given)
    with pytest.raises(BadInput, match="has no parameter tree"):
        resolve_miners({"name": "random forest", "tree": 3})


# Which column is predicted.


def test_the_first_sensitive_column_unless_another_is_given(small):
    assert target_or_default(small(0, ("disease", "wage")), None) == "disease"
    assert target_or_default(small(0), "age") == "age"
    with pytest.raises(Undefined, match="name the column to predict"):
        target_or_default(small(0, ()), None)
