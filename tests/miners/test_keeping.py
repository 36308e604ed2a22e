"""No miner is asked twice."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.miners.oracle import ByHeart
from workbench.base.progress import Cancelled
from workbench.methods import Keep, Mondrian
from workbench.miners import cross_fitting, keeping
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


def test_who_waits_finds_what_another_has_mined(small, asked):
    release = Keep()(small(0))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: cross_fitted(release, "disease", "naive bayes"), range(8)))
    assert len(asked) == 10


def test_who_waits_can_be_cancelled(small):
    stop = threading.Event()
    stop.set()
    with keeping._turn, pytest.raises(Cancelled):
        cross_fitted(Keep()(small(0)), "disease", "naive bayes", cancel=stop)
