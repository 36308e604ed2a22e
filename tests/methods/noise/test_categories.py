"""The epsilon of a transition matrix is that of OpenDP for the response that it has a measurement of."""

import math

import numpy as np
import pytest

from workbench.methods.noise.categories import numbered
from workbench.releases.responses import Categorical


@pytest.mark.parametrize("values", [2, 3, 14])
@pytest.mark.parametrize("keep", [0.05, 0.5, 0.9])
def test_epsilon_equals_that_of_opendp(values, keep):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    response = numbered(keep * np.eye(values) + (1 - keep) / values, "")
    theirs = dp.m.make_randomized_response(categories=list(range(values)), prob=float(response.chances[0, 0])).map(1)
    assert response.epsilon == pytest.approx(theirs, rel=1e-9)


def test_a_matrix_with_an_impossible_transition_has_no_epsilon():
    assert Categorical(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]])).epsilon == pytest.approx(0, abs=1e-300)
    assert math.isinf(Categorical(np.array([[0.5, 0.5], [0.0, 1.0]])).epsilon)
