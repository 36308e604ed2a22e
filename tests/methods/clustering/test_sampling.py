"""Thresholds from a sample: the best of the candidates."""

import contextlib

import numpy as np
import pytest

from tests.methods.tables import random_frame, table_of
from workbench.base.errors import Unsatisfiable
from workbench.measures import GroupProtection, GroupUtility
from workbench.methods import ThresholdClustering
from workbench.methods.clustering.threshold_clustering import (
    clustered,
    deltas,
    prices,
    quality,
    sample,
    thresholds,
    within,
)
from workbench.models import DistinctLDiversity, KAnonymity


def test_deltas_are_the_middles_of_2_4_8_16_and_32_intervals():
    found = list(deltas())
    assert found[:6] == [0.25, 0.75, 0.125, 0.375, 0.625, 0.875] and len(set(found)) == len(found) == 62


def test_the_sum_of_both_measures_is_minimal():
    table, model = table_of(random_frame(3, 150), ["whole", "word"], ("s", "s2")), KAnonymity(4)
    method = ThresholdClustering(r=1.0)
    delta, part_delta = thresholds(table, method, model, 0)
    entries, tried = sample(table, model, 0), {}

    def best(ones):
        for one in ones:
            with contextlib.suppress(Unsatisfiable):
                found = within(table, entries, np.array([0, len(entries)]), prices(table, method), one, model)
                tried[one] = quality(table, found, 1.0)
        return min(tried, key=lambda one: (sum(tried[one]), one))

    first = best(deltas())
    best = best([first - 1 / 128, first + 1 / 128])
    assert (delta, part_delta) == (best, tried[best][1]) and len(tried) > 10
    assert thresholds(table, ThresholdClustering(r=1.0, delta=0.5, size=9), model, 0)[0] == 0.5


def test_the_quality_is_that_of_the_measures():
    table = table_of(random_frame(6, 120), ["whole", "word"], ("s", "s2"))
    found = clustered(table, ThresholdClustering(delta=0.5), KAnonymity(4), 0)
    release = found.release(table, table.cells(), "generalized")
    if len(release.classes) == len(found):  # none show the same
        utility, protection = quality(table, found, 0.7)
        assert GroupUtility()(release).value == pytest.approx(utility)
        assert GroupProtection(0.7)(release).value == pytest.approx(protection)


def test_a_sample_is_small_reproducible_and_large_enough():
    table = table_of(random_frame(3, 4000), ["whole", "word"])
    assert len(sample(table, None, 0)) == 100 and len(sample(table, KAnonymity(50), 0)) == 1000
    assert np.array_equal(sample(table, None, 1).cell, sample(table, None, 1).cell)
    assert not np.array_equal(sample(table, None, 1).cell, sample(table, None, 2).cell)


def test_a_model_that_no_sample_satisfies_is_reported():
    table = table_of(random_frame(3, 60), ["whole"], ("s2",))
    with pytest.raises(Unsatisfiable, match="no cluster of a sample of 60 records satisfies"):
        thresholds(table, ThresholdClustering(), KAnonymity(61) & DistinctLDiversity(2), 0)
