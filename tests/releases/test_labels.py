"""Labels of runs are unique and can be parsed back."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.column import Column
from workbench.data.hierarchies.builders import Groups
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.table import Table
from workbench.releases.label_parser import Labels
from workbench.releases.labels import named_levels, run_label, run_labels


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
