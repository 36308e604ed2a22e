"""Columns that cannot have their roles are refused by name."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.soundness import require_sound
from workbench.data.table import Table

COLUMNS = Table.without_roles(pd.DataFrame({"age": [1, 2, 3], "one": ["x"] * 3, "stands": [1.0, -2.0, 3.0]})).columns


@pytest.mark.parametrize(
    ("roles", "levels", "words"),
    [
        ({"age": "quasi", "one": "sensitive", "stands": "neutral"}, {}, "'one' has only one value"),
        ({"age": "quasi", "one": "neutral", "stands": "weight"}, {}, "weight 'stands': it is below 0"),
        (
            {"age": "quasi", "one": "neutral", "stands": "neutral"},
            {"age": 1},
            "levels: 'age' is not a sensitive column",
        ),
    ],
)
def test_impossible_roles_are_refused(roles, levels, words):
    with pytest.raises(BadInput, match=words):
        require_sound(COLUMNS, roles, levels)


def test_possible_roles_are_accepted():
    require_sound(COLUMNS, {"age": "sensitive", "one": "quasi", "stands": "neutral"}, {"age": 0})
