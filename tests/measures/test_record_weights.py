"""Conditions with weights."""

import pytest

from workbench.base.errors import BadInput
from workbench.base.parameters import Plain, canonical
from workbench.measures import GoodUtility
from workbench.measures.record_weights import record_weights


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
