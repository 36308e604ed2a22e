"""Processes that learn."""

import signal
import time

import numpy as np
import pytest

from tests.methods.tables import random_frame, table_of
from tests.miners.oracle import Odd
from workbench.base.progress import Cancelled
from workbench.methods import Keep
from workbench.miners import NaiveBayes, cross_fitting, workers
from workbench.miners.cross_fitting import cross_fitted

NOTHING = 0


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(cross_fitting, "FEW", NOTHING)
    return table_of(random_frame(3, 200, missing=0.1), ["whole", "word"], ("s", "s2"))


def test_processes_find_what_is_found_here(table, monkeypatch):
    there = cross_fitted(Keep()(table), "s", ["naive bayes", "decision tree"])
    assert len(workers._idle) == min(workers.processors(), 20)
    monkeypatch.setattr(cross_fitting, "FEW", 10**6)
    here = cross_fitted(Keep()(table), "s", ["naive bayes", "decision tree"])
    for miner in here.found:
        assert np.array_equal(here.of(miner).codes, there.of(miner).codes)


def test_a_process_that_sleeps_is_ended_when_it_is_asked_to(table):
    began, asked = time.perf_counter(), []

    def look():
        if time.perf_counter() > began + 2:
            asked.append(time.perf_counter())
            raise Cancelled

    work = cross_fitting.work_of(Keep()(table), Keep()(table).shown("s"), ("whole",), 4, 0)
    with pytest.raises(Cancelled):
        workers.run(work, [(Odd(), fold) for fold in range(4)], lambda job, answer: None, look)
    assert time.perf_counter() - asked[0] < 2  # .5 s on an idle machine: benchmarks/miners.py


def test_what_fails_there_fails_here(table):
    with pytest.raises(ValueError, match="cannot be learnt"):
        cross_fitted(Keep()(table), "s", Odd("fails"))
    with pytest.raises(RuntimeError, match="ended; is there memory left"):
        cross_fitted(Keep()(table), "s", Odd("dies"))
    assert cross_fitted(Keep()(table), "s", NaiveBayes()).of(NaiveBayes()).records == 200


def test_one_that_has_ended_is_replaced(table):
    cross_fitted(Keep()(table), "s", "majority")
    for one in workers._idle:
        one.kill()
        one.wait()
    assert cross_fitted(Keep()(table), "s", "majority").of("majority").records == 200


def test_one_that_is_interrupted_waits_for_whoever_started_it(table):
    cross_fitted(Keep()(table), "s", "majority")
    one = workers._idle[-1]
    one.send_signal(signal.SIGINT)
    assert workers._answers(one)
