"""Distances of published things from a value: containing, other, noisy, missing."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.measures.privacy.shown_axes import PARTS, Axis
from workbench.releases.shown import Shown, in_regions

FRAME = pd.DataFrame({"age": [20, 30, 50, 60, None], "work": [*"abcd", None]}).astype({"age": "Int64"})
COLUMNS = Table.bare(FRAME).columns
RUNS = np.array([[0, 1], [2, 2], [0, 4]], np.int32)


def shares(axis, code):
    return (axis.distances_from(code) / PARTS).round(4).tolist()


def test_the_distance_of_a_number_from_a_run_is_the_gap():
    axis, number = Axis.from_shown(in_regions(COLUMNS["age"], *RUNS.T, None, np.array([0, 1, 2, 1])))
    assert [shares(axis, 0)[i] for i in number] == [0, round(30 / 41, 4), 0, round(30 / 41, 4)]
    assert shares(axis, 4)[number[0]] == round(31 / 41, 4)  # missing is one step beyond the last
    assert axis.matching_codes(int(number[0])).tolist() == [True, True, False, False, False]


def test_text_is_contained_or_not_also_in_sets():
    held = np.array([[1, 0, 1, 0, 0], [0, 1, 0, 0, 1]], bool)
    ends = np.array([[0, 2], [1, 4]], np.int32)
    axis, number = Axis.from_shown(in_regions(COLUMNS["work"], *ends.T, held, np.array([0, 1])))
    assert [shares(axis, code)[number[0]] for code in range(5)] == [0, 1, 0, 1, 1]
    ages, number = Axis.from_shown(in_regions(COLUMNS["age"], *ends.T, held, np.array([0, 1])))
    assert shares(ages, 1)[number[0]] == round(10 / 41, 4)
    assert ages.matching_codes(int(number[1])).tolist() == [False, True, False, False, True]


def test_noisy_numbers_are_read_as_the_nearest_value_and_missing_fits_only_missing():
    axis, number = Axis.from_shown(Shown(COLUMNS["age"], numbers=np.array([-7.0, 24.9, 25.1, 99.0, np.nan])))
    assert axis.nearest[number].tolist() == [0, 0, 1, 3, 4]
    assert shares(axis, 1) == [round(37 / 40, 4), round(5.1 / 40, 4), round(4.9 / 40, 4), 1, 1]
    assert shares(axis, 4) == [1, 1, 1, 1, 0]
    complete = Table.bare(FRAME.dropna()).columns["age"]
    axis, _ = Axis.from_shown(Shown(complete, numbers=np.array([np.nan, 20.0])))
    assert [axis.matching_codes(i).sum() for i in range(2)] == [1, 0]  # nobody has no value


def test_single_codes_follow_the_things_of_a_file():
    axis, _ = Axis.from_shown(in_regions(COLUMNS["work"], *RUNS.T, None, np.array([0, 1, 2])))
    wider = axis.with_codes()
    assert len(wider) == len(axis) + 5
    assert wider.distances_from(3)[len(axis) :].tolist() == [PARTS, PARTS, PARTS, 0, PARTS]


@pytest.mark.parametrize("values", [[7, 7], ["x", "x"]])
def test_a_column_of_one_value_is_close_to_everything(values):
    axis, _ = Axis.from_shown(Shown(Table.bare(pd.DataFrame({"q": values})).columns["q"], np.array([0, 0])))
    assert axis.distances_from(0).tolist() == [0]
