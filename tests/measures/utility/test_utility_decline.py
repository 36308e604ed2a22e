"""Declines and differences by hand, and the coverage of their intervals."""

import numpy as np
import pytest

from workbench.base.errors import Undefined
from workbench.measures.utility.utility_decline import accuracy_interval, utility_decline


def test_the_decline_by_hand():
    """Worth 3 of 4 before and 2 of 4 after; with weights 1, 1, 2, 2 it is 5 of 6 and 3 of 6."""
    before, after = np.array([1.0, 0, 1, 1]), np.array([1.0, 1, 0, 0])
    even, heavy = np.ones(4), np.array([1.0, 1, 2, 2])
    assert utility_decline(before, even, after, even, True)[:2] == (pytest.approx(1 / 3), pytest.approx((0.75, 0.5)))
    assert utility_decline(before, heavy, after, heavy, True)[:2] == (pytest.approx(0.6), pytest.approx((5 / 6, 2 / 6)))
    assert utility_decline(after, even, before, even, True)[0] == 0  # a gain, not a loss
    with pytest.raises(Undefined, match="so no share of it can be lost"):
        utility_decline(-before, even, after, even, True)


def test_missing_truth_does_not_count():
    before, after = np.array([1.0, np.nan, 1, 0]), np.array([1.0, np.nan, 0, 0])
    found = utility_decline(before, np.ones(4), after, np.ones(4), True)
    assert found[:2] == (pytest.approx(0.5), pytest.approx((2 / 3, 1 / 3)))


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_covers_the_decline_in_95_of_100_samples(paired):
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        before = (rng.random(300) < 0.8).astype(float)
        after = before * (rng.random(300) < 0.75) if paired else (rng.random(300) < 0.6).astype(float)
        low, high = utility_decline(before, np.ones(300), after, np.ones(300), paired)[2]
        held += low <= 0.25 <= high
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_covers_the_difference_in_95_of_100_samples(paired):
    rng, held = np.random.default_rng(2), 0
    for _ in range(400):
        base = rng.random(300) < 0.7
        found = np.where(rng.random(300) < 0.3, rng.random(300) < 0.7, base) if paired else rng.random(300) < 0.7
        low, high = accuracy_interval(found, base, paired)
        held += low <= 0 <= high
    assert 0.92 <= held / 400 <= 0.98
