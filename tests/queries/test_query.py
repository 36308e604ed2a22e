"""Valid and invalid queries."""

import numpy as np
import pytest

from workbench.base.errors import BadInput
from workbench.queries.query import Query

OLD = np.array([False, True])


def test_a_query_has_columns_and_text():
    query = Query("age >= 40", "count", None, {"age": OLD.copy()})
    assert query.columns == ("age",) and str(query) == "age >= 40" and query.absent == ()


def test_conditions_are_immutable():
    query = Query("age >= 40", "count", None, {"age": OLD.copy()})
    with pytest.raises(ValueError, match="read-only"):
        query.conditions["age"][0] = True


@pytest.mark.parametrize(
    ("aggregate", "of", "told"),
    [
        ("count", "pay", "count of 'pay': name no column"),
        ("sum", None, "sum of None: name a numeric column"),
        ("mean", "pay", "unknown aggregate 'mean'"),
    ],
)
def test_invalid_queries_are_refused(aggregate, of, told):
    with pytest.raises(BadInput, match=told):
        Query("", aggregate, of, {})
