"""Classes: arrays over many, a selection, and merged ones."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import TooMany
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.models.classes import Classes

SEEN = {"s": Sensitive("s", ("x", "y", "z"), np.array([5, 4, 1]))}


@pytest.fixture
def classes():
    return Classes(
        sizes=np.array([4, 3, 3]),
        histograms={"s": np.array([[4, 0, 0], [1, 2, 0], [0, 2, 1]])},
        sensitive=SEEN,
        low=np.array([[0, 1], [2, 0], [5, 3]], np.int32),
        high=np.array([[1, 1], [4, 2], [5, 3]], np.int32),
    )


def test_distributions_are_shares_of_each_class(classes):
    assert classes.distributions("s") == pytest.approx(np.array([[1, 0, 0], [1 / 3, 2 / 3, 0], [0, 2 / 3, 1 / 3]]))


def test_the_prior_is_the_whole_tables_distribution():
    assert SEEN["s"].prior == pytest.approx([0.5, 0.4, 0.1])
    assert len(SEEN["s"]) == 3


@pytest.mark.parametrize("chosen", [[2, 0], [False, True, False]])
def test_a_selection_of_classes_keeps_their_arrays(classes, chosen):
    some, of = classes.take(np.array(chosen)), np.arange(3)[np.array(chosen)]
    assert len(some) == len(of)
    assert some.sizes.tolist() == classes.sizes[of].tolist()
    assert some.histograms["s"].tolist() == classes.histograms["s"][of].tolist()
    assert some.low.tolist() == classes.low[of].tolist() and some.high.tolist() == classes.high[of].tolist()


def test_merging_adds_counts_and_joins_regions(classes):
    merged = classes.merged(np.array([1, 0, 1]))
    assert merged.sizes.tolist() == [3, 7]
    assert merged.histograms["s"].tolist() == [[1, 2, 0], [4, 2, 1]]
    assert merged.low.tolist() == [[2, 0], [0, 1]] and merged.high.tolist() == [[4, 2], [5, 3]]


def test_classes_without_regions_are_merged(classes):
    bare = Classes(classes.sizes, classes.histograms, SEEN)
    assert bare.merged(np.zeros(3, int)).sizes.tolist() == [10]
    assert bare.take(np.array([1])).low is None


def test_classes_that_do_not_fit_in_memory_raise_too_many(monkeypatch):
    """300 people, nearly all distinct, with 200 sensitive values: the baseline publishes as many classes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 300), "zip": rng.integers(0, 50, 300)})
    frame["income"] = rng.integers(0, 200, 300)
    data = Table.from_frame(frame, ["age", "zip"], "income")
    monkeypatch.setattr("workbench.models.classes.LARGEST", 100_000)
    found = sweep(data, [Recipe(Mondrian(), KAnonymity(20))], [PrivacyLoss()])
    fine, keep, _ = found.measured
    assert fine.values and "classes or more with" in keep.reasons["P_loss"]
    assert "do not fit in memory; request larger classes, for example by a larger k" in keep.reasons["P_loss"]
    with pytest.raises(TooMany):
        Mondrian()(data, KAnonymity(1))
