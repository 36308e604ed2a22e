"""Worker processes."""

import signal
import time

import numpy as np
import pytest

from tests.methods.tables import random_frame, table_of
from tests.miners.oracle import FailingMiner
from workbench.base.progress import Cancelled
from workbench.methods import Keep
from workbench.miners import NaiveBayes, cross_fitting, workers
from workbench.miners.cross_fitting import cross_fit

NOTHING = 0


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(cross_fitting, "FEW", NOTHING)
    return table_of(random_frame(3, 200, missing=0.1), ["whole", "word"], ("s", "s2"))


def test_worker_processes_give_the_same_result(table, monkeypatch):
    there = cross_fit(Keep()(table), "s", ["naive bayes", "decision tree"])
    assert len(workers._idle) == min(workers.processors(), 20)
    monkeypatch.setattr(cross_fitting, "FEW", 10**6)
    here = cross_fit(Keep()(table), "s", ["naive bayes", "decision tree"])
    for miner in here.found:
        assert np.array_equal(here.of(miner).codes, there.of(miner).codes)


@pytest.mark.slow
def test_a_sleeping_process_is_ended_on_request(table):
    began, asked = time.perf_counter(), []

    def look():
        if time.perf_counter() > began + 2:
            asked.append(time.perf_counter())
            raise Cancelled

    work = cross_fitting.training_data(Keep()(table), Keep()(table).shown("s"), ("whole",), 4, 0)
    with pytest.raises(Cancelled):
        workers.run(work, [(FailingMiner(), fold) for fold in range(4)], lambda job, answer: None, look)
    assert time.perf_counter() - asked[0] < 2  # .5 s on an idle machine: benchmarks/miners.py


def test_failures_in_a_process_are_raised_here(table):
    with pytest.raises(ValueError, match="cannot be learnt"):
        cross_fit(Keep()(table), "s", FailingMiner("fails"))
    with pytest.raises(RuntimeError, match="ended; is there enough memory"):
        cross_fit(Keep()(table), "s", FailingMiner("dies"))
    assert cross_fit(Keep()(table), "s", NaiveBayes()).of(NaiveBayes()).records == 200


@pytest.mark.slow
def test_a_process_that_ended_is_replaced(table):
    cross_fit(Keep()(table), "s", "majority")
    for one in workers._idle:
        one.kill()
        one.wait()
    assert cross_fit(Keep()(table), "s", "majority").of("majority").records == 200


def test_an_interrupted_process_waits_for_its_owner(table):
    cross_fit(Keep()(table), "s", "majority")
    one = workers._idle[-1]
    one.send_signal(signal.SIGINT)
    assert workers._answers(one)
