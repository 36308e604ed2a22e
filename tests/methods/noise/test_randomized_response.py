"""Randomized response: its epsilon, the beliefs about records, and its guarantee."""

import math

import numpy as np
import pytest
from scipy import stats

from tests.methods.noise.neighbours import PAIRS, distinguishing_events, each_value
from tests.methods.noise.tables import halves, table
from workbench.base.errors import BadInput
from workbench.methods import RandomizedResponse


@pytest.mark.parametrize("others", ["table", "uniform"])
def test_neighboring_tables_are_not_distinguishable_beyond_epsilon(others):
    given = halves("a", "b", PAIRS, others=["c"] * PAIRS)
    release = RandomizedResponse(0.4, ("x",), others)(given)
    promised = release.drawn["x"].response.epsilon
    released = release.drawn["x"].released
    assert promised == pytest.approx(math.log(3))
    assert distinguishing_events(released[:PAIRS], released[PAIRS : 2 * PAIRS], each_value(3), promised) == []


def test_the_check_detects_a_response_that_keeps_too_much():
    released = RandomizedResponse(0.7, ("x",))(halves("a", "b", PAIRS, others=["c"] * PAIRS)).drawn["x"].released
    assert distinguishing_events(released[:PAIRS], released[PAIRS : 2 * PAIRS], each_value(3), math.log(3))


def test_values_are_kept_and_drawn_with_the_declared_probabilities():
    given = table(20_000)
    codes, q = given.model_view.codes["ill"], given.sensitive["ill"].prior
    released = RandomizedResponse(0.3)(given).drawn["ill"].released
    for v in range(len(q)):
        there = codes == v
        seen = np.bincount(released[there], minlength=len(q))
        assert stats.chisquare(seen, there.sum() * (0.3 * np.eye(len(q))[v] + 0.7 * q)).pvalue > 1e-7


def test_the_guarantee_states_its_assumptions_and_unchanged_columns():
    own, uniform = RandomizedResponse(0.5)(table()), RandomizedResponse(0.5, others="uniform")(table())
    assert "if the distribution that values are drawn from is known anyway" in own.about.guarantee
    assert "known anyway" not in uniform.about.guarantee and "epsilon at most 1.61" in uniform.about.guarantee  # ln 5
    assert "not protected: age, city and wage" in own.about.guarantee
    both = RandomizedResponse(0.5, ("ill", "city"), "uniform")(table())
    assert "epsilon at most 3 (ill 1.61 and city 1.39)" in both.about.guarantee
    assert "no epsilon" in RandomizedResponse(1.0)(table()).about.guarantee


def test_columns_that_cannot_be_drawn_are_refused():
    with pytest.raises(BadInput, match="there is no sensitive column; choose the columns"):
        RandomizedResponse()(table(sensitive=None))
    with pytest.raises(BadInput, match="needs 2 to 1,000"):
        RandomizedResponse(0.5, ("x",))(halves(1, 2, 600, others=range(3, 1200)))


def test_missing_is_an_additional_value():
    given = table(missing=0.2)
    release = RandomizedResponse(0.0, others="uniform")(given)
    assert release.drawn["ill"].response.chances.shape == (5, 5)
    assert 0.1 < release.frame()["ill"].isna().mean() < 0.3
