"""The summary of a table before it has roles."""

import numpy as np
import pandas as pd
import pytest

from widgets.data.summary import bars, summary, value_range
from workbench.data.column import Column
from workbench.data.table import Table


def test_histograms_name_only_what_ten_records_share():
    ages = np.array([20] * 30 + [21] * 9 + [35] * 12 + [80])
    column = Table.without_roles(
        pd.DataFrame({"age": ages, "ill": ["flu"] * 40 + [f"rare{i}" for i in range(12)]})
    ).columns
    names = {one.get("name") for name in ("age", "ill") for one in bars(column[name])}
    assert names == {"20 to 24", "35 to 39", "flu", None}
    assert sum(one.get("count", 0) for one in bars(column["age"])) == 39 + 12
    few = [one["height"] for one in bars(column["ill"]) if "name" not in one]
    assert len(set(few)) == 1, "counts below ten look alike"


@pytest.mark.parametrize("values", [[1.5], [0, 2**62], [-1e300, 1e300], [0.001, 0.0011], list(range(1000))])
def test_numbers_of_every_size_have_bars(values):
    column = Table.without_roles(pd.DataFrame({"x": values * 20}), types={"x": "number"}).columns["x"]
    found = bars(column)
    assert sum(one.get("count", 0) for one in found) == 20 * len(values) and 1 <= len(found) <= 40


def test_dates_fall_into_round_bins():
    days = pd.date_range("1950-03-05", periods=60 * 365)
    column: Column = Table.without_roles(pd.DataFrame({"born": days})).columns["born"]
    assert bars(column)[0]["name"] == "1950 to 1954"
    near: Column = Table.without_roles(pd.DataFrame({"at": days[:40].repeat(20)})).columns["at"]
    assert bars(near)[0]["name"] == "1950-03-02 to 1950-03-06"


def test_the_summary_counts_as_pandas_does():
    frame = pd.DataFrame({"a": [1, None, 3, 3], "b": ["x", None, None, "y"]})
    told = summary(Table.without_roles(frame))
    assert told["incomplete"] == frame.isna().any(axis=1).sum()
    assert [(one["distinct"], one["missing"]) for one in told["columns"]] == [(2, 1), (2, 2)]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([30996, 950], "950 to 30,996"),
        ([0.5, 1.25], "0.5 to 1.25"),
        (pd.to_datetime(["2024-02-01", "2023-01-02"]), "2023-01-02 to 2024-02-01"),
        ([7, 7], "7"),
        (["a", "b"], ""),
    ],
)
def test_the_minimum_and_the_maximum_are_shown(values, text):
    assert value_range(Table.without_roles(pd.DataFrame({"x": values})).columns["x"]) == text
