"""Training and prediction of one fold."""

import signal
import time

import numpy as np
import pytest

from tests.methods.tables import random_frame, table_of
from tests.miners.oracle import UNKNOWN, FailingMiner, MemorizingMiner
from tests.widgets.scenario.people import people
from workbench.base.progress import Cancelled
from workbench.measures import AntiUtility, GoodUtility, WorkloadUtility
from workbench.methods import Keep
from workbench.miners import Majority, NaiveBayes, cross_fitting, fitting
from workbench.miners.cross_fitting import cross_fit
from workbench.miners.features import Feature
from workbench.miners.fitting import TrainingData, predict_fold, predict_shuffled, sample, sample_note

CODES = np.arange(3, dtype=np.int32)
SEEN = Feature(np.array([0, 1, 2, 0, 1, 2], np.int32), CODES, CODES, None, None, 3, ())


def work(labels, **changed):
    fold = np.array([0, 0, 0, 1, 1, 1], np.int16)
    return TrainingData([SEEN], np.array(labels, np.int32), None, fold, 0)._replace(**changed)


def test_predictions_come_from_the_other_folds():
    assert predict_fold(work([5, 6, 7, 5, 6, 7]), NaiveBayes(), 1).tolist() == [5, 6, 7]
    assert predict_fold(work([5, 6, 7, 1, 1, 1]), NaiveBayes(), 1).tolist() == [5, 6, 7]


def test_a_single_value_and_no_columns():
    assert predict_fold(work([5, 5, 5, 6, 6, 7]), NaiveBayes(), 1).tolist() == [5, 5, 5]
    assert predict_fold(work([5, 6, 6, 5, 6, 7], features=[]), Majority(), 1).tolist() == [6, 6, 6]


def test_the_digest_depends_on_everything():
    one = work([5, 6, 7, 5, 6, 7])
    others = [
        work([5, 6, 7, 5, 6, 6]), one._replace(seed=1), one._replace(features=[]), one._replace(features=[SEEN, SEEN]),
        one._replace(features=[SEEN._replace(at=SEEN.at[::-1].copy())]), one._replace(numbers=np.zeros(6)),
        one._replace(features=[SEEN._replace(high=CODES[::-1].copy())]), one._replace(fold=one.fold[::-1].copy()),
    ]  # fmt: skip
    assert len({one.content, *(other.content for other in others)}) == 9
    assert one.content == work([5, 6, 7, 5, 6, 7]).content


def test_each_column_is_shuffled_separately():
    """One row without shuffling, then one per column; only values of the predicted records are shuffled."""
    labels = [5, 6, 7, 5, 6, 7]
    rows = predict_shuffled(work(labels, features=[SEEN, SEEN._replace(at=np.zeros(6, np.int32))]), NaiveBayes(), 1)
    assert rows.shape == (3, 3) and rows[0].tolist() == rows[2].tolist() == [5, 6, 7]
    assert sorted(rows[1].tolist()) == [5, 6, 7]


def test_a_miner_is_trained_on_a_sample_of_very_many_records(monkeypatch):
    many, labels = 300, np.arange(1, 301, dtype=np.int32)
    codes = np.arange(many, dtype=np.int32)
    known = TrainingData(
        [Feature(codes, codes, codes, None, None, many, ())], labels, None, np.zeros(many, np.int16), 0
    )
    train = np.arange(0, 300, 2)
    assert sample(train, 0) is train and sample_note(300) == ""
    monkeypatch.setattr(fitting, "MAX_TRAINING", 100)
    some, same, other = sample(train, 0), sample(train, 0), sample(train, 1)
    assert len(some) == 100 == len(np.unique(some)) and set(some) <= set(train)
    assert np.array_equal(some, same) and not np.array_equal(some, other)
    assert sample_note(300) == " Each miner was trained on 100 other records, drawn at random."
    assert sample_note(111) == "" and sample_note(112) and sample_note(150, 3) == "" and sample_note(152, 3)
    monkeypatch.setattr(TrainingData, "sides", lambda work, fold: (train, train))
    assert (predict_fold(known, MemorizingMiner(), 0) != UNKNOWN).sum() == 100, "it memorizes its training data"


def test_measures_report_training_on_a_sample(monkeypatch):
    release = Keep()(people())
    asked = [GoodUtility("ill", "majority"), WorkloadUtility("ill", "majority"), AntiUtility("age", "majority")]
    assert not any("at random" in measure(release).sentence for measure in asked)
    monkeypatch.setattr(fitting, "MAX_TRAINING", 100)
    assert all(measure(release).sentence.endswith("100 other records, drawn at random.") for measure in asked)


# Worker processes.

NOTHING = 0


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(cross_fitting, "FEW", NOTHING)
    return table_of(random_frame(3, 200, missing=0.1), ["whole", "word"], ("s", "s2"))


def test_worker_processes_give_the_same_result(table, monkeypatch):
    there = cross_fit(Keep()(table), "s", ["naive bayes", "decision tree"])
    assert len(fitting._idle) == min(fitting.processors(), 20)
    monkeypatch.setattr(cross_fitting, "FEW", 10**6)
    here = cross_fit(Keep()(table), "s", ["naive bayes", "decision tree"])
    for miner in here.found:
        assert np.array_equal(here.by_miner(miner).codes, there.by_miner(miner).codes)


@pytest.mark.slow
def test_a_sleeping_process_is_ended_on_request(table):
    began, asked = time.perf_counter(), []

    def look():
        if time.perf_counter() > began + 2:
            asked.append(time.perf_counter())
            raise Cancelled

    work = cross_fitting.training_data(Keep()(table), Keep()(table).shown("s"), ("whole",), 4, 0)
    with pytest.raises(Cancelled):
        fitting.run(work, [(FailingMiner(), fold) for fold in range(4)], lambda job, answer: None, look)
    assert time.perf_counter() - asked[0] < 2  # .5 s on an idle machine: benchmarks/miners.py


@pytest.mark.slow
def test_failures_in_a_process_are_raised_here(table):
    with pytest.raises(ValueError, match="cannot be learnt"):
        cross_fit(Keep()(table), "s", FailingMiner("fails"))
    with pytest.raises(RuntimeError, match="ended; is there enough memory"):
        cross_fit(Keep()(table), "s", FailingMiner("dies"))
    assert cross_fit(Keep()(table), "s", NaiveBayes()).by_miner(NaiveBayes()).records == 200


@pytest.mark.slow
def test_a_process_that_ended_is_replaced(table):
    cross_fit(Keep()(table), "s", "majority")
    for one in fitting._idle:
        one.kill()
        one.wait()
    assert cross_fit(Keep()(table), "s", "majority").by_miner("majority").records == 200


def test_an_interrupted_process_waits_for_its_owner(table):
    cross_fit(Keep()(table), "s", "majority")
    one = fitting._idle[-1]
    one.send_signal(signal.SIGINT)
    assert fitting._answers(one)
