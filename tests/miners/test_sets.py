"""Miners by name."""

import pytest

from workbench.base.errors import BadInput
from workbench.miners import DecisionTree, Majority, NaiveBayes, RandomForest
from workbench.miners.sets import chosen, miners, sets


def test_the_same_miners_are_meant():
    three = (NaiveBayes(), DecisionTree(), RandomForest())
    assert chosen("three") == chosen(["naive bayes", "decision tree", "random forest"]) == three
    assert chosen(["three", "naive bayes"]) == three
    assert chosen(["majority", {"name": "random forest", "trees": 50}]) == (Majority(), RandomForest(trees=50))
    assert chosen(Majority()) == chosen("majority") == (Majority(),)


def test_every_miner_is_in_one_of_the_sets():
    assert sorted(sets()["categorical"] + sets()["numeric"]) == sorted(miners())


@pytest.mark.parametrize("given", ["decision trees", [], 5, None, [["three"]]])
def test_what_is_no_miner_is_said(given):
    with pytest.raises(BadInput, match="no miner"):
        chosen(given)
    with pytest.raises(BadInput, match="has no parameter tree"):
        chosen({"name": "random forest", "tree": 3})
