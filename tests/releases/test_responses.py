"""Responses: posteriors of true values, compared with naive sums, simulation and another optimizer."""

import numpy as np
import pytest
from scipy import optimize

from workbench.base.errors import Undefined
from workbench.base.mixtures import fit_proportions
from workbench.releases import responses
from workbench.releases.responses import Categorical, Drawn, Noise

CHANCES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
PRIOR = np.array([0.6, 0.3, 0.1])


def test_bayes_rule_against_a_naive_sum():
    drawn = Drawn.from_released(Categorical(CHANCES), np.array([2, 0, 2, 1]))
    given = drawn.posterior(PRIOR)
    for i, released in enumerate(drawn.values):
        for true in range(3):
            naive = PRIOR[true] * CHANCES[true, released] / sum(PRIOR[t] * CHANCES[t, released] for t in range(3))
            assert given[i, true] == pytest.approx(naive)


def test_bayes_rule_of_noise_by_simulation():
    rng = np.random.default_rng(5)
    at, prior = np.array([0.0, 3.0, 4.0]), np.array([0.5, 0.2, 0.3])
    true = rng.choice(3, 200_000, p=prior)
    seen = at[true] + rng.laplace(scale=2, size=len(true))
    for low in (-2.0, 1.0, 3.4, 6.0):
        near = np.abs(seen - low) < 0.05
        told = Drawn.from_released(Noise(2.0, at, 0, 4, 2), np.array([low])).posterior(prior)[0]
        share = np.bincount(true[near], minlength=3) / near.sum()
        assert share == pytest.approx(told, abs=5.5 * 0.5 / np.sqrt(near.sum()) + 0.01)


def test_the_inverse_exists_unless_values_have_equal_responses():
    assert Categorical(CHANCES).undone == pytest.approx(np.linalg.inv(CHANCES))
    assert Categorical(np.array([[0.5, 0.5], [0.5, 0.5]])).undone is None
    assert Categorical(np.eye(2)).certain and not Categorical(CHANCES).certain


@pytest.mark.parametrize("counts", [[50, 30, 20], [90, 5, 5], [1, 0, 0], [0, 0, 7]])
def test_no_distribution_is_likelier_than_the_fitted_one(counts):
    counts = np.array(counts, float)
    found = fit_proportions(counts[None, :], CHANCES).proportions[0]
    assert found.sum() == pytest.approx(1) and (found >= 0).all()

    def unlikely(weights):
        shares = np.exp(weights - weights.max())
        return -(counts * np.log(shares / shares.sum() @ CHANCES)).sum()

    ours = -(counts * np.log(found @ CHANCES)).sum()
    others = [optimize.minimize(unlikely, start, method="Nelder-Mead").fun for start in np.eye(3)]
    assert ours <= min(others) + 1e-3


def test_the_likeliest_distribution_converges_to_the_truth():
    rng = np.random.default_rng(1)
    at = np.arange(5.0)
    prior = np.array([0.4, 0.1, 0.1, 0.1, 0.3])
    numbers = at[rng.choice(5, 60_000, p=prior)] + rng.laplace(scale=0.7, size=60_000)
    assert Drawn.from_released(Noise(0.7, at, 0, 4, 1), numbers).coarse.likeliest == pytest.approx(prior, abs=0.03)


def test_numbers_are_rounded_to_a_twentieth_of_the_scale():
    numbers = np.random.default_rng(0).normal(size=200_000)
    drawn = Drawn.from_released(Noise(2.0, np.arange(10.0), 0, 9, 1), numbers)
    assert np.abs(drawn.coarse.released - drawn.released).max() <= 0.05 + 1e-12
    assert len(drawn.coarse.values) < 200


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(responses, "MAX_PAIRS", 5)
    with pytest.raises(Undefined, match="too many pairs of a true and a released value"):
        Noise(1.0, np.arange(3.0), 0, 2, 1).likelihood(np.arange(2.0))
