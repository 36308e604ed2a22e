"""Nearer predictions beside the definition written with loops over intervals, sets, values and numbers."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Groups
from workbench.miners.nearer import distance, nearer
from workbench.releases.regions import Regions
from workbench.releases.shown import Shown

JOBS = {"Office": ["clerk", "typist"], "Craft": ["baker", "cook", "smith"]}


@pytest.fixture(scope="module")
def columns():
    frame = pd.DataFrame(
        {
            "age": [20, 25, 26, 30, 40, 41, 60, 61],
            "job": ["clerk", "typist", "baker", "cook", "smith", "cook", "baker", "clerk"],
            "town": list("abcdabcd"),
            "ill": list("xyxyxyxy"),
        }
    )
    table = Table.from_frame(frame, ["age", "job", "town"], "ill", hierarchies={"job": Groups(levels=[JOBS])})
    return table.columns


def regions(column, *runs, of, held=None):
    low, high = np.array(runs).T
    bits = None if held is None else np.array(held, bool)
    found, number = Regions.of(column, low, high, bits)
    return Shown(column, group=number[np.array(of)], regions=found)


def test_an_interval_is_as_far_as_it_is_wide_if_the_truth_is_in_it(columns):
    age = columns["age"]  # codes 0..7
    shown = regions(age, (0, 3), (4, 7), of=[0, 0, 1])
    assert distance(shown, np.array([1, 4, 5])).tolist() == [10, np.inf, 21]


def test_a_set_or_a_run_of_text_is_as_far_as_it_has_other_values(columns):
    job = columns["job"]
    run = regions(job, (0, 1), (0, len(job.values) - 1), of=[0, 1])
    assert distance(run, np.array([1, 1])).tolist() == [1, 4]
    town = regions(columns["town"], (0, 3), (1, 2), of=[0, 1, 1], held=[[1, 0, 0, 1], [0, 1, 1, 0]])
    assert distance(town, np.array([3, 1, 0])).tolist() == [1, 1, np.inf]


def test_values_of_text_are_as_far_as_the_smallest_node_above_both_has_other_leaves(columns):
    job = columns["job"]
    code = {label: at for at, label in enumerate(job.labels)}
    pairs = [("clerk", "clerk", 0), ("clerk", "typist", 1), ("baker", "smith", 2), ("cook", "typist", 4)]
    shown = Shown(job, codes=np.array([code[one] for one, _, _ in pairs]))
    assert distance(shown, np.array([code[other] for _, other, _ in pairs])).tolist() == [far for *_, far in pairs]


def test_numbers_lie_as_far_as_they_are_off_and_nothing_is_as_far_as_can_be(columns):
    age = columns["age"]
    shown = Shown(age, numbers=np.array([22.5, 20.0, np.nan]))
    assert distance(shown, np.array([1, 0, 0])).tolist() == [2.5, 0, np.inf]


@pytest.mark.parametrize(
    "c, expected",
    [(0, [True, True, False, False]), (60, [True, False, False, False]), (100, [False, False, False, False])],
)
def test_a_prediction_is_so_much_nearer(columns, c, expected):
    age = columns["age"]
    shown = regions(age, (0, 3), of=[0, 0, 0, 0])  # 20 to 30, of whom is 25 years old
    runs = [(1, 2), (1, 3), (0, 3), (2, 3)]
    told = regions(age, *runs, of=[0, 1, 2, 3])
    true = np.array([1, 1, 1, 1])
    found = nearer(told, shown, true, c)
    assert found.tolist() == [naive(age, run, (0, 3), 1, c) for run in runs] == expected


def naive(column, predicted, shown, true, c):
    """Section 2.4, word by word."""
    if not predicted[0] <= true <= predicted[1]:
        return False
    long, short = (column.values[high] - column.values[low] for low, high in (shown, predicted))
    return bool(short < long if c == 0 else short <= (100 - c) / 100 * long)


def test_whole_numbers_are_rounded_to_be_exact_and_what_shows_the_truth_cannot_be_predicted_nearer(columns):
    age = columns["age"]
    told = Shown(age, numbers=np.array([25.4, 25.6, 25.0]))
    shown = Shown(age, numbers=np.array([80.0, 80.0, 25.0]))
    true = np.array([1, 1, 1])
    assert nearer(told, shown, true, 100).tolist() == [True, False, False]
    assert nearer(told, shown, true, 0).tolist() == [True, True, False]


def test_a_node_in_which_the_data_have_one_value_is_not_exact(columns):
    age = columns["age"]
    shown, told = regions(age, (0, 3), of=[0]), regions(age, (1, 1), of=[0])
    true = np.array([1])
    assert nearer(told, shown, true, 100).all() and not nearer(told, shown, true, 100, nodes=True).any()
    assert nearer(told, shown, true, 0, nodes=True).all()
    assert distance(told, true, nodes=True)[0] > 0
