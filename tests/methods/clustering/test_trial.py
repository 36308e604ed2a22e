"""How long a clustering takes is told from its first clusters, or from a few of its entries."""

import numpy as np
import pytest

from workbench.base.errors import Unsatisfiable
from workbench.base.progress import Cancelled
from workbench.methods import KMember, Microaggregation, Mondrian, ThresholdClustering
from workbench.methods.clustering import trial
from workbench.methods.clustering.begun import Follower, Grown, going_on
from workbench.methods.clustering.entries import Entries
from workbench.models import KAnonymity


def entries_of(count, records=1):
    codes = np.zeros((1, count), np.int32)
    return Entries(codes, {}, np.full(count, records, np.int64), np.arange(count, dtype=np.int32))


@pytest.mark.parametrize(("each", "square"), [(0.0, 1e-7), (1e-3, 0.0), (2e-4, 3e-8)])
def test_the_time_of_all_follows_from_two_of_a_few(monkeypatch, each, square):
    """A clock that goes by what was clustered: so much a record, and so much a look at an entry."""
    clock = [0.0]
    monkeypatch.setattr(trial.time, "thread_time", lambda: clock[0])

    def clustered(few):
        records = float(few.records.sum())
        clock[0] += each * records + square * records * len(few)

    whole = entries_of(30_000, records=2)
    told = trial.seconds_by_few(whole, clustered, 2, None)
    assert told == pytest.approx(each * 60_000 + square * 60_000 * 30_000)
    assert clock[0] < told / 5


def test_parts_take_as_much_a_record_however_many_there_are(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(trial.time, "thread_time", lambda: clock[0])

    def clustered(few):
        clock[0] += 1e-3 * len(few)

    assert trial.seconds_by_few(entries_of(1_000_000), clustered, 2, 1000) == pytest.approx(1000)


def test_short_ones_are_not_tried_and_those_that_cannot_be_say_nothing():
    def impossible(few):
        raise Unsatisfiable("too few")

    assert trial.seconds_by_few(entries_of(1000), None, 2, None) == 0.0
    assert trial.seconds_by_few(entries_of(30_000), impossible, 2, None) == 0.0
    assert trial.seconds_by_few(entries_of(30_000), None, 5000, None) == 0.0
    assert trial.seconds(entries_of(1000), None, shrinks=True) == 0.0
    assert trial.seconds(entries_of(30_000), impossible, shrinks=True) == 0.0
    assert trial.seconds(entries_of(1000), lambda clock: [clock.step(i) for i in (1, 10, 99)], True, dear=True) > 0.0


@pytest.mark.parametrize("shrinks", [True, False])
@pytest.mark.parametrize("look", [1e-9, 1e-7, 1e-5])
def test_the_time_of_all_follows_from_the_first_clusters(monkeypatch, shrinks, look):
    """Clusters of ten records, of which each looks at all entries, or at those that are left."""
    clock, count = [0.0], 30_000
    monkeypatch.setattr(trial.time, "thread_time", lambda: clock[0])

    def clustered(follower):
        clock[0] += 3.0  # what is compiled is loaded
        for records in range(0, count, 10):
            follower.step(records)
            clock[0] += 10 * look * (count - records if shrinks else count)

    told = trial.seconds(entries_of(count), clustered, shrinks)
    clock[0] = -3.0
    clustered(Follower())
    assert told == pytest.approx(clock[0], rel=0.01)


def test_it_takes_less_time_where_clusters_are_there_already(small, monkeypatch):
    monkeypatch.setattr(trial, "seconds", lambda entries, clustered, shrinks, dear=False: 100.0)
    monkeypatch.setattr(trial, "seconds_by_few", lambda entries, clustered, floor, parts: 100.0)
    for method, left in zip(METHODS, (0.25, 0.5, 0.25, 0.5), strict=True):
        table, model = small(0), KAnonymity(3)
        grown = Grown(np.arange(table.records // 2), np.array([table.records // 2]))
        entries = entries_of(table.records)
        with pytest.raises(Cancelled), going_on(table, method.chosen(table, model), model, 0, entries) as begun:
            begun.watch(lambda grown=grown: grown)
            raise Cancelled
        assert method.seconds(table, model) == pytest.approx(100 * left, rel=0.02)


METHODS = [KMember(), Microaggregation(), ThresholdClustering(delta=0.6), ThresholdClustering(delta=0.6, size=10)]


@pytest.mark.parametrize("method", METHODS)
def test_methods_tell_it_before_they_begin(small, monkeypatch, method):
    table = small(0)
    assert method.seconds(table, KAnonymity(3)) == 0.0
    monkeypatch.setattr(trial, "LONG", 0.0)
    monkeypatch.setattr(trial, "SHARE", 2)
    assert 0 < method.seconds(table, KAnonymity(3)) < 60
    with pytest.raises(Unsatisfiable):
        method.seconds(table, KAnonymity(table.records + 1))


def test_most_methods_are_short_and_choose_nothing(small):
    assert Mondrian().seconds(small(0), KAnonymity(3)) == 0.0
    assert Mondrian().chosen(small(0), KAnonymity(3)) == Mondrian()
