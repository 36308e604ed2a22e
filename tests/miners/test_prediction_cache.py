"""No miner is trained twice for the same data."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.miners.oracle import MemorizingMiner
from workbench.base.progress import Cancelled
from workbench.methods import Keep, Mondrian
from workbench.miners import cross_fitting, prediction_cache
from workbench.miners.cross_fitting import cross_fit
from workbench.miners.prediction_cache import use_cache
from workbench.models import KAnonymity


class DictStore:
    def __init__(self):
        self.predictions = {}

    def mined(self, content, miner):
        return self.predictions.get((content, miner))

    def put_predictions(self, content, miner, found):
        self.predictions[content, miner] = found


@pytest.fixture
def mined_folds(monkeypatch):
    """Return a list of the folds that were mined."""
    count, real = [], cross_fitting.predict_fold
    monkeypatch.setattr(cross_fitting, "predict_fold", lambda *job: (count.append(job), real(*job))[1])
    return count


def test_a_release_caches_predictions(small, mined_folds):
    release = Keep()(small(0))
    for _ in range(3):
        cross_fit(release, "disease", ["naive bayes", MemorizingMiner()])
    assert len(mined_folds) == 20
    cross_fit(release, "disease", "naive bayes", seed=1)
    cross_fit(release, "wage", "naive bayes")
    assert len(mined_folds) == 40


def test_a_cache_is_shared_by_releases_that_show_the_same(small, mined_folds):
    store = DictStore()
    with use_cache(store):
        first = cross_fit(Mondrian()(small(0), KAnonymity(5)), "disease", "naive bayes")
        again = cross_fit(Mondrian()(small(0), KAnonymity(5)), "disease", "naive bayes")
        assert len(mined_folds) == 10 and len(store.predictions) == 1
        cross_fit(Mondrian()(small(0), KAnonymity(9)), "disease", "naive bayes")
    assert len(mined_folds) == 20
    cross_fit(Mondrian()(small(0), KAnonymity(5)), "disease", "naive bayes")
    assert len(mined_folds) == 30
    assert np.array_equal(first.of("naive bayes").codes, again.of("naive bayes").codes)


def test_a_waiting_thread_uses_the_predictions_of_another(small, mined_folds):
    release = Keep()(small(0))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: cross_fit(release, "disease", "naive bayes"), range(8)))
    assert len(mined_folds) == 10


def test_waiting_can_be_cancelled(small):
    stop = threading.Event()
    stop.set()
    with prediction_cache._turn, pytest.raises(Cancelled):
        cross_fit(Keep()(small(0)), "disease", "naive bayes", cancel=stop)
