"""Laplace noise has its declared scale, costs its declared epsilon, and needs bounds that do not come from the data."""

import re

import numpy as np
import pytest
from scipy import stats

from tests.methods.noise.neighbours import PAIRS, distinguishing_events, thresholds
from tests.methods.noise.tables import halves, table
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.methods import Laplace
from workbench.methods.noise.laplace import measurement, scale_for, with_noise
from workbench.models import KAnonymity

BOUNDS = {"age": (17, 90), "wage": (0, 50)}


def test_the_error_of_missing_bounds_explains_how_to_declare_them():
    with pytest.raises(BadInput, match=r"do not depend on the data.*each column, for example bounds = age: 0..100"):
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
    assert "epsilon = 0.8 in total" in release.about.guarantee and "age 0.4 and wage 0.4" in release.about.guarantee
    assert "published unchanged, and not protected: city and ill" in release.about.guarantee
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


# The noise is OpenDP's: its distribution against the declared scale, its epsilon against OpenDP's own map.

RECORDS = 20_000
SURE = 1e-7  # one false alarm in ten million


def test_continuous_noise_follows_the_laplace_distribution_of_its_scale():
    column = table(fractions=True).columns["wage"]
    noise = scale_for(column, 10, 30, 0.5)
    found = with_noise(column, np.full(RECORDS, 12.5), noise) - 12.5
    assert stats.kstest(found, stats.laplace(scale=40).cdf).pvalue > SURE
    assert stats.kstest(found, stats.laplace(scale=30).cdf).pvalue < SURE, "another scale is distinguishable"


def test_integer_noise_follows_the_discrete_laplace_distribution_of_its_scale():
    column = table().columns["age"]
    noise = scale_for(column, 20, 30, 2.0)
    found = with_noise(column, np.full(RECORDS, 23), noise) - 23
    assert found.dtype == np.int64

    def chance(scale):
        share = np.exp(-1 / scale)
        inner = (1 - share) / (1 + share) * share ** np.abs(np.arange(-20, 21))
        return np.append(inner, 1 - inner.sum())

    seen = np.append([(found == k).sum() for k in range(-20, 21)], (np.abs(found) > 20).sum())
    assert stats.chisquare(seen, RECORDS * chance(5)).pvalue > SURE
    assert stats.chisquare(seen, RECORDS * chance(4)).pvalue < SURE


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1 / 3, 1.0, 7.3])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (17, 90), (-3, 1000)])
def test_epsilon_equals_that_of_opendp_and_is_within_the_budget(epsilon, low, high):
    for name in ("age", "wage"):
        column = table(fractions=True).columns[name]
        whole = name == "age"
        noise = scale_for(column, low, high, epsilon)
        assert noise.epsilon == measurement(whole, noise.scale).map(int(high - low) if whole else float(high - low))
        assert noise.epsilon <= epsilon and noise.scale == pytest.approx((high - low) / epsilon, rel=1e-9)
