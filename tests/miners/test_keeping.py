"""No miner is asked twice."""

import numpy as np
import pytest

from tests.miners.oracle import ByHeart
from workbench.methods import Keep, Mondrian
from workbench.miners import cross_fitting
from workbench.miners.cross_fitting import cross_fitted
from workbench.miners.keeping import kept_in
from workbench.models import KAnonymity


class Shelf:
    def __init__(self):
        self.there = {}

    def mined(self, content, miner):
        return self.there.get((content, miner))

    def keep_mined(self, content, miner, found):
        self.there[content, miner] = found


@pytest.fixture
def asked(monkeypatch):
    """How many folds were mined."""
    count, real = [], cross_fitting.predicted
    monkeypatch.setattr(cross_fitting, "predicted", lambda *job: (count.append(job), real(*job))[1])
    return count


def test_a_release_remembers(small, asked):
    release = Keep()(small(0))
    for _ in range(3):
        cross_fitted(release, "disease", ["naive bayes", ByHeart()])
    assert len(asked) == 20
    cross_fitted(release, "disease", "naive bayes", seed=1)
    cross_fitted(release, "wage", "naive bayes")
    assert len(asked) == 40


def test_a_shelf_is_for_releases_that_show_the_same(small, asked):
    shelf = Shelf()
    with kept_in(shelf):
        first = cross_fitted(Mondrian()(small(0), KAnonymity(5)), "disease", "naive bayes")
        again = cross_fitted(Mondrian()(small(0), KAnonymity(5)), "disease", "naive bayes")
        assert len(asked) == 10 and len(shelf.there) == 1
        cross_fitted(Mondrian()(small(0), KAnonymity(9)), "disease", "naive bayes")
    assert len(asked) == 20
    cross_fitted(Mondrian()(small(0), KAnonymity(5)), "disease", "naive bayes")
    assert len(asked) == 30
    assert np.array_equal(first.of("naive bayes").codes, again.of("naive bayes").codes)
