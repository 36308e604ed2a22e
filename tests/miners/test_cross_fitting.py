"""No record is predicted by a model that saw it, and no original value reaches a prediction: both leaks are tried."""

import threading

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame, table_of
from tests.miners.oracle import UNKNOWN, MemorizingMiner
from workbench.base.errors import BadInput, Undefined
from workbench.base.progress import Cancelled, cancellable
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import DecisionTree, Majority, NaiveBayes, RandomForest, cross_fitting
from workbench.miners.cross_fitting import cross_fit, folds_of, published_numbers
from workbench.miners.features import Feature
from workbench.miners.fitting import TrainingData
from workbench.models import KAnonymity
from workbench.releases.partition import Partition


@pytest.fixture(scope="module")
def table():
    return table_of(random_frame(3, 200, missing=0.1), ["whole", "word"], ("s", "s2"))


def unique_people() -> Table:
    """Return people with unique numbers and unpredictable targets that are never UNKNOWN."""
    rng = np.random.default_rng(0)
    target = np.array(["a first value, the unknown", *rng.choice(["x", "y", "z"], 299)])
    frame = pd.DataFrame({"person": np.arange(300), "q": rng.integers(0, 5, 300), "t": target})
    return Table.from_frame(frame, ["q"], "t")


def count_memorized() -> int:
    """Return for how many records the predicting miner was trained on them."""
    found = cross_fit(Keep()(unique_people()), "t", MemorizingMiner())
    return int((found.of(MemorizingMiner()).codes != UNKNOWN).sum())


def test_no_record_is_predicted_by_a_model_that_saw_it(monkeypatch):
    assert count_memorized() == 0
    real = TrainingData.sides
    monkeypatch.setattr(TrainingData, "sides", lambda work, fold: (np.arange(len(work.fold)), real(work, fold)[1]))
    assert count_memorized() == 299, "the leak that is built in here is not seen"


def shuffled_inside(release: Partition, names: list[str]) -> Partition:
    """Return the same classes with the same regions, and with values swapped between records."""
    frame, group = release.table.frame, release.group_of_record
    by_chance = np.lexsort([np.random.default_rng(1).random(len(frame)), group])
    for name in names:
        values = frame[name].array.copy()
        values[np.argsort(group, kind="stable")] = frame[name].array[by_chance]
        frame[name] = values
    table = table_of(frame, ["whole", "word"], ("s", "s2"))
    number = np.full(len(table.cells()), -1, np.int32)
    number[table.cell_of_record()] = group
    other = Partition(table, table.cells(), number)
    assert (other.group_of_record == group).all() and (frame["whole"] != release.table.frame["whole"]).any()
    return other


def same_predictions(target: str) -> bool:
    frame = random_frame(3, 200, missing=0.1).drop(columns=["person", "real", "day"])
    release = Mondrian()(table_of(frame, ["whole", "word"], ("s", "s2")), KAnonymity(9))
    two, asked = (release, shuffled_inside(release, ["whole", "word"])), (NaiveBayes(), DecisionTree(), RandomForest(5))
    found = [cross_fit(one, target, asked, folds=4) for one in two]
    return all(np.array_equal(*(one.of(miner).labels for one in found)) for miner in asked)


@pytest.mark.parametrize("target", ["s", "whole"])
def test_no_original_value_reaches_a_prediction(target, monkeypatch):
    """The classes of two tables show the same regions of different values, also for the target."""
    assert same_predictions(target)
    real = cross_fitting.features

    def leaky(release, names, seed):
        more = Feature.from_shown(Keep()(release.table).shown("whole"))
        return [*real(release, names, seed), more]

    monkeypatch.setattr(cross_fitting, "features", leaky)
    assert not same_predictions(target), "the leak that is built in here is not seen"


def test_folds_are_stratified():
    labels = np.random.default_rng(1).choice(3, 997, p=[0.7, 0.25, 0.05])
    fold = folds_of(labels, 10, 4)
    counts = np.array([[((fold == f) & (labels == v)).sum() for v in range(3)] for f in range(10)])
    assert (np.ptp(counts, axis=0) <= 1).all() and np.ptp(np.bincount(fold)) <= 1
    assert (folds_of(labels, 10, 4) == fold).all() and (folds_of(labels, 10, 5) != fold).any()


