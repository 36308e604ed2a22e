"""Training and prediction of one fold."""

import numpy as np

from tests.miners.oracle import UNKNOWN, MemorizingMiner
from tests.widgets.scenario.people import people
from workbench.measures import AntiUtility, GoodUtility, WorkloadUtility
from workbench.methods import Keep
from workbench.miners import Majority, NaiveBayes, fitting
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
