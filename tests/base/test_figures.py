"""Numbers as people read them: one table of cases, which tests/browser/test_views.py gives to the front end too."""

import math

import numpy as np
import pytest

from workbench.base.figures import about_per_cent, an, figures, per_cent, up_to

CASES = [
    (0.0, "0"),
    (-0.0, "0"),
    (7.0, "7"),
    (-3.0, "-3"),
    (45222.0, "45,222"),
    (1234567.0, "1,234,567"),
    (1234.5, "1,230"),
    (-1234.5, "-1,230"),
    (999.6, "1,000"),
    (999.4, "999"),
    (12.5, "12.5"),
    (2.125, "2.13"),
    (-2.125, "-2.13"),
    (0.123456, "0.123"),
    (0.5, "0.5"),
    (0.10049, "0.1"),
    (0.0001, "0.0001"),
    (0.00012345, "0.000123"),
    (0.000099999, "0.0001"),
    (0.00001, "1e-5"),
    (0.00001234, "1.23e-5"),
    (-0.00001234, "-1.23e-5"),
    (1e-100, "1e-100"),
    (123456789.5, "123,000,000"),
    (999999999999999.0, "999,999,999,999,999"),
    (1e15, "1e15"),
    (-1.5e20, "-1.5e20"),
    (1.2345e300, "1.23e300"),
    (math.inf, "infinite"),
    (-math.inf, "minus infinite"),
    (math.nan, "undefined"),
]


@pytest.mark.parametrize(("value", "said"), CASES)
def test_a_number_as_it_is_read(value, said):
    assert figures(value) == said


def test_numbers_of_numpy_and_whole_ones():
    assert figures(np.float64(0.25)) == figures(np.float32(0.25)) == "0.25"
    assert figures(np.int64(45222)) == figures(45222) == "45,222"


UNFLATTERED = [
    (0.02275, "lower", "0.0228"),
    (0.02275, "higher", "0.0227"),
    (1.999, "higher", "1.99"),
    (0.1 + 0.2, "lower", "0.3"),  # a computer's 17th figure is none
    (0.0227, "lower", "0.0227"),
    (-0.02275, "lower", "-0.0227"),
    (99_951.5, "lower", "100,000"),
    (0.99951, "higher", "0.999"),
    (-0.99951, "lower", "-0.999"),
    (1.0001e-7, "lower", "1.01e-7"),
    (9.999e-5, "lower", "0.0001"),
    (math.inf, "lower", "infinite"),
]


@pytest.mark.parametrize(("value", "better", "shown"), UNFLATTERED)
def test_a_rounded_figure_never_flatters(value, better, shown):
    assert figures(value, better) == shown


def test_shares_never_flatter_either():
    for share in np.random.default_rng(1).uniform(0.01, 0.99, 2000).tolist():
        for worded in (per_cent, about_per_cent):
            low, near, high = (float(worded(share, better)[:-2]) for better in ("higher", "", "lower"))
            assert low <= 100 * share + 1e-9 and high >= 100 * share - 1e-9 and low <= near <= high
    assert about_per_cent(0.29, "lower") == about_per_cent(0.29, "higher") == "29 %"


def test_an_article_goes_by_the_sound():
    assert [an(name) for name in ("age", "Occupation", "race", "university", "user", "hour", "one-off", "euro")] == [
        "an age", "an Occupation", "a race", "a university", "a user", "an hour", "a one-off", "a euro"
    ]  # fmt: skip


def test_a_bound_is_never_below_the_share_and_never_up_to_under():
    assert [up_to(share) for share in (0.0, 0.004, 0.01, 0.07, 0.0701, 0.996, 1.0)] == [
        "0 %", "under 1 %", "up to 1 %", "up to 7 %", "up to 8 %", "up to 100 %", "up to 100 %"
    ]  # fmt: skip
