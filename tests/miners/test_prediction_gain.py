"""Closer predictions compared with the definition in loops over intervals, sets, values and numbers."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Groups
from workbench.miners.prediction_gain import distance, is_closer
from workbench.queries.regions import Regions
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
    found, number = Regions.distinct(column, low, high, bits)
    return Shown(column, group=number[np.array(of)], regions=found)


def test_the_distance_of_an_interval_is_its_width_if_it_contains_the_truth(columns):
    age = columns["age"]  # codes 0..7
    shown = regions(age, (0, 3), (4, 7), of=[0, 0, 1])
    assert distance(shown, np.array([1, 4, 5])).tolist() == [10, np.inf, 21]


def test_the_distance_of_a_set_is_its_number_of_other_values(columns):
    job = columns["job"]
    run = regions(job, (0, 1), (0, len(job.values) - 1), of=[0, 1])
    assert distance(run, np.array([1, 1])).tolist() == [1, 4]
    town = regions(columns["town"], (0, 3), (1, 2), of=[0, 1, 1], held=[[1, 0, 0, 1], [0, 1, 1, 0]])
    assert distance(town, np.array([3, 1, 0])).tolist() == [1, 1, np.inf]


def test_the_distance_of_text_is_the_number_of_other_leaves_of_the_common_node(columns):
    job = columns["job"]
    code = {label: at for at, label in enumerate(job.labels)}
    pairs = [("clerk", "clerk", 0), ("clerk", "typist", 1), ("baker", "smith", 2), ("cook", "typist", 4)]
    shown = Shown(job, codes=np.array([code[one] for one, _, _ in pairs]))
    assert distance(shown, np.array([code[other] for _, other, _ in pairs])).tolist() == [far for *_, far in pairs]


def test_the_distance_of_numbers_is_the_error_and_missing_is_at_infinity(columns):
    age = columns["age"]
    shown = Shown(age, numbers=np.array([22.5, 20.0, np.nan]))
    assert distance(shown, np.array([1, 0, 0])).tolist() == [2.5, 0, np.inf]


@pytest.mark.parametrize(
    "c, expected",
    [(0, [True, True, False, False]), (60, [True, False, False, False]), (100, [False, False, False, False])],
)
def test_a_prediction_is_closer_by_at_least_c(columns, c, expected):
    age = columns["age"]
    shown = regions(age, (0, 3), of=[0, 0, 0, 0])  # 20 to 30; one of the people is 25 years old
    runs = [(1, 2), (1, 3), (0, 3), (2, 3)]
    told = regions(age, *runs, of=[0, 1, 2, 3])
    true = np.array([1, 1, 1, 1])
    found = is_closer(told, shown, true, c)
    assert found.tolist() == [naive(age, run, (0, 3), 1, c) for run in runs] == expected


def naive(column, predicted, shown, true, c):
    """Return section 2.4, word by word."""
    if not predicted[0] <= true <= predicted[1]:
        return False
    long, short = (column.values[high] - column.values[low] for low, high in (shown, predicted))
    return bool(short < long if c == 0 else short <= (100 - c) / 100 * long)


def test_integers_are_rounded_to_be_exact_and_exact_values_cannot_be_predicted_more_closely(columns):
    age = columns["age"]
    told = Shown(age, numbers=np.array([25.4, 25.6, 25.0]))
    shown = Shown(age, numbers=np.array([80.0, 80.0, 25.0]))
    true = np.array([1, 1, 1])
    assert is_closer(told, shown, true, 100).tolist() == [True, False, False]
    assert is_closer(told, shown, true, 0).tolist() == [True, True, False]


def test_a_node_with_one_value_in_the_data_is_not_exact(columns):
    age = columns["age"]
    shown, told = regions(age, (0, 3), of=[0]), regions(age, (1, 1), of=[0])
    true = np.array([1])
    assert is_closer(told, shown, true, 100).all() and not is_closer(told, shown, true, 100, nodes=True).any()
    assert is_closer(told, shown, true, 0, nodes=True).all()
    assert distance(told, true, nodes=True)[0] > 0
