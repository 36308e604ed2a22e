"""The expected duration of cross-fitting: samples are timed, and their growth is extrapolated."""

import pytest

from tests.widgets.scenario.people import people
from workbench.methods import Keep
from workbench.miners import NaiveBayes, duration
from workbench.miners.duration import FOLDS, SAMPLES, estimate_seconds
from workbench.miners.workers import processors


@pytest.mark.parametrize(("power", "counted"), [(0.5, 1), (1, 1), (1.5, 1.5), (3, 2)])
def test_time_grows_with_a_power_of_the_records(monkeypatch, power, counted):
    monkeypatch.setattr(duration, "_timed", lambda work, miner, size: (size / 1000) ** power)
    found = estimate_seconds(Keep()(people(6400)), "ill", [NaiveBayes()])
    last = (SAMPLES[1] / 1000) ** power
    assert found == pytest.approx(FOLDS * last * (6400 / SAMPLES[1]) ** counted / processors())


def test_small_tables_are_timed_as_a_whole():
    assert 0 < estimate_seconds(Keep()(people()), "ill", [NaiveBayes()]) < 60
    assert estimate_seconds(Keep()(people()), "ill", []) == 0
