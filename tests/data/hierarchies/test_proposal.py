"""Proposed hierarchies match their columns, and have a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.hierarchies.columns import dates, numbers, texts
from workbench.data.hierarchies.builders import Dates, Groups, Intervals, Prefixes
from workbench.data.hierarchies.proposal import propose

ICD = {f"{head}-*": [f"{head}-{i}" for i in range(9)] for head in ("heart", "lung", "skin")}


HALF_YEAR = [f"2008-0{month}-1{day}" for month in range(1, 7) for day in range(5)]


@pytest.mark.parametrize(
    ("column", "expected", "reason"),
    [
        (numbers(range(17, 91)), Intervals(widths=(5, 10, 20)), "values from 17 to 90 are spread well"),
        (numbers([i / 100 for i in range(300)]), Intervals(widths=(0.05, 0.1, 0.5, 1)), "round intervals"),
        (numbers(range(0, 1000, 10), [900] + [1] * 99), Intervals(quantiles=(16, 8, 4)), "equally filled"),
        (numbers(range(12_285, 1_490_401, 1_000)), Intervals(widths=(50_000, 100_000, 500_000)), "12,285 to 1,490,285"),
        (numbers(range(5)), None, "5 values are few"),
        (texts([f"{12000 + 37 * i}" for i in range(60)]), Prefixes((3, 2)), "codes of 5 digits"),
        (texts(value for group in ICD.values() for value in group), Groups((ICD,)), "27 of 27"),
        (texts([f"v{i}" for i in range(40)]), None, "without an order or common parts"),
        (texts([f"v{i}" for i in range(15)]), None, "without a known order"),
        (dates(HALF_YEAR), Dates(("month", "quarter")), "several of each: month, quarter"),
    ],
)
def test_proposals_have_reasons(column, expected, reason):
    builder, why = propose(column)
    assert builder == expected
    assert reason in why
    if builder is not None:
        assert len(builder(column).leaves) == len(column.labels)


@given(st.sets(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-50, 50), min_size=1, max_size=40))
def test_a_proposal_always_fits(values):
    column = numbers([float(v) for v in values])
    builder, _ = propose(column)
    if builder is not None:
        assert len(builder(column).leaves) == len(column.labels)
