"""The worth of predictions, computed by hand."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.base.parameters import PythonFunction
from workbench.data.table import Table
from workbench.measures.utility.prediction_errors import check_costs, prediction_worth
from workbench.miners.scoring import ScoredPredictions

COLUMN = Table.bare(pd.DataFrame({"ill": ["no", "yes"]})).columns["ill"]
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
