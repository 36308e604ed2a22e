"""The minimum of linear functions over the ball, compared with a search of the whole simplex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.frontier import ball_kernels


def minimize(slope, prior, t, price=0.0):
    rows = len(slope)
    steep, fixed, rate = np.ones((3, rows))
    reached = np.empty(slope.shape)
    ball_kernels.minimize_linear_over_ball(slope, prior, t, np.full(rows, price), steep, reached, fixed, rate)
    return fixed, rate, reached


def js(p, q):
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.nansum(p * np.log(p / middle), axis=-1) + np.nansum(q * np.log(q / middle), axis=-1)) / 2


def simplex(values, parts=120):
    """Return a grid of all distributions."""
    axes = np.meshgrid(*[np.arange(parts + 1)] * (values - 1), indexing="ij")
    first = np.stack([one.ravel() for one in axes], axis=1)
    first = first[first.sum(axis=1) <= parts]
    return np.column_stack([first, parts - first.sum(axis=1)]) / parts


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1], [0.6, 0.3, 0.1], [1 / 3, 1 / 3, 1 / 3]])
@pytest.mark.parametrize("t", [0.001, 0.05, 0.3, 0.69])
def test_the_minimum_equals_that_of_a_grid_search(prior, t):
    prior = np.array(prior)
    every = simplex(len(prior), 2000 if len(prior) == 2 else 200)
    inside = every[js(every, prior) <= t]
    slope = np.random.default_rng(len(prior)).normal(size=(20, len(prior)))
    fixed, rate, reached = minimize(slope, prior, t)
    searched = (slope @ inside.T).min(axis=1)
    assert (fixed - rate * t <= searched + 1e-9).all()
    assert (reached.sum(axis=1) == pytest.approx(1, abs=1e-6)) and (js(reached, prior) <= t * (1 + 1e-6)).all()
    assert fixed - rate * t == pytest.approx((slope * reached).sum(axis=1), abs=1e-6)  # the minimizer has this value


weights = st.lists(st.floats(0.001, 1), min_size=2, max_size=6)


@examples(200)
@given(weights, st.floats(1e-6, 0.69), st.integers(0, 10**6), st.floats(0, 3), st.floats(-9, 3))
def test_the_minimum_is_a_lower_bound_for_every_t(prior, t, seed, price, size):
    rng = np.random.default_rng(seed)
    prior = np.array(prior) / sum(prior)
    slope = rng.normal(size=(5, len(prior))) * 10**size
    fixed, rate, _ = minimize(slope, prior, t, price)
    others = rng.dirichlet(np.full(len(prior), 0.5), 200)
    others = np.concatenate([others, prior + (others - prior) * rng.random((200, 1))])
    allowed = slope @ others.T - (fixed[:, None] - rate[:, None] * js(others, prior))
    assert (allowed >= -1e-9 * 10**size).all()
    assert (rate >= 0).all()


def test_the_price_of_t_is_at_least_the_requested_price():
    slope, prior = np.array([[0.0, 1.0], [3.0, 1.0]]), np.array([0.4, 0.6])
    _, free, _ = minimize(slope, prior, 0.05)
    _, rate, reached = minimize(slope, prior, 0.05, price=50.0)
    assert (free < 50).all() and rate == pytest.approx([50, 50])
    assert (js(reached, prior) < 0.05).all()


def test_the_minimum_of_a_constant_function_is_its_value():
    fixed, rate, reached = minimize(np.array([[2.5, 2.5, 2.5]]), np.array([0.2, 0.3, 0.5]), 0.1)
    assert (fixed[0], rate[0]) == (2.5, 0) and reached[0] == pytest.approx([0.2, 0.3, 0.5])
