"""Data as JSON can carry them, wherever they are written."""

import json
import math

import numpy as np

from workbench.base.jsonable import jsonable


def test_infinity_is_a_word_and_what_is_undefined_is_null():
    given = {
        "a": [1.5, math.inf, -math.inf, math.nan],
        2: (np.int64(3), {"x": np.bool_(True)}),
        "b": np.array([math.inf]),
    }
    assert jsonable(given) == {"a": [1.5, "inf", "-inf", None], "2": [3, {"x": True}], "b": ["inf"]}
    json.dumps(jsonable(given), allow_nan=False)
