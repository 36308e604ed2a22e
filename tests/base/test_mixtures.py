"""Proportions of a mixture against expectation maximization run for very long, another optimizer, and a certificate."""

import numpy as np
import pytest
from scipy.optimize import minimize

from workbench.base import mixtures
from workbench.base.mixtures import fit_proportions


def response(values, keep, rng):
    """Return a response that keeps a value or draws one from a skewed distribution."""
    return keep * np.eye(values) + (1 - keep) * rng.dirichlet(np.full(values, 0.7))


def logarithm(shares, likelihood, found):
    there = shares > 0
    return float(shares[there] @ np.log((found @ likelihood)[there]))


def by_expectation_maximization(shares, likelihood, rounds):
    found = np.full(len(likelihood), 1 / len(likelihood))
    for _ in range(rounds):
        found = found * (likelihood @ (shares / (found @ likelihood)))
    return found


def by_quadratic_programs(shares, likelihood):
    """Return the best of several runs of SLSQP."""
    values = len(likelihood)
    runs = [
        minimize(
            lambda p: -logarithm(shares, likelihood, np.maximum(p, 1e-12)),
            start,
            jac=lambda p: -likelihood @ (shares / (np.maximum(p, 1e-12) @ likelihood)),
            bounds=[(0, 1)] * values,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 3000},
        )
        for start in np.random.default_rng(0).dirichlet(np.ones(values), 5)
    ]
    best = np.maximum(min(runs, key=lambda run: run.fun).x, 1e-12)
    return best / best.sum()


@pytest.mark.parametrize("keep", [0.02, 0.05, 0.1, 0.5])
@pytest.mark.parametrize("values", [2, 4, 14])
def test_proportions_agree_with_another_optimizer(keep, values):
    rng = np.random.default_rng(values)
    likelihood = response(values, keep, rng)
    counts = rng.multinomial(2500, rng.dirichlet(np.ones(values)) @ likelihood, size=3).astype(float)
    found, fit = fit_proportions(counts, likelihood)
    assert fit.converged and fit.rounds < 60
    for one, count in zip(found, counts, strict=True):
        shares = count / count.sum()
        other = by_quadratic_programs(shares, likelihood)
        assert logarithm(shares, likelihood, one) >= logarithm(shares, likelihood, other) - 1e-11
        assert one == pytest.approx(other, abs=2e-4)


@pytest.mark.parametrize("keep", [0.1, 0.3])
def test_proportions_are_where_expectation_maximization_ends(keep):
    rng = np.random.default_rng(1)
    likelihood = response(5, keep, rng)
    counts = rng.multinomial(900, rng.dirichlet(np.ones(5)) @ likelihood).astype(float)
    found = fit_proportions(counts[None, :], likelihood).proportions[0]
    assert found == pytest.approx(by_expectation_maximization(counts / counts.sum(), likelihood, 50_000), abs=1e-5)


def test_no_direction_raises_the_likelihood_of_any_matrix():
    """The gradient at the maximum is 1 for positive proportions and at most 1 for others."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        values, outcomes = rng.integers(1, 9, 2)
        likelihood = rng.dirichlet(np.full(outcomes, 0.5), values) * (rng.random((values, outcomes)) > 0.2) + 1e-9
        counts = rng.multinomial(50, rng.dirichlet(np.full(outcomes, 0.4)), size=4).astype(float)
        found, fit = fit_proportions(counts, likelihood)
        assert fit.converged and found.sum(axis=1) == pytest.approx(1)
        for one, count in zip(found, counts, strict=True):
            gradient = likelihood @ (count / count.sum() / (one @ likelihood))
            assert gradient.max() <= 1 + 1e-9 and gradient[one > 1e-3] == pytest.approx(1, abs=1e-6)


def test_rows_without_observations_and_values_that_nobody_has():
    likelihood = 0.4 * np.eye(3) + 0.6 * np.array([0.5, 0.5, 0.0])
    found = fit_proportions(np.array([[0.0, 0, 0], [5, 5, 0], [0, 0, 4]]), likelihood).proportions
    assert found == pytest.approx(np.array([[0, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]), abs=1e-6)


def test_indistinguishable_values_are_equally_likely():
    found, fit = fit_proportions(np.array([[3.0, 1.0]]), np.tile([0.7, 0.3], (4, 1)))
    assert fit.converged and found[0] == pytest.approx(np.full(4, 0.25))


def test_many_components_are_fitted_by_those_that_help(monkeypatch):
    """Fit Laplace noise on 150 numbers with all components, and with column generation."""
    rng = np.random.default_rng(3)
    at = np.sort(rng.lognormal(3, 1, 150))
    seen, counts = np.unique(np.round(rng.choice(at, 4000) + rng.laplace(scale=20, size=4000)), return_counts=True)
    likelihood = np.exp(-np.abs(seen - at[:, None]) / 20)
    together = fit_proportions(counts[None, :].astype(float), likelihood)
    monkeypatch.setattr(mixtures, "DENSE", 20)
    monkeypatch.setattr(mixtures, "NEW", 15)
    by_columns = fit_proportions(counts[None, :].astype(float), likelihood)
    assert together.fit.converged and by_columns.fit.converged
    assert by_columns.proportions[0] @ likelihood == pytest.approx(together.proportions[0] @ likelihood, rel=1e-4)


def test_too_few_rounds_are_reported(monkeypatch):
    monkeypatch.setattr(mixtures, "ROUNDS", 3)
    fit = fit_proportions(np.array([[9.0, 5, 1]]), response(3, 0.02, np.random.default_rng(0))).fit
    assert not fit.converged and fit.rounds == 3 and fit.residual > 1e-6
