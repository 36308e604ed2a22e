"""Numbers as people read them: one table of cases, which tests/browser/test_views.py gives to the front end too."""

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest

from workbench.base.figures import (
    figures_next_to,
    format_number,
    format_percent,
    format_upper_percent,
    format_whole_percent,
    with_article,
)

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
    (1 / 9, "0.111"),
    (75.245, "75.2"),
    (0.00191, "0.00191"),
    (0.3564, "0.356"),
    (0.0227500001, "0.0228"),
]


@pytest.mark.parametrize(("value", "said"), CASES)
def test_numbers_are_formatted_for_readers(value, said):
    assert format_number(value) == said


def test_numpy_numbers_and_integers_are_formatted():
    assert format_number(np.float64(0.25)) == format_number(np.float32(0.25)) == "0.25"
    assert format_number(np.int64(45222)) == format_number(45222) == "45,222"


SHARES = [
    (1 / 9, "11.1 %", "11 %"),
    (0.0, "0 %", "0 %"),
    (1.0, "100 %", "100 %"),
    (0.9981, "99.8 %", "over 99 %"),
    (0.9995, "over 99.9 %", "over 99 %"),
    (0.0004, "under 0.1 %", "under 1 %"),
    (0.01234, "1.23 %", "1 %"),
    (0.125, "12.5 %", "13 %"),
    (0.28999999999999998, "29 %", "29 %"),
    (0.75245, "75.2 %", "75 %"),
    (0.005, "0.5 %", "under 1 %"),
]

BESIDE = [
    (0.1001, 0.1, "0.1001"),
    (0.10000004, 0.1, "0.10000004"),
    (0.1, 0.1, "0.1"),
    (1 / 9, 0.1, "0.111"),
    (9.9996, 10.0, "9.9996"),
    (1000.4, 1000.0, "1,000.4"),
    (math.inf, 2.0, "infinite"),
    (4.0, 5.0, "4"),
]

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
def test_a_rounded_figure_is_never_better_than_the_exact_one(value, better, shown):
    assert format_number(value, better) == shown


@pytest.mark.parametrize(("share", "precise", "about"), SHARES)
def test_shares_are_formatted_in_per_cent(share, precise, about):
    assert (format_percent(share), format_whole_percent(share)) == (precise, about)


@pytest.mark.parametrize(("value", "limit", "shown"), BESIDE)
def test_a_number_next_to_its_limit_has_enough_digits_to_differ(value, limit, shown):
    assert figures_next_to(value, limit) == shown


def test_a_rounded_share_is_never_better_than_the_exact_one():
    for share in np.random.default_rng(1).uniform(0.01, 0.99, 2000).tolist():
        for worded in (format_percent, format_whole_percent):
            low, near, high = (float(worded(share, better)[:-2]) for better in ("higher", "", "lower"))
            assert low <= 100 * share + 1e-9 and high >= 100 * share - 1e-9 and low <= near <= high
    assert format_whole_percent(0.29, "lower") == format_whole_percent(0.29, "higher") == "29 %"


def test_articles_follow_the_sound():
    names = ("age", "Occupation", "race", "university", "user", "hour", "one-off", "euro")
    assert [with_article(name) for name in names] == [
        "an age", "an Occupation", "a race", "a university", "a user", "an hour", "a one-off", "a euro"
    ]  # fmt: skip


def test_a_bound_is_never_below_the_share_and_never_up_to_under():
    assert [format_upper_percent(share) for share in (0.0, 0.004, 0.01, 0.07, 0.0701, 0.996, 1.0)] == [
        "0 %", "under 1 %", "up to 1 %", "up to 7 %", "up to 8 %", "up to 100 %", "up to 100 %"
    ]  # fmt: skip


FORMATTED_OTHERWISE = {
    "data/data.py": "sizes of files",
    "data/summary.py": "values of the data",
    "parameters/ranges.py": "parameters, which are read again",
    "preview/preview.py": "values of the data",
    "release/neighbours.py": "parameters, which are read again",
    "scenario/cost_cells.py": "entries, which are read again",
    "scenario/scenario.py": "an entry, which is read again",
    "base/progress.py": "durations",
    "base/figures.py": "the rule itself",
    "redaction/controlled_rounding.py": "counts that are rounded by the threshold",
    "commands/query.py": "answers in the unit of the data",
    "data/reading/formats.py": "sizes of files",
    "data/range_ends.py": "values of the data",
    "frontier/search.py": "an entry",
    "frontier/families.py": "parameters, which are read again",
    "publication/groups.py": "a mean that is rounded to two digits on purpose",
    "releases/perturbed.py": "a codebook, which programs read",
    "studies/proposal.py": "parameters, which are read again, and values of the data",
}


@pytest.mark.slow
def test_other_modules_format_figures_by_the_common_rule():
    """Measures, models, miners, reports and charts write figures by the functions of `figures`."""
    root, found = Path(format_number.__code__.co_filename).parents[2], set()
    for package in (root / "workbench", root / "widgets"):
        for path in package.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                spec = (
                    ast.unparse(node.format_spec) if isinstance(node, ast.FormattedValue) and node.format_spec else ""
                )
                if re.search(r"\.[\d{].*[gfe%]", spec):
                    found.add(path.relative_to(package).as_posix())
    assert found == set(FORMATTED_OTHERWISE)
