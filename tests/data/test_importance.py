"""Weights of columns: invalid ones, changes of the table, and their effects."""

import math

import pytest

from tests.data.people import made
from workbench.base.errors import BadInput
from workbench.measures import GeometricLoss, InformationLoss
from workbench.methods import FullDomain, Mondrian
from workbench.models import KAnonymity


def test_every_column_has_weight_1_by_default():
    table = made()
    assert table.weights_of_quasi.tolist() == [1.0] * len(table.quasi)
    heavy = table.with_importance({"age": 3})
    assert dict(zip(heavy.quasi, heavy.weights_of_quasi, strict=True))["age"] == 3
    assert heavy.with_importance({"age": 1}).importance == {}


@pytest.mark.parametrize("given", [0, -1, math.inf, math.nan, True, "2", None])
def test_invalid_weights_are_refused(given):
    with pytest.raises(BadInput, match="importance of column 'age': must be a number above 0, got"):
        made().with_importance({"age": given})


def test_only_quasi_identifiers_count():
    with pytest.raises(BadInput, match="'ill' is not a quasi-identifier, so it has no loss to weight"):
        made().with_importance({"ill": 2})


def test_weights_are_part_of_the_table_and_stay_with_their_columns():
    heavy = made().with_importance({"age": 3, "work": 2})
    assert heavy.fingerprint != made().fingerprint
    assert heavy.with_roles(["age"], "ill").importance == {"age": 3}
    assert heavy.drop(["work"]).importance == {"age": 3}
    assert heavy.unassigned().importance == {}


def test_searches_preserve_the_columns_with_the_largest_weights(adult):
    table = adult.with_roles(["age", "race", "education"], "occupation")
    heavy = table.with_importance({"education": 50})
    for method, measure in ((FullDomain(suppress=0.0), GeometricLoss()), (Mondrian(), InformationLoss())):
        plain, spared = (measure(method(one, KAnonymity(100))).detail["per_attribute"] for one in (table, heavy))
        assert spared["education"] < plain["education"], method
