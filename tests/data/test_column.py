"""Positions and intervals of codes, including numbers that floats can hardly distinguish."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Intervals
from workbench.measures import KLDivergence, UtilityLoss
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity


def table_of(values: np.ndarray, widths: tuple[float, ...] = ()) -> Table:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": values, "s": np.where(rng.random(len(values)) < 0.3, "a", "b")})
    hierarchies = {"x": Intervals(widths=widths)} if widths else {}
    return Table.from_frame(frame, quasi=["x"], sensitive="s", hierarchies=hierarchies)


halves = np.random.default_rng(2).integers(1, 101, 600) / 2
NEAR = {
    "rounding noise": np.append(halves, [0.1 + 0.2, 0.3]),
    "three neighbours": np.append(halves, [1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0)]),
    "beyond 2^53": np.append(np.arange(600) % 7, [2**62, 2**62 + 1, -(2**62)]),
    "nanoseconds": 1_700_000_000_000_000_000 + np.arange(600) % 50,
    "tiny": np.append(np.arange(600) % 9, [1e-20, 2e-20]),
}


@pytest.mark.parametrize("values", NEAR.values(), ids=NEAR)
def test_keeping_everything_loses_nothing(values):
    table = table_of(values)
    left, right = table.columns["x"].edges
    assert (right > left).all() and (left[1:] >= right[:-1]).all()
    release = Keep()(table)
    assert UtilityLoss(0.001)(release).value == pytest.approx(0, abs=1e-9)
    assert KLDivergence()(release).value == pytest.approx(0, abs=1e-9)


def test_a_nearby_value_hardly_changes_estimates():
    plain, noisy = table_of(halves, (5, 25)), table_of(NEAR["rounding noise"], (5, 25))
    losses = [UtilityLoss()(Mondrian()(table, KAnonymity(50))).value for table in (plain, noisy)]
    assert losses[1] == pytest.approx(losses[0], abs=0.01)


def test_dates_are_measured_in_days_for_any_resolution():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-11"] * 2)
    for frame in (days, days + pd.Timedelta(hours=6)):
        positions = table_of(frame.to_numpy()).columns["x"].positions
        assert positions.tolist() == [0, 1, 10]


def test_timestamps_with_a_missing_one_are_spread_like_fractions():
    rng = np.random.default_rng(5)
    hours = rng.integers(0, 3600, 500) / 3600
    moments = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(hours, unit="h")).dt.as_unit("us")
    readings = [moments.where(np.arange(500) > 10), pd.Series(hours).where(np.arange(500) > 10)]
    shares = []
    for values in readings:
        column = table_of(values.to_numpy()).columns["x"]
        left, right = column.edges
        shares.append((right - left) / (right[-1] - left[0]))
        assert shares[-1].max() < 0.02, "missing is one value among many"
    assert shares[0] == pytest.approx(shares[1], abs=1e-3)


@pytest.mark.filterwarnings("error")
def test_numbers_too_far_apart_for_floats_count_by_rank():
    for values in ([0, 0.5, 1.7e308, None] * 2, [0, 1e-300, 1e300] * 2):
        table = table_of(np.array(values, dtype=float))
        assert len(Mondrian()(table).classes) == len(set(values))
