import numpy as np
import pytest

from workbench.methods.raking.beliefs import Limit
from workbench.methods.raking.polish import error_of, polish
from workbench.models import TCloseness
from workbench.models.distances import jensen_shannon


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    shares, sizes = rng.dirichlet(np.ones(8), 60), rng.integers(50, 400, 8)
    wanted = rng.dirichlet([4, 2, 1], 8)
    return shares, sizes, shares @ wanted, wanted


def limit(sizes, wanted, t):
    from workbench.data.sensitive import Sensitive

    totals = np.round(sizes @ wanted).astype(np.int64)
    totals[0] += sizes.sum() - totals.sum()
    return Limit(TCloseness(t, distance="js"), Sensitive("s", ("a", "b", "c"), totals))


def test_exact_histograms_are_found_if_they_exist(problem):
    shares, sizes, truth, wanted = problem
    held = limit(sizes, wanted, 0.69)
    start = np.repeat(held.sensitive.prior[None], 8, axis=0)
    found = polish(start, shares, truth, sizes, held)
    assert error_of(shares @ found, truth)[0] < 0.1 * error_of(shares @ start, truth)[0]


def test_histograms_satisfy_the_model_with_a_margin_for_rounding(problem):
    shares, sizes, truth, wanted = problem
    held = limit(sizes, wanted, 0.02)
    found = polish(wanted, shares, truth, sizes, held)
    assert jensen_shannon(found, held.sensitive.prior).max() < 0.02
    assert sizes @ found == pytest.approx(held.sensitive.totals, rel=0.05)
    assert found.sum(axis=1) == pytest.approx(np.ones(8))


def test_the_gradient_is_that_of_the_error():
    rng = np.random.default_rng(3)
    told, truth = rng.dirichlet(np.ones(4), 5), rng.dirichlet(np.ones(4), 5)
    error, slope = error_of(told, truth)
    assert error == pytest.approx(jensen_shannon(told, truth).mean(), rel=0.5)  # to second order
    moved = told.copy()
    moved[2, 1] += 1e-7
    weight = 1 / (4 * np.maximum(truth + told, 0.002)) / 5  # held fixed, as the slope has it
    assert slope[2, 1] == pytest.approx(((weight * (moved - truth) ** 2).sum() - error) / 1e-7, rel=1e-4)
