"""Responses: posteriors of true values, compared with naive sums, simulation and another optimizer."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import optimize

from tests.methods.noise.tables import table
from workbench.base.errors import Undefined
from workbench.base.mixtures import fit_proportions
from workbench.data.hierarchies.builders import Groups
from workbench.methods import Laplace, RandomizedResponse
from workbench.releases import responses
from workbench.releases.responses import Categorical, Drawn, Noise, content, read, written

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
