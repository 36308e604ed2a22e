"""The matrix under a cap: no worse than simple matrices, another solver, or an equation for two values."""

import numpy as np
import pytest
from scipy import optimize

from workbench.methods.noise.least_change import least_change, max_distance_from_prior
from workbench.models.distances import jensen_shannon

PRIORS = {
    "skewed": np.array([0.6, 0.25, 0.1, 0.04, 0.01]),
    "alike": np.full(4, 0.25),
    "with nobody": np.array([0.5, 0.0, 0.3, 0.2]),
}


def kept_share(chances, prior):
    return float(np.sqrt(prior) @ np.diag(chances))


def simple_matrix(keep, other, size):
    return keep * np.eye(size) + (1 - keep) * other


def largest(make, prior, cap):
    """Return the simple matrix that keeps most values within the cap."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if max_distance_from_prior(make(middle), prior) <= cap else (low, middle)
    return make(low)


@pytest.mark.parametrize("cap", [0.01, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("name", PRIORS)
def test_the_matrix_satisfies_the_cap_and_keeps_more_than_simple_ones(name, cap):
    prior = PRIORS[name]
    found = least_change(prior, cap)
    assert np.allclose(found.sum(axis=1), 1) and (found >= 0).all()
    assert max_distance_from_prior(found, prior) <= cap
    for other in (prior, np.full(len(prior), 1 / len(prior))):
        if (other[prior == 0] == 0).all():
            simple = largest(lambda keep, other=other: simple_matrix(keep, other, len(prior)), prior, cap)
            assert kept_share(found, prior) >= kept_share(simple, prior) * 0.997


def test_the_identity_is_returned_if_the_cap_allows_it():
    prior = np.array([0.5, 0.3, 0.2])
    assert least_change(prior, 0.69) == pytest.approx(np.eye(3), abs=1e-6)


def test_two_equally_frequent_values_satisfy_an_equation():
    """The belief after a value is (keep, 1 - keep): at the cap, or a better matrix would exist."""
    prior, cap = np.array([0.5, 0.5]), 0.1
    keep = optimize.brentq(lambda k: jensen_shannon(np.array([[k, 1 - k]]), prior)[0] - cap, 0.5, 1)
    assert np.diag(least_change(prior, cap)) == pytest.approx([keep, keep], rel=0.005)


def test_no_other_solver_finds_a_matrix_that_keeps_more():
    prior, cap = np.array([0.6, 0.3, 0.1]), 0.05
    rows = [{"type": "eq", "fun": lambda m, r=r: m.reshape(3, 3)[r].sum() - 1} for r in range(3)]

    def room(m):
        joint = prior[:, None] * m.reshape(3, 3)
        return cap - jensen_shannon((joint / np.maximum(joint.sum(axis=0), 1e-12)).T, prior)

    best = 0.0
    for start in (0.1, 0.3):
        begin = simple_matrix(start, prior, 3).ravel()
        found = optimize.minimize(
            lambda m: -kept_share(m.reshape(3, 3), prior), begin, bounds=[(0, 1)] * 9, method="SLSQP",
            constraints=[*rows, {"type": "ineq", "fun": room}],
        )  # fmt: skip
        best = max(best, -found.fun if found.success else 0.0)
    ours = kept_share(least_change(prior, cap), prior)
    assert best > 0 and best * 0.996 <= ours <= best * 1.02
