"""The recovered builder of a hierarchy builds the same hierarchy."""

from dataclasses import replace

import pytest

from tests.data.hierarchies.columns import BUILT
from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.hierarchies.builders import Columns, Groups, from_dict
from workbench.data.hierarchies.recovery import levels_of, recover


@pytest.mark.parametrize("case", BUILT)
def test_the_recovered_builder_builds_the_same_hierarchy(case):
    builder, column = BUILT[case]
    made = builder(column)
    assert recover(replace(column, hierarchy=made))(column).spec() == made.spec()


@pytest.mark.parametrize("case", ["widths", "widths, top and bottom", "cuts", "top alone", "dates"])
def test_the_recovered_builder_equals_the_original(case):
    builder, column = BUILT[case]
    assert recover(replace(column, hierarchy=builder(column))).to_dict() == builder.to_dict()


def test_the_levels_of_a_hierarchy_are_its_groups():
    column = BUILT["groups"][1]
    levels = [{"gov": ("Federal-gov", "Local-gov")}, {"all": ("Federal-gov", "Local-gov", "Private", "Self-emp")}]
    assert levels_of(Groups(tuple(levels))(column)) == levels and levels_of(None) == []


def test_leaves_that_the_data_lack_are_remembered():
    """The recovered hierarchy has the same losses as the original."""
    column = datasets.adult().columns["workclass"]
    assert column.hierarchy.whole > len(column.hierarchy.leaves)
    again = from_dict(recover(column).to_dict())(replace(column, hierarchy=None))
    assert again.spec() == column.hierarchy.spec() and again.whole == column.hierarchy.whole
    for wrong in ([3], [2, [1, 1, 1, 1]], ["8", [3, 2, 1, 1]], [8, [3, 2, 1]], [8, ["a", 2, 1, 1]]):
        with pytest.raises(BadInput, match="given: must have the total number of leaves"):
            Columns(column.hierarchy.frame(), given=wrong)(replace(column, hierarchy=None))
