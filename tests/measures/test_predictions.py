"""Conditions with weights."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput, Undefined
from workbench.base.parameters import Plain, PythonFunction, canonical
from workbench.data.table import Table
from workbench.measures import GoodUtility
from workbench.measures.predictions import (
    accuracy_interval,
    check_costs,
    prediction_worth,
    record_weights,
    utility_decline,
)
from workbench.miners.cross_fitting import ScoredPredictions

# Weights of records: query conditions, each with a weight.


def test_the_first_condition_met_counts(small):
    table, given = small(0), {"age >= 50 and sex = 'F'": 10, "age >= 50": 3, "others": 0.5}
    expected = [
        (10 if sex == "F" else 3) if age >= 50 else 0.5
        for age, sex in zip(table.frame["age"], table.frame["sex"], strict=True)
    ]
    assert record_weights(table, given).tolist() == expected
    assert record_weights(table, Plain(canonical({"age >= 50": 3}))).tolist() == [
        3 if age >= 50 else 1 for age in table.frame["age"]
    ]
    assert record_weights(table, None).tolist() == [1] * table.records


@pytest.mark.parametrize(
    ("given", "words"),
    [([1], "must be conditions"), ({}, "must be conditions"), ({"age > 3": "much"}, "is not a weight"),
     ({"age > 3": -1}, "at least 0"),
     ({"aeg > 3": 1}, "aeg"), ({"avg(age) where sex = 'F'": 1}, "is not a condition"),
     ({"age > 3": True}, "is not a weight")],
)  # fmt: skip
def test_bad_weights_are_reported(small, given, words):
    with pytest.raises(BadInput, match=words):
        record_weights(small(0), given)


def test_the_order_of_conditions_is_stored():
    """The first condition met counts: a different order is a different measure."""
    first = GoodUtility(weights={"z = 1": 2, "a = 1": 3})
    other = GoodUtility(weights={"a = 1": 3, "z = 1": 2})
    assert list(first.to_dict()["weights"]) == ["z = 1", "a = 1"] and first != other and first.key != other.key


# The worth of predictions, computed by hand.

COLUMN = Table.without_roles(pd.DataFrame({"ill": ["no", "yes"]})).columns["ill"]
VALUES = ScoredPredictions(COLUMN, ("no", "yes"), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.arange(4))
NUMBERS = ScoredPredictions(
    COLUMN, (), np.array([10.0, 12, 30, np.nan, 5]), np.array([10.0, 14, 20, 20, np.nan]), np.arange(5)
)


@pytest.mark.parametrize(
    ("error", "costs", "expected"),
    [
        ("accuracy", None, [1, 0, 0, 1]),
        ("false positives", None, [1, 0, 1, 1]),
        ("costs", None, [1, 0, 0, 1]),
        ("costs", {"yes": {"no": 6}, "no": {"yes": 0.25}}, [1, -5, 0.75, 1]),
        (PythonFunction(lambda predicted, true: 2.0 if predicted == "yes" == true else 0.5), None, [0.5, 0.5, 0.5, 2]),
    ],
    ids=str,
)
def test_values(error, costs, expected):
    assert prediction_worth(VALUES, error, costs, 1.0).tolist() == expected


def test_numbers():
    near, less = (prediction_worth(NUMBERS, error, None, 2.0) for error in ("tolerance", "absolute"))
    assert np.array_equal(near, [1, 1, 0, 0, np.nan], equal_nan=True)
    assert np.array_equal(less, [1, 0.8, 0, 0, np.nan], equal_nan=True)  # the range of the true values is 10
    own = prediction_worth(NUMBERS, PythonFunction(lambda predicted, true: predicted - true), None, 1.0)
    assert own[:3].tolist() == [0, -2, 10]


@pytest.mark.parametrize("given", [3, {"yes": 3}, {"yes": {"no": "much"}}, {"yes": {"no": True}}])
def test_bad_costs_are_reported(given):
    with pytest.raises(BadInput, match="costs"):
        check_costs(given)
    with pytest.raises(BadInput, match="'maybe' is not a value") as caught:
        prediction_worth(VALUES, "costs", {"maybe": {"no": 1}}, 1.0)
    assert "yes" not in str(caught.value)  # may be a value of the sensitive column


# Declines and differences by hand, and the coverage of their intervals.


def test_the_decline_by_hand():
    """Worth 3 of 4 before and 2 of 4 after; with weights 1, 1, 2, 2 it is 5 of 6 and 3 of 6."""
    before, after = np.array([1.0, 0, 1, 1]), np.array([1.0, 1, 0, 0])
    even, heavy = np.ones(4), np.array([1.0, 1, 2, 2])
    assert utility_decline(before, even, after, even, True)[:2] == (pytest.approx(1 / 3), pytest.approx((0.75, 0.5)))
    assert utility_decline(before, heavy, after, heavy, True)[:2] == (pytest.approx(0.6), pytest.approx((5 / 6, 2 / 6)))
    assert utility_decline(after, even, before, even, True)[0] == 0  # a gain, not a loss
    with pytest.raises(Undefined, match="so a relative loss is undefined"):
        utility_decline(-before, even, after, even, True)


def test_missing_truth_does_not_count():
    before, after = np.array([1.0, np.nan, 1, 0]), np.array([1.0, np.nan, 0, 0])
    found = utility_decline(before, np.ones(4), after, np.ones(4), True)
    assert found[:2] == (pytest.approx(0.5), pytest.approx((2 / 3, 1 / 3)))


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_covers_the_decline_in_95_of_100_samples(paired):
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        before = (rng.random(300) < 0.8).astype(float)
        after = before * (rng.random(300) < 0.75) if paired else (rng.random(300) < 0.6).astype(float)
        low, high = utility_decline(before, np.ones(300), after, np.ones(300), paired)[2]
        held += low <= 0.25 <= high
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_covers_the_difference_in_95_of_100_samples(paired):
    rng, held = np.random.default_rng(2), 0
    for _ in range(400):
        base = rng.random(300) < 0.7
        found = np.where(rng.random(300) < 0.3, rng.random(300) < 0.7, base) if paired else rng.random(300) < 0.7
        low, high = accuracy_interval(found, base, paired)
        held += low <= 0 <= high
    assert 0.92 <= held / 400 <= 0.98
