"""Laplace noise has its declared scale, costs its declared epsilon, and needs bounds that do not come from the data."""

import re

import numpy as np
import pytest

from tests.methods.noise.neighbours import PAIRS, distinguishing_events, thresholds
from tests.methods.noise.tables import halves, table
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.methods import Laplace
from workbench.methods.noise.opendp_laplace import measurement
from workbench.models import KAnonymity

BOUNDS = {"age": (17, 90), "wage": (0, 50)}


def test_the_error_of_missing_bounds_explains_how_to_declare_them():
    with pytest.raises(BadInput, match=r"known without the data.*each column, for example bounds = age: 0..100"):
        Laplace()(table())
    with pytest.raises(BadInput, match=r"of wage, for example bounds = wage: 0..100"):
        Laplace(1, ("age", "wage"), {"age": (17, 90)})(table())


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (Laplace(bounds={"city": (0, 1)}), "'city' is not numeric; use randomized response"),
        (Laplace(bounds={"age": (0.5, 90)}), "declare integer bounds"),
        (Laplace(bounds={"size": (0, 1)}), "'size' is not a column of the table"),
    ],
)
def test_columns_that_cannot_have_noise_are_refused(method, says):
    with pytest.raises(BadInput, match=says):
        method(table())


def test_models_are_refused_and_the_seed_has_no_effect():
    with pytest.raises(Unsatisfiable, match="makes no classes, so it cannot satisfy k-anonymity: remove the model"):
        Laplace(bounds=BOUNDS)(table(), KAnonymity(2))
    once, again = (Laplace(bounds=BOUNDS)(table(), None, 7).drawn["age"].released for _ in range(2))
    assert (once != again).any()


def test_the_budget_is_split_and_the_parts_add_up_to_the_stated_epsilon():
    release = Laplace(0.8, bounds=BOUNDS)(table())
    parts = {name: one.response for name, one in release.drawn.items()}
    assert {name: one.epsilon for name, one in parts.items()} == pytest.approx({"age": 0.4, "wage": 0.4})
    assert sum(one.epsilon for one in parts.values()) <= 0.8
    assert parts["age"].scale == pytest.approx(73 / 0.4) and parts["wage"].scale == pytest.approx(50 / 0.4)
    assert "epsilon = 0.8 in all" in release.guarantee and "age 0.4 and wage 0.4" in release.guarantee
    assert "published unchanged, and not protected: city and ill" in release.guarantee
    assert "not protected" in Laplace(0.8, bounds=BOUNDS).guarantee


def test_bounds_and_scale_do_not_depend_on_the_data():
    few, many = (Laplace(bounds={"age": (0, 100)})(table(n, seed=n)).drawn["age"].response for n in (50, 400))
    assert (few.scale, few.low, few.high) == (many.scale, many.low, many.high) == (100, 0, 100)


@pytest.mark.parametrize("fractions", [False, True])
def test_neighboring_tables_are_not_distinguishable_beyond_epsilon(fractions):
    ends = (0.25, 9.75) if fractions else (0, 10)
    given = halves(*ends, PAIRS)
    release = Laplace(1.0, bounds={"x": ends})(given)
    numbers, events = release.drawn["x"].released, thresholds(-5, 15)
    assert distinguishing_events(numbers[:PAIRS], numbers[PAIRS:], events, 1.0) == []


def test_the_check_detects_noise_that_is_too_small():
    numbers = np.repeat([0, 10], PAIRS)
    noisy = np.array(measurement(True, 5.0)(numbers.tolist()))  # epsilon is 2, not 1
    assert len(distinguishing_events(noisy[:PAIRS], noisy[PAIRS:], thresholds(-5, 15), 1.0)) >= 4


def test_values_outside_the_bounds_and_missing_values_are_clamped_first():
    given = table(missing=0.2)
    release = Laplace(50, bounds={"age": (25, 35)})(given)  # noise of scale .2
    codes, column = given.codes["age"], given.columns["age"]
    near = np.append(np.clip(column.values, 25, 35), 30)[codes]
    assert (np.abs(release.drawn["age"].released - near) <= 8).all()
    frame = release.frame()
    assert not frame["age"].isna().any() and re.fullmatch("int64", str(frame["age"].dtype))
