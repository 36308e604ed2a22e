"""The epsilon of a matrix of chances is that of OpenDP for the response it has a measurement of."""

import math

import numpy as np
import pytest

from workbench.methods.noise.categories import epsilon, numbered


@pytest.mark.parametrize("values", [2, 3, 14])
@pytest.mark.parametrize("keep", [0.05, 0.5, 0.9])
def test_epsilon_is_what_opendp_says(values, keep):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    chances = numbered(keep * np.eye(values) + (1 - keep) / values, "").chances
    theirs = dp.m.make_randomized_response(categories=list(range(values)), prob=float(chances[0, 0])).map(1)
    assert epsilon(chances) == pytest.approx(theirs, rel=1e-9)


def test_a_value_that_is_never_released_of_another_has_no_epsilon():
    assert epsilon(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]])) == pytest.approx(0, abs=1e-300)
    assert math.isinf(epsilon(np.array([[0.5, 0.5], [0.0, 1.0]])))
