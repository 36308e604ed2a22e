"""Responses: posteriors of true values, compared with naive sums, simulation and another optimizer."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import optimize
from scipy.optimize import minimize

from tests.methods.noise.tables import table
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.methods import Laplace, RandomizedResponse
from workbench.releases import responses
from workbench.releases.responses import Categorical, Drawn, Noise, content, fit_proportions, read, written

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


# Stored draws are read back unchanged, and refused for another table.


@pytest.mark.parametrize("method", [Laplace(1, bounds="age: 17..90"), RandomizedResponse(0.5)], ids=str)
def test_stored_draws_are_read_back(method):
    given = table(missing=0.1)
    for name, one in method(given).drawn.items():
        again = read(given, name, written(given, name, one))
        assert again.released.dtype == one.released.dtype
        assert (again.released == one.released).all()
        for field, value in vars(one.response).items():
            assert np.array_equal(getattr(again.response, field), value)


def test_values_are_unchanged_if_a_hierarchy_reorders_them():
    given = table(missing=0.1)
    method = RandomizedResponse(0.5, ("city", "ill"))
    groups = {
        "city": Groups([{"far": ["c", "a"], "near": ["b"]}]),
        "ill": Groups([{"x": ["rare", "cold"], "y": ["none", "flu"]}]),
    }
    other = given.with_hierarchies(groups)
    assert given.columns["city"].value_labels() != other.columns["city"].value_labels()
    for name, one in method(given).drawn.items():
        assert content(given, name, False) == content(other, name, False)
        again = read(other, name, written(given, name, one))
        labels = [
            of.sensitive[name].labels if name == "ill" else of.columns[name].value_labels() for of in (given, other)
        ]
        assert [labels[0][i] for i in one.released] == [labels[1][i] for i in again.released]
        where = [labels[0].index(label) for label in labels[1]]
        assert np.array_equal(again.response.chances, one.response.chances[np.ix_(where, where)])


def test_the_digest_depends_only_on_values():
    given = table(missing=0.1)
    assert content(given, "ill", False) == content(
        given.with_roles(quasi=["age"], sensitive=["ill", "city"]), "ill", False
    )
    assert len({content(table(seed=seed), "ill", False) for seed in (1, 2)} | {content(table(), "city", False)}) == 3


def test_draws_of_another_table_are_refused():
    with pytest.raises(ValueError, match="it belongs to another table"):
        read(table(50), "ill", written(table(), "ill", RandomizedResponse(0.5)(table()).drawn["ill"]))


def test_no_arrow_thread_holds_a_buffer(monkeypatch):
    """Arrow's threads release buffers at any time; during interpreter exit that aborts the process (one in 600)."""
    given, alone, whole = table(), [], pq.ParquetFile.read

    def watched(file, *args, use_threads=True, **rest):
        alone.append(not use_threads)
        return whole(file, *args, use_threads=use_threads, **rest)

    monkeypatch.setattr(pq.ParquetFile, "read", watched)
    monkeypatch.delattr(pq, "read_table")  # it has threads, whatever it is asked
    for name, one in RandomizedResponse(0.5, ("ill",))(given).drawn.items():
        read(given, name, written(given, name, one))
    assert alone == [True]


# Proportions of a mixture against expectation maximization run for very long, another optimizer, and a certificate.


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
    monkeypatch.setattr(responses, "DENSE", 20)
    monkeypatch.setattr(responses, "NEW", 15)
    by_columns = fit_proportions(counts[None, :].astype(float), likelihood)
    assert together.fit.converged and by_columns.fit.converged
    assert by_columns.proportions[0] @ likelihood == pytest.approx(together.proportions[0] @ likelihood, rel=1e-4)


def test_too_few_rounds_are_reported(monkeypatch):
    monkeypatch.setattr(responses, "ROUNDS", 3)
    fit = fit_proportions(np.array([[9.0, 5, 1]]), response(3, 0.02, np.random.default_rng(0))).fit
    assert not fit.converged and fit.rounds == 3 and fit.residual > 1e-6
