"""Removed columns: the others stay, and without any quasi-identifier all records are one class."""

import pytest

from workbench import BadInput
from workbench.methods import Remove


def test_removing_a_column_merges_its_classes(small):
    table = small(0)
    kept = [name for name in table.quasi if name != "age"]
    sizes = table.frame[kept].value_counts(dropna=False)
    assert sorted(Remove("age")(table).classes.sizes.tolist()) == sorted(sizes.tolist())
    assert Remove()(table).classes.sizes.tolist() == [table.records]


def test_the_order_of_names_is_irrelevant_and_unknown_names_are_refused(small):
    assert Remove(("b", "a", "b")) == Remove(("a", "b"))
    with pytest.raises(BadInput, match="'nonsense' is not a column of the table"):
        Remove("nonsense").check(small(0))
    with pytest.raises(BadInput, match="name one column or several"):
        Remove(5)
