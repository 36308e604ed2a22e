"""Labels of runs are unique and can be parsed back."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.data.column import Column
from workbench.data.hierarchies.builders import Groups
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.table import Table
from workbench.releases.labels import Labels, format_run, in_quotes, named_levels, run_label, run_labels


def text(*labels, missing=0, levels=()):
    hierarchy = Hierarchy.from_assignment(labels, levels) if levels else None
    return Column("q", "text", np.array(labels, object), labels, np.ones(len(labels), int), missing, hierarchy)


def numbers(*values, missing=0):
    array = np.array(values)
    return Column("q", "number", array, tuple(map(str, values)), np.ones(len(values), int), missing)


def every_run(column):
    codes = range(column.size)
    return np.array([(a, b) for a in codes for b in codes if a <= b]).T


DAYS = pd.date_range("2024-01-30", periods=4).to_numpy().astype("datetime64[D]")
NASTY = {
    "a leaf and a group of one name": text("Private", "Public", "Own", levels=[["Private", "Private", "Own"]]),
    "commas": text("a", "b", "a, b", "c"),
    "braces": text("a", "b", "{a, b}", "a .. b", "{a .. b: 2 values}"),
    "quotes": text('"', '", "', '{"'),
    "a value called missing": text("a", "missing", missing=1),
    "or missing": text("a", "a or missing", missing=1),
    "brackets": text("[1-2]", "1", "2", "[1", "2]"),
    "a label like the last resort": text("a", "a (values 1 to 1)", "{a}", "missing", missing=2),
    "many values": text(*(f"v{i}" for i in range(12)), "v0 .. v9", "{v0 .. v9: 10 values}"),
    "integers": numbers(1, 2, 12, 21, missing=1),
    "negative": numbers(-21, -2, -1, 1, 2),
    "floats": numbers(-0.5, 0.1, 0.25, 1.5, missing=1),
    "dates": Column("q", "date", DAYS, tuple(map(str, DAYS)), np.ones(4, int), 1),
    "labels of other levels": text("a", "b", "c", "d", levels=[["x", "x", "c", "d"], ["a", "a", "a", "y"]]),
}


@pytest.mark.parametrize("column", NASTY.values(), ids=NASTY)
def test_different_runs_never_share_a_label(column):
    low, high = every_run(column)
    labels = run_labels(column, low, high)
    assert len(set(labels)) == len(labels)
    assert all(isinstance(label, str) and label for label in labels)


@pytest.mark.parametrize("column", NASTY.values(), ids=NASTY)
def test_equal_runs_have_equal_labels_at_any_position(column):
    low, high = every_run(column)
    again = np.random.default_rng(0).integers(0, len(low), 40)
    one, many = run_labels(column, low, high), run_labels(column, low[again], high[again])
    assert len(set(many)) == len(set(again)) and len(set(zip(many, again, strict=True))) == len(set(again))
    assert (run_labels(column, low, high) == one).all()


@pytest.mark.parametrize(
    ("column", "low", "high", "label"),
    [
        (text("Private", "Public", "Own", levels=[["Paid", "Paid", "Own"]]), 0, 1, "Paid"),
        (text("Private", "Public", "Own", levels=[["Paid", "Paid", "Own"]]), 1, 2, "{Public, Own}"),
        (text("Private", "Public", missing=3), 1, 2, "Public or missing"),
        (text("Private", "Public", missing=3), 0, 2, "{Private, Public} or missing"),
        (text("Private", "Public", missing=3), 2, 2, "missing"),
        (text(*"abcdefghij"), 0, 8, "{a .. i: 9 values}"),
        (numbers(25, 30, 39), 0, 2, "[25-39]"),
        (numbers(25, 30, 39, missing=1), 1, 3, "[30-39] or missing"),
        (numbers(-5, 30), 0, 1, "[-5..30]"),
        (numbers(0.5, 1.25), 0, 1, "[0.5..1.25]"),
        (NASTY["dates"], 0, 1, "[2024-01-30..2024-01-31]"),
    ],
)
def test_labels_are_readable(column, low, high, label):
    assert run_label(column, low, high) == label


def test_labels_that_collide_are_spelled_out():
    low, high = np.array([0, 0]), np.array([0, 1])
    assert list(run_labels(NASTY["a leaf and a group of one name"], low, high)) == ["Private", "{Private, Public}"]
    quoted = list(run_labels(NASTY["a value called missing"], np.array([1, 2]), np.array([1, 2])))
    assert quoted == ['"missing"', "missing"]


@pytest.mark.parametrize("column", NASTY.values(), ids=NASTY)
def test_a_label_is_parsed_back_without_the_others(column):
    for low, high in zip(*every_run(column), strict=True):
        (label,) = run_labels(column, np.array([low]), np.array([high]))
        found = Labels(column, (label,)).meaning(label)
        assert (found.low, found.high, found.exact) == (low, high, True)


def test_the_level_of_a_label_is_the_lowest_that_names_its_run():
    groups = Groups(({"AB": ["a", "b"], "CG": list("cdefg")}, {"all": list("abcdefg")}))
    frame = pd.DataFrame({"q": list("acde"), "s": list("xyxy")})
    column = Table.from_frame(frame, ["q"], "s", hierarchies={"q": groups}).columns["q"]
    labels, runs = ["a", "AB", "CG", "{c, d}", "all", "*"], [(0, 0), (0, 0), (1, 3), (1, 2), (0, 3), (0, 3)]
    top = len(column.released_at) - 1
    assert named_levels(column, labels, np.array(runs)).tolist() == [0, 1, 1, 0, 2, top]


# What generalised values mean.

AGES = numbers(18, 20, 25, 29, 30, 41, 50, 60, missing=1)
SIGNED = numbers(-30, -10, -5, 0, 5)
FRACTIONS = numbers(0.5, 1.5, 2.25, 3.0)
LABEL_PARSER_DAYS = np.array(["2023-12-31", "2024-01-01", "2024-01-30", "2024-02-29", "2025-07-01"], "datetime64[D]")
DATES = Column("q", "date", LABEL_PARSER_DAYS, tuple(map(str, LABEL_PARSER_DAYS)), np.ones(5, int))
WORK = text(
    "Clergy", "Farm", "Fishing", "Office", "Shop", levels=[["Clergy", "Outdoors", "Outdoors", "Indoors", "Indoors"]]
)
ZIPS = text("13053", "13068", "14850", "47901", "47906", "9")
MANY = text("a", "a .. b", *(f"m{i}" for i in range(20)), "x .. y", "z: 3 values}", missing=1)
LISTS = text("A", "A, B", "B", "C;D", "E|F")

CASES = [
    (AGES, "20", (20, 20)),
    (AGES, "20.0", (20, 20)),
    (AGES, "[20, 30)", (20, 29)),
    (AGES, "[20, 30[", (20, 29)),
    (AGES, "[20-30[", (20, 29)),
    (AGES, "[20,30]", (20, 30)),
    (AGES, "(20, 30]", (25, 30)),
    (AGES, "]20, 30]", (25, 30)),
    (AGES, "(20, 30)", (25, 29)),
    (AGES, "20-30", (20, 30)),
    (AGES, " 20 - 30 ", (20, 30)),
    (AGES, "20–30", (20, 30)),
    (AGES, "20 to 30", (20, 30)),
    (AGES, "[17-36]", (18, 30)),
    (AGES, "[0; 19]", (18, 18)),
    (AGES, "(-inf, 25.5]", (18, 25)),
    (AGES, "[50, inf)", (50, 60)),
    (AGES, "[50, )", (50, 60)),
    (AGES, "<50", (18, 41)),
    (AGES, "<=50", (18, 50)),
    (AGES, "≤ 50", (18, 50)),
    (AGES, ">=50", (50, 60)),
    (AGES, ">50", (60, 60)),
    (AGES, "50+", (50, 60)),
    (AGES, "*", (18, "missing")),
    (AGES, "**", (18, "missing")),
    (AGES, "2*", (20, 29)),
    (AGES, "missing", ("missing", "missing")),
    (AGES, "[41..60] or missing", (41, "missing")),
    (AGES, "{20, 25, 29}", (20, 29)),
    (AGES, "{20, 29}", (20, 29, "loose")),
    (AGES, "20, 29", (20, 29, "loose")),
    (AGES, "20;25", (20, 25)),
    (AGES, "21", None),
    (AGES, "[31, 40]", None),
    (AGES, "[30, 20]", None),
    (AGES, "{20, 21}", None),
    (AGES, "young", None),
    (AGES, "1e999", None),
    (AGES, "[20, 99999999999999999999999999]", (20, 60)),
    (SIGNED, "-10--5", (-10, -5)),
    (SIGNED, "[-10, 5)", (-10, 0)),
    (SIGNED, "-30 to -10", (-30, -10)),
    (SIGNED, "<0", (-30, -5)),
    (FRACTIONS, "[1.5-3[", (1.5, 2.25)),
    (FRACTIONS, "[.5..2.25]", (0.5, 2.25)),
    (DATES, "2024", ("2024-01-01", "2024-02-29")),
    (DATES, "2024-01", ("2024-01-01", "2024-01-30")),
    (DATES, "2024-**-**", ("2024-01-01", "2024-02-29")),
    (DATES, "30.1.2024", ("2024-01-30", "2024-01-30")),
    (DATES, "[2024-01-01, 2024-02-29)", ("2024-01-01", "2024-01-30")),
    (DATES, "2023-2024", ("2023-12-31", "2024-02-29")),
    (DATES, ">2024", ("2025-07-01", "2025-07-01")),
    (DATES, "<=2024-01-30", ("2023-12-31", "2024-01-30")),
    (DATES, "2024-02-31", None),
    (WORK, "Farm", ("Farm", "Farm")),
    (WORK, "Outdoors", ("Farm", "Fishing")),
    (WORK, "{Farm, Fishing}", ("Farm", "Fishing")),
    (WORK, "Fishing;Farm", ("Farm", "Fishing")),
    (WORK, "Farm|Fishing", ("Farm", "Fishing")),
    (WORK, "['Farm', 'Fishing']", ("Farm", "Fishing")),
    (WORK, "{Indoors, Farm}", ("Farm", "Shop", "loose")),
    (WORK, "{Outdoors}", ("Farm", "Fishing")),
    (WORK, "{Clergy, Shop}", ("Clergy", "Shop", "loose")),
    (WORK, "{Farm, Mine}", None),
    (WORK, "Sea", None),
    (ZIPS, "479**", ("47901", "47906")),
    (ZIPS, "130**", ("13053", "13068")),
    (ZIPS, "1*", ("13053", "14850")),
    (ZIPS, "*0**", ("13053", "47906")),
    (ZIPS, "8**", None),
    (ZIPS, "****6", ("47906", "47906")),
    (ZIPS, "*****", ("13053", "9")),
    (MANY, "{a .. m8: 11 values}", ("a", "m8")),
    (MANY, "{a .. b .. m8: 10 values}", ("a .. b", "m8")),
    (MANY, "{m3 .. x .. y: 18 values} or missing", ("m3", "missing", "loose")),
    (MANY, "{m3 .. x .. y: 18 values}", ("m3", "x .. y")),
    (MANY, "{m4 .. z: 3 values}: 18 values} or missing", ("m4", "missing")),
    (MANY, '{"m0" .. "m9": 10 values}', ("m0", "m9")),
    (MANY, "{m0 .. m9: 11 values}", None),
    (WORK, "Farm/Fishing", ("Farm", "Fishing")),
    (text("M", "F"), "M/F", ("M", "F")),
    (text("M", "F", "M/F"), "M/F", ("M/F", "M/F")),
    (WORK, "frozenset({'Farm', 'Fishing'})", ("Farm", "Fishing")),
    (AGES, "frozenset({20, 25})", (20, 25)),
    (ZIPS, "479XX", ("47901", "47906")),
    (ZIPS, "479xx", ("47901", "47906")),
    (ZIPS, "479##", ("47901", "47906")),
    (ZIPS, "478XX", None),
    (WORK, "Xarm", None),
    (AGES, "between 20 and 30", (20, 30)),
    (AGES, "from 20 to 30", (20, 30)),
    (AGES, "20s", (20, 29)),
    (DATES, "2020s", ("2023-12-31", "2025-07-01")),
    (numbers(1899, 1900, 1930, 1939, 1940), "1930s", (1930, 1939)),
    (numbers(1899, 1900, 1930, 1939, 1940), "1900s", (1900, 1940)),
    (DATES, "2024-Q1", ("2024-01-01", "2024-02-29")),
    (DATES, "2025Q3", ("2025-07-01", "2025-07-01")),
    (DATES, "2024-Q2", None),
    (AGES, "unknown", (18, "missing")),
    (text("known", "unknown"), "unknown", ("unknown", "unknown")),
    (AGES, "{20, 25}", (20, 25)),
    (AGES, "20/25", (20, 25)),
    (AGES, "20..29", (20, 29)),
    (AGES, "20-29", (20, 29)),
    (AGES, "<20", (18, 18)),
    (AGES, "2#", (20, 29)),
    (AGES, "20~30", (20, 30)),
    (AGES, "20-<30", (20, 29)),
    (AGES, "20 - < 30", (20, 29)),
    (AGES, "under 20", (18, 18)),
    (AGES, "Less than 25", (18, 20)),
    (AGES, "up to 25", (18, 25)),
    (AGES, "over 50", (60, 60)),
    (AGES, "at least 50", (50, 60)),
    (AGES, "50 and over", (50, 60)),
    (AGES, "50 or older", (50, 60)),
    (AGES, "over 50 and over", None),
    (DATES, "Q1 2024", ("2024-01-01", "2024-02-29")),
    (DATES, "Q3 2025-Q3", None),
    (DATES, "under 2024", ("2023-12-31", "2023-12-31")),
    (ZIPS, "479??", ("47901", "47906")),
    (WORK, "over Farm", None),
    (text("a", "b"), "a;b", ("a", "b")),
    (LISTS, "A, B", ("A, B", "A, B")),
    (LISTS, "{A, A, B, B}", ("A", "B")),
    (LISTS, "C;D", ("C;D", "C;D")),
    (LISTS, "{B, C;D}", ("B", "C;D")),
    (LISTS, '{"A, B", "B"}', ("A, B", "B")),
]  # fmt: skip


def parsed(column, label, others=()):
    found = Labels(column, (label, *others)).meaning(label)
    if found is None:
        return None
    values = [*column.values.tolist(), "missing"] if column.kind == "number" else column.value_labels()
    return (values[found.low], values[found.high], *(() if found.exact else ("loose",)))


@pytest.mark.parametrize("column, label, run", CASES, ids=[f"{i}: {case[1]}" for i, case in enumerate(CASES)])
def test_labels(column, label, run):
    assert parsed(column, label) == run


def test_averages_cover_the_nearest_values():
    means = ("19", "23.5", "29.67", "50.33")
    assert [parsed(AGES, mean, means) for mean in means] == [(18, 20), (25, 25), (29, 30), (41, 60)]
    assert parsed(AGES, "17.33") is None  # below all values
    assert parsed(AGES, "21", ("21", "27")) is None  # no average has a fraction: values were changed
    century = numbers(1900, 1905, 1930, 1939)
    assert parsed(century, "1900s", ("1900s", "1930s")) == (1900, 1905)


PRICES = numbers(0.5, 1.25, 2.5, 7.75, 20.0)


def test_averages_of_fractions_have_more_decimals_than_the_values():
    means = ("0.9167", "2.5", "9.333333333333334")
    assert [parsed(PRICES, mean, means) for mean in means] == [(0.5, 1.25), (2.5, 2.5), (7.75, 20.0)]
    assert parsed(PRICES, "1.75", ("1.75", "7.5")) is None  # no number is finer than prices are: values were changed
    assert parsed(PRICES, "0.3333333") is None  # below all values
    measured = numbers(0.123456789012345, 0.2, 0.3000000000000004)
    assert parsed(measured, "0.16") is None
    assert parsed(measured, "0.1617283945061725") == (0.123456789012345, 0.3000000000000004)
    assert parsed(measured, "0.1617283945061725", ("0.25",)) == (0.123456789012345, 0.2)


def test_in_a_column_of_averages_one_that_is_a_value_too_is_an_average():
    means = ("19.5", "25", "55.5")
    assert [parsed(AGES, mean, means) for mean in means] == [(18, 20), (25, 30), (41, 60)]
    assert parsed(PRICES, "2.5", ("0.9167", "2.5", "9.3333")) == (2.5, 2.5)


@given(st.lists(st.integers(1, 10_000), min_size=6, max_size=60, unique=True), st.integers(2, 5), st.integers(0, 3))
@example([258, 354, 355, 453, 454, 455], 2, 0)
@example([1, 2, 3, 4975, 4976, 9946], 2, 0)
def test_microaggregated_fractions_lie_within_their_values(cents, k, places):
    """Groups of k neighbours replaced by their mean, as sdcMicro's mdav and onedims do."""
    values = np.array(sorted(cents)) / 10**places
    groups = np.array_split(values, max(1, len(values) // k))
    means = [repr(float(group.mean())) for group in groups]
    column = numbers(*values.tolist()) if places else numbers(*sorted(cents))
    reading = Labels(column, tuple(means))
    if not len(reading.averages):
        return  # all means are as coarse as the values
    inside = [mean for mean in map(float, means) if column.values[0] < mean < column.values[-1]]
    for mean in inside:
        run = reading.meaning(repr(mean))
        apart = {value: [abs(value - other) for other in inside if other != mean] for value in column.values.tolist()}
        nearer = [value for value, far in apart.items() if all(abs(value - mean) < one - 1e-9 for one in far)]
        held = column.values[run.low : run.high + 1].tolist()
        assert {*nearer} <= {*held}
        between = [value for value, far in apart.items() if all(abs(value - mean) <= one + 1e-9 for one in far)]
        around = held[0] < mean < held[-1] and len(held) == 2  # where no value is nearest to the average
        if nearer or not around:  # a value exactly between two averages may stand for either
            assert held and {*held} <= {*between}


def test_an_end_shared_by_two_intervals_belongs_to_the_upper_one():
    beside = ("18-30", "30-50", "50-60")
    assert [parsed(AGES, label, beside) for label in beside] == [(18, 29), (30, 41), (50, 60)]
    assert Labels(AGES, beside).shared_ends
    assert not Labels(AGES, ("[18-30]", "[30-50]")).shared_ends
    assert not Labels(AGES, ("18-29", "30-49")).shared_ends


def test_a_name_of_a_value_and_of_a_group_is_the_group_unless_that_is_written_out():
    column = text("Private", "Public", "Own", levels=[["Private", "Private", "Own"]])
    assert parsed(column, "Private") == ("Private", "Public")
    assert parsed(column, "Private", ("{Private, Public}",)) == ("Private", "Private")


@pytest.mark.parametrize("name", NASTY)
def test_our_own_labels_cover_their_runs(name):
    column = NASTY[name]
    low, high = every_run(column)
    labels = run_labels(column, low, high)
    reading = Labels(column, tuple(labels))
    found = [reading.meaning(label) for label in labels]
    assert [(run.low, run.high) for run in found] == list(zip(low.tolist(), high.tolist(), strict=True))
    assert all(run.exact for run in found)


def test_labels_of_many_values_are_parsed_quickly():
    column = text(*(f"name {i:05}" for i in range(20_000)), missing=1)
    low = np.arange(0, 19_000, 19)
    high = np.minimum(low + 9 + low % 700, 20_000)
    began = time.process_time()
    labels = run_labels(column, low, high)
    reading = Labels(column, tuple(labels))
    assert [reading.meaning(label).high for label in labels] == high.tolist()
    assert time.process_time() - began < 10  # tenths of a second; hours where each label is held against each run


@given(
    st.lists(st.integers(-99, 99), min_size=2, max_size=20, unique=True),
    st.integers(-110, 110),
    st.integers(0, 60),
    st.sampled_from(
        ["[{}, {})", "[{}, {}[", "[{},{}]", "({}, {}]", "]{}, {}]", "({}, {})", "{} - {}", "{} to {}", "{}..{}"]
    ),
)
@example([1, 2], 1, 0, "({}, {}]")
def test_intervals_cover_the_values_between(values, low, width, form):
    column, label = numbers(*sorted(values)), form.format(low, low + width)
    left, right = form[0] in "(]", form[-1] in ")["
    inside = [v for v in sorted(values) if low + left <= v <= low + width - right]
    found = Labels(column, (label,)).meaning(label)
    assert (found is None) == (not inside)
    if inside:
        assert [column.values[found.low], column.values[found.high]] == [inside[0], inside[-1]]
        assert found.exact


@given(st.text(max_size=30))
def test_any_text_is_parsed_without_errors(label):
    for column in (AGES, DATES, WORK, LISTS):
        found = Labels(column, (label,)).meaning(label)
        assert found is None or 0 <= found.low <= found.high < column.size


# Labels of runs without a node: their values, or their two ends if there are many.


def column(*labels, missing=0):
    return Column("q", "text", np.array(labels, object), labels, np.ones(len(labels), int), missing)


def test_short_runs_list_their_values_and_long_ones_their_ends():
    letters = column(*"abcdefghij", missing=1)
    assert format_run(letters, 0, 0) == "a" and format_run(letters, 0, 7) == "{a, b, c, d, e, f, g, h}"
    assert format_run(letters, 0, 8) == "{a .. i: 9 values}" and format_run(letters, 8, 10) == "{i, j} or missing"


def test_quoted_values_cannot_be_confused_with_two():
    assert format_run(column("a, b", "c"), 0, 1, quoted=True) == '{"a, b", "c"}' and in_quotes('"') == '"\\""'
