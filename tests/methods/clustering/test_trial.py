"""How long a clustering takes is told from a few of its entries."""

import numpy as np
import pytest

from workbench.base.errors import Unsatisfiable
from workbench.methods import KMember, Microaggregation, Mondrian, ThresholdClustering
from workbench.methods.clustering import trial
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
    told = trial.seconds(whole, clustered, 2)
    assert told == pytest.approx(each * 60_000 + square * 60_000 * 30_000)
    assert clock[0] < told / 5


def test_parts_take_as_much_a_record_however_many_there_are(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(trial.time, "thread_time", lambda: clock[0])

    def clustered(few):
        clock[0] += 1e-3 * len(few)

    assert trial.seconds(entries_of(1_000_000), clustered, 2, parts=1000) == pytest.approx(1000)


def test_short_ones_are_not_tried_and_those_that_cannot_be_say_nothing():
    def impossible(few):
        raise Unsatisfiable("too few")

    assert trial.seconds(entries_of(1000), None, 2) == 0.0
    assert trial.seconds(entries_of(30_000), impossible, 2) == 0.0
    assert trial.seconds(entries_of(30_000), None, 5000) == 0.0


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
