"""No record is predicted by a model that saw it, and no original value reaches a prediction: both leaks are tried."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame, table_of
from tests.miners.oracle import UNKNOWN, MemorizingMiner
from tests.widgets.scenario.people import people
from workbench.base.errors import BadInput, Undefined
from workbench.base.progress import Cancelled, cancellable
from workbench.data.cells import cell_of_record
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import DecisionTree, Majority, Mean, NaiveBayes, RandomForest, cross_fitting
from workbench.miners.cross_fitting import (
    FOLDS,
    SAMPLES,
    cross_fit,
    estimate_seconds,
    folds_of,
    original_release,
    predict_commonest,
    predict_target,
    published_numbers,
    use_cache,
)
from workbench.miners.features import Feature
from workbench.miners.fitting import TrainingData, processors
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign
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
    return int((found.by_miner(MemorizingMiner()).codes != UNKNOWN).sum())


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
    number[cell_of_record(table)] = group
    other = Partition(table, table.cells(), number)
    assert (other.group_of_record == group).all() and (frame["whole"] != release.table.frame["whole"]).any()
    return other


def same_predictions(target: str) -> bool:
    frame = random_frame(3, 200, missing=0.1).drop(columns=["person", "real", "day"])
    release = Mondrian()(table_of(frame, ["whole", "word"], ("s", "s2")), KAnonymity(9))
    two, asked = (release, shuffled_inside(release, ["whole", "word"])), (NaiveBayes(), DecisionTree(), RandomForest(5))
    found = [cross_fit(one, target, asked, folds=4) for one in two]
    return all(np.array_equal(*(one.by_miner(miner).labels for one in found)) for miner in asked)


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
    found = cross_fit(release, "s", Majority(), folds=5, seed=2).by_miner("majority").codes
    codes, fold = release.shown("s").codes, folds_of(release.shown("s").codes, 5, 2)
    for f in range(5):
        values, counts = np.unique(codes[fold != f], return_counts=True)
        assert set(found[fold == f]) == {values[counts.argmax()]}


def test_suppressed_records_are_not_used_for_training(table):
    release = Mondrian()(table, KAnonymity(6)).without(np.array([0]))
    assert cross_fit(release, "s", "majority").by_miner("majority").records == len(release.published_records) < 200


def test_a_generalized_target_is_predicted_as_regions_that_occur(table):
    release = Mondrian()(table, KAnonymity(9))
    told = cross_fit(release, "whole", "naive bayes").by_miner("naive bayes")
    assert told.codes is None and set(told.group) <= set(release.shown("whole").group)
    right = (told.group == release.shown("whole").group).mean()
    assert right > 0.3  # its column is correlated with others


def test_a_bucketized_release_is_mined_as_assigned(table):
    release = Mondrian(publish="bucketized")(table, KAnonymity(20))
    one, two = (cross_fit(release, "s", NaiveBayes(), seed=seed).by_miner(NaiveBayes()).codes for seed in (1, 2))
    assert (one != two).any()


def test_only_given_columns_are_used_for_training(table):
    release = Keep()(table)
    assert cross_fit(release, "s", NaiveBayes(), given=()).by_miner(NaiveBayes()).codes.tolist() == (
        cross_fit(release, "s", "majority", given=()).by_miner("majority").codes.tolist()
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


# No miner is trained twice for the same data.


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
    assert np.array_equal(first.by_miner("naive bayes").codes, again.by_miner("naive bayes").codes)


def test_a_waiting_thread_uses_the_predictions_of_another(small, mined_folds):
    release = Keep()(small(0))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: cross_fit(release, "disease", "naive bayes"), range(8)))
    assert len(mined_folds) == 10


def test_waiting_can_be_cancelled(small):
    stop = threading.Event()
    stop.set()
    with cross_fitting._turn, pytest.raises(Cancelled):
        cross_fit(Keep()(small(0)), "disease", "naive bayes", cancel=stop)


# The expected duration of cross-fitting: samples are timed, and their growth is extrapolated.


@pytest.mark.parametrize(("power", "counted"), [(0.5, 1), (1, 1), (1.5, 1.5), (3, 2)])
def test_time_grows_with_a_power_of_the_records(monkeypatch, power, counted):
    monkeypatch.setattr(cross_fitting, "_timed", lambda work, miner, size: (size / 1000) ** power)
    found = estimate_seconds(Keep()(people(6400)), "ill", [NaiveBayes()])
    last = (SAMPLES[1] / 1000) ** power
    assert found == pytest.approx(FOLDS * last * (6400 / SAMPLES[1]) ** counted / processors())


def test_small_tables_are_timed_as_a_whole():
    assert 0 < estimate_seconds(Keep()(people()), "ill", [NaiveBayes()]) < 60
    assert estimate_seconds(Keep()(people()), "ill", []) == 0


# Predictions compared with the truth.


def test_the_original_release_is_cached(small):
    table = small(1)
    assert original_release(table) is original_release(table)
    for name in released_columns(table):
        assert (original_release(table).shown(name).codes == table.codes[name]).all()


def test_suppressed_records_are_predicted_by_the_commonest_value(small):
    table = small(0)
    release = Mondrian()(table, KAnonymity(5)).without(np.array([0, 1]))
    found = predict_target(release, "disease", Majority())
    gone = np.setdiff1d(np.arange(table.records), release.published_records)
    told = table.codes["disease"][release.published_records]
    assert len(gone) and set(found.predicted[gone]) == {np.bincount(told).argmax()}
    assert (found.true == table.codes["disease"]).all() and len(found.predicted) == table.records
    wages = predict_target(release, "wage", Mean(), numbers=True)
    told = table.frame["wage"][release.published_records].mean()
    assert wages.predicted[gone] == pytest.approx([told] * len(gone))
    assert (wages.true == table.frame["wage"]).all()


def test_the_prediction_without_any_column(small):
    found = predict_commonest(small(1), "disease")
    assert set(found.predicted) == {np.bincount(small(1).codes["disease"]).argmax()}


def test_a_file_is_scored_by_its_own_values():
    frame = pd.DataFrame({"age": [20, 25, 29, 31, 39, 50], "ill": list("aabbaa")})
    released = frame.assign(age=["[20-29]"] * 3 + ["[30-50]"] * 3)
    found = predict_target(foreign(released, original=Table.from_frame(frame, ["age"], "ill")), "ill", Majority())
    assert found.records is None and found.true.tolist() == [0, 0, 1, 1, 0, 0]
    with pytest.raises(Undefined, match="the original is unknown"):
        predict_target(foreign(released, ["age"], "ill"), "ill", Majority())


def test_scoring_bad_requests_are_reported(small):
    release = Mondrian()(small(0), KAnonymity(5))
    with pytest.raises(Undefined, match="'age' is generalized"):
        predict_target(release, "age", Majority())
    with pytest.raises(Undefined, match="is text, and this error"):
        predict_target(Keep()(small(0)), "disease", Majority(), numbers=True)
    with pytest.raises(Undefined, match="choose an error of numbers"):
        predict_target(Keep()(small(0)), "wage", Mean())
    with pytest.raises(Undefined, match="is not published"):
        predict_target(Remove("disease")(small(0)), "disease", Majority())