def test_each_fold_is_predicted_from_the_others(table):
    """Compared with a loop over folds that shares no code."""
    release = Mondrian()(table, KAnonymity(6))
    found = cross_fit(release, "s", Majority(), folds=5, seed=2).of("majority").codes
    codes, fold = release.shown("s").codes, folds_of(release.shown("s").codes, 5, 2)
    for f in range(5):
        values, counts = np.unique(codes[fold != f], return_counts=True)
        assert set(found[fold == f]) == {values[counts.argmax()]}


def test_suppressed_records_are_not_used_for_training(table):
    release = Mondrian()(table, KAnonymity(6)).without(np.array([0]))
    assert cross_fit(release, "s", "majority").of("majority").records == len(release.published_records) < 200


def test_a_generalized_target_is_predicted_as_regions_that_occur(table):
    release = Mondrian()(table, KAnonymity(9))
    told = cross_fit(release, "whole", "naive bayes").of("naive bayes")
    assert told.codes is None and set(told.group) <= set(release.shown("whole").group)
    right = (told.group == release.shown("whole").group).mean()
    assert right > 0.3  # its column is correlated with others


def test_a_bucketized_release_is_mined_as_assigned(table):
    release = Mondrian(publish="bucketized")(table, KAnonymity(20))
    one, two = (cross_fit(release, "s", NaiveBayes(), seed=seed).of(NaiveBayes()).codes for seed in (1, 2))
    assert (one != two).any()


def test_only_given_columns_are_used_for_training(table):
    release = Keep()(table)
    assert cross_fit(release, "s", NaiveBayes(), given=()).of(NaiveBayes()).codes.tolist() == (
        cross_fit(release, "s", "majority", given=()).of("majority").codes.tolist()
    )
    with pytest.raises(BadInput, match="is not a column"):
        cross_fit(release, "s", "majority", given=["wrod"])


def test_numbers_of_intervals_are_their_middles(table):
    release = Mondrian()(table, KAnonymity(9))
    whole, found = table.frame["whole"], published_numbers(release.shown("whole"))
    for group in set(release.group_of_record):
        inside = release.group_of_record == group
        known = whole[inside].dropna()
        if len(known) and whole[inside].notna().all():
            assert set(found[inside]) == {(known.min() + known.max()) / 2}


@pytest.mark.parametrize(
    ("target", "miner", "words"), [("word2", "majority", "not a column"), ("word", "majority", "not published")]
)
def test_bad_requests_are_reported(table, target, miner, words):
    with pytest.raises((BadInput, Undefined), match=words):
        cross_fit(Remove("word")(table), target, miner)
    with pytest.raises(BadInput, match="folds = 1 must"):
        cross_fit(Keep()(table), "s", "majority", folds=1)


def test_progress_and_cancel(table):
    told, words, stop = [], [], threading.Event()
    with cancellable(report=words.append):
        cross_fit(Keep()(table), "s2", "majority", folds=4, progress=lambda *count: told.append(count))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)] and words[-1] == "4 of 4 folds done"
    stop.set()
    with pytest.raises(Cancelled):
        cross_fit(Keep()(table), "s2", "majority", folds=4, cancel=stop)
    again = Keep()(table)
    cross_fit(again, "s2", "majority")
    cross_fit(again, "s2", ["majority", "naive bayes"], progress=lambda *count: told.append(count))
    assert told[-1] == (10, 10), "only the new miner is run"


def test_the_representation_contains_no_records(table):
    assert repr(cross_fit(Keep()(table), "s", "majority")) == "<Predictions of 's' by majority>"


def test_too_much_data_is_refused_before_a_process_starts(table, monkeypatch):
    monkeypatch.setattr(cross_fitting, "FEW", 10)
    monkeypatch.setattr(cross_fitting, "MEMORY", 10_000)
    with pytest.raises(
        Undefined, match=r"200 records with [0-9]+ columns to learn from do not fit in 1e-05 GB of memory"
    ):
        cross_fit(Keep()(table), "s", "naive bayes")
