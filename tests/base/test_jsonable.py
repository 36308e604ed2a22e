"""Conversion of data to valid JSON."""

import json
import math

import numpy as np

from workbench.base.jsonable import jsonable


def test_infinity_is_a_word_and_undefined_values_are_null():
    given = {
        "a": [1.5, math.inf, -math.inf, math.nan],
        2: (np.int64(3), {"x": np.bool_(True)}),
        "b": np.array([math.inf]),
    }
    assert jsonable(given) == {"a": [1.5, "inf", "-inf", None], "2": [3, {"x": True}], "b": ["inf"]}
    json.dumps(jsonable(given), allow_nan=False)
