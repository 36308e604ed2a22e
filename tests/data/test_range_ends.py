"""No end of a published range is the value of a few records: counted on skewed and correlated tables."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from workbench.data.column import Column
from workbench.data.range_ends import Ends
from workbench.data.table import Table

THRESHOLD = 10


def column(values, threshold=THRESHOLD) -> Column:
    table = Table.read(
        pd.DataFrame({"x": values, "s": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2)}), ["x"]
    )
    return table.with_settings(regions={}, threshold=threshold).columns["x"]


def repeated(**times: int) -> list[int]:
    return [int(value[1:]) for value, many in times.items() for _ in range(many)]


def texts(one: Column) -> dict[tuple[int, int], str]:
    """Return the label of every possible range of a class."""
    assert one.ends is not None
    pairs = np.array([(a, b) for a in range(len(one.values)) for b in range(a + 1, len(one.values))])
    low, high = one.ends.outward(pairs[:, 0], pairs[:, 1])
    return {(a, b): one.ends.text(one, a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True) if a < b}


def test_a_range_ends_at_values_that_enough_records_share():
    one = column(repeated(v3=1, v5=12, v7=2, v9=3, v11=15, v13=11, v20=1))
    ends = one.ends
    assert ends is not None
    assert ends.outward(np.array([2]), np.array([3])) == (1, 4), "7 to 9, of 5 records, is extended to 5 and 11"
    assert ends.text(one, 1, 4) == "[5-11]"
    assert ends.text(one, 1, 5) == "[5-13]" and ends.text(one, 4, 6) == "11 and over"
    assert ends.text(one, 0, 4) == "up to 11" and ends.text(one, 0, 6) == "[..]"


def test_ranges_of_rare_values_end_at_round_numbers():
    one = column([*range(1001, 2000, 7), *[500] * 20, *[2500] * 20])
    assert one.ends is not None
    codes = np.flatnonzero((one.values > 1200) & (one.values < 1300))
    low, high = one.ends.outward(codes[:1], codes[-1:])
    assert one.ends.text(one, int(low[0]), int(high[0])) == "[1200..1300)"
    first = one.ends.outward(np.array([1]), np.array([2]))
    assert one.ends.text(one, *(int(end[0]) for end in first)).startswith("(500..")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("threshold", [5, 10])
def test_no_end_is_the_value_of_few_records_and_every_bin_has_enough(seed, threshold):
    draw = np.random.default_rng(seed)
    kinds = [
        lambda n: np.round(draw.lognormal(6, 1.5, n), 2),
        lambda n: np.where(draw.random(n) < 0.7, draw.choice([50, 100, 250, 1000], n), draw.lognormal(6, 1, n).round()),
        lambda n: draw.normal(0, 300, n).round(1),
        lambda n: draw.geometric(0.05, n),
    ]
    values = kinds[seed % 4](int(draw.integers(30, 3000)))
    one = column(values, threshold)
    often, ends = Counter(one.values.repeat(one.counts).tolist()), one.ends
    assert ends is not None
    for text in set(texts(one).values()) if len(one.values) < 400 else map(str, ends_of(one)):
        for number in re.findall(r"(?<![\d.])-?\d+(?:\.\d+)?(?=[\].,) ]|$|-)", text.replace("..", " .. ")):
            records = often.get(float(number), 0)
            assert records == 0 or records >= threshold or is_round(number, one), (text, number, records)
    for code in range(len(one.values)):
        low, high = int(ends.start[code]), int(ends.end[code])
        inside = one.counts[low : high + 1].sum()
        assert low <= code <= high and (inside >= threshold or (low == 0 and high == len(one.values) - 1))


def ends_of(one: Column) -> list[str]:
    assert one.ends is not None
    return [end.text + " " for side in (one.ends.lower, one.ends.upper) for end in side.values()]


def is_round(number: str, one: Column) -> bool:
    """Return whether a number is a multiple of five steps; neighbors without a number between them need not be."""
    decimals = max(len(label.partition(".")[2]) for label in one.labels)
    return round(float(number) * 10**decimals) % 5 == 0 and one.kind == "number"


def test_dates_end_at_the_calendar():
    days = pd.date_range("2019-03-05", periods=700, freq="D")
    one = column(days)
    codes = np.flatnonzero((one.values >= np.datetime64("2019-06-03")) & (one.values < np.datetime64("2020-02-20")))
    assert one.ends is not None
    low, high = one.ends.outward(codes[:1], codes[-1:])
    assert one.ends.text(one, int(low[0]), int(high[0])) == "[2019-06-01..2020-03-01)"
    assert one.ends.text(one, 0, int(high[0])) == "before 2020-03-01"


def test_timestamps_end_at_clock_times():
    moments = pd.date_range("2024-01-01 08:00:01", periods=300, freq="97s")
    one = column(moments)
    assert one.ends is not None
    low, high = one.ends.outward(np.array([40]), np.array([60]))
    assert one.ends.text(one, int(low[0]), int(high[0])) == "[2024-01-01T09:00:00..2024-01-01T10:00:00)"


def test_missing_values_are_a_range_by_themselves():
    one = column([*[5.0] * 12, *[7.0] * 3, *[None] * 4])
    assert one.ends is not None
    assert one.ends.outward(np.array([2, 1]), np.array([2, 2])) is not None
    low, high = one.ends.outward(np.array([2, 1]), np.array([2, 2]))
    assert low.tolist() == [2, 0] and high.tolist() == [2, 2]


def test_a_table_of_few_records_has_no_ends():
    one = column([1, 2, 3, 4, 5, 6])
    assert set(texts(one).values()) == {"[..]"}


def test_ranges_of_extreme_numbers_end_at_shared_values():
    one = column([*[1.0] * 12, *np.linspace(1e17, 3e17, 30).tolist()])
    assert isinstance(one.ends, Ends) and one.ends.text(one, 1, len(one.values) - 1) == "over 1"
