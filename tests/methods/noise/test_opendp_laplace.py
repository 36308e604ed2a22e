"""The noise is OpenDP's: its distribution against the declared scale, its epsilon against OpenDP's own map."""

import numpy as np
import pytest
from scipy import stats

from tests.methods.noise.tables import table
from workbench.methods.noise.opendp_laplace import measurement, scale_for, with_noise

RECORDS = 20_000
SURE = 1e-7  # one false alarm in ten million


def test_continuous_noise_follows_the_laplace_distribution_of_its_scale():
    column = table(fractions=True).columns["wage"]
    noise = scale_for(column, 10, 30, 0.5)
    found = with_noise(column, np.full(RECORDS, 12.5), noise) - 12.5
    assert stats.kstest(found, stats.laplace(scale=40).cdf).pvalue > SURE
    assert stats.kstest(found, stats.laplace(scale=30).cdf).pvalue < SURE, "another scale is distinguishable"


def test_integer_noise_follows_the_discrete_laplace_distribution_of_its_scale():
    column = table().columns["age"]
    noise = scale_for(column, 20, 30, 2.0)
    found = with_noise(column, np.full(RECORDS, 23), noise) - 23
    assert found.dtype == np.int64

    def chance(scale):
        share = np.exp(-1 / scale)
        inner = (1 - share) / (1 + share) * share ** np.abs(np.arange(-20, 21))
        return np.append(inner, 1 - inner.sum())

    seen = np.append([(found == k).sum() for k in range(-20, 21)], (np.abs(found) > 20).sum())
    assert stats.chisquare(seen, RECORDS * chance(5)).pvalue > SURE
    assert stats.chisquare(seen, RECORDS * chance(4)).pvalue < SURE


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1 / 3, 1.0, 7.3])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (17, 90), (-3, 1000)])
def test_epsilon_equals_that_of_opendp_and_is_within_the_budget(epsilon, low, high):
    for name in ("age", "wage"):
        column = table(fractions=True).columns[name]
        whole = name == "age"
        noise = scale_for(column, low, high, epsilon)
        assert noise.epsilon == measurement(whole, noise.scale).map(int(high - low) if whole else float(high - low))
        assert noise.epsilon <= epsilon and noise.scale == pytest.approx((high - low) / epsilon, rel=1e-9)
