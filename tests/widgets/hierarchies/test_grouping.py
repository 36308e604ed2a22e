"""Named groups on several levels stay nested, one step at a time."""

import numpy as np
import pytest

from widgets.hierarchies import grouping
from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Groups

LEVELS = [{"A": ("a", "b"), "C": ("c", "d")}, {"all": ("a", "b", "c", "d")}]
ONE = dict.fromkeys("abcde", 1)


def column(values="abcde"):
    return Column("town", "text", np.array(list(values), dtype=object), tuple(values), np.ones(len(values), np.int64))


def test_what_can_be_grouped_are_the_groups_below():
    hierarchy = Groups(tuple(LEVELS))(column())
    assert list(grouping.members(hierarchy, 1)) == list("abcde")
    assert grouping.members(hierarchy, 2)["A"] == ("a", "b")


def test_a_value_that_joins_a_group_follows_it_upwards():
    new, notes = grouping.group_values(LEVELS, 1, ["e"], "A", ONE)
    assert set(new[0]["A"]) == {"a", "b", "e"} and set(new[1]["all"]) == set("abcde")
    assert notes == ["On level 2 all of 'A' is now in 'all'."]


def test_nobody_changes_what_was_there():
    before = [dict(level) for level in LEVELS]
    grouping.group_values(LEVELS, 1, ["e"], "A", ONE)
    grouping.ungroup(LEVELS, 1, ["a"])
    grouping.rename_group(LEVELS, 1, "A", "B")
    assert before == LEVELS


def test_a_name_is_used_once_a_level():
    assert "B" in grouping.rename_group(LEVELS, 1, "A", "B")[0]
    with pytest.raises(BadInput, match="There is a group 'C' on level 1 already"):
        grouping.rename_group(LEVELS, 1, "A", "C")


def test_rows_are_the_levels_and_come_back():
    rows = grouping.rows_of(LEVELS, "abcde")
    assert rows[0] == ["a", "A", "all"] and rows[4] == ["e", "e", "e"]
    assert grouping.from_rows(rows) == [{k: tuple(v) for k, v in level.items()} for level in LEVELS]


def test_labels_that_are_in_two_groups_above_get_names_of_their_own():
    rows = [["a", "x", "1"], ["b", "x", "2"], ["c", "y", "2"]]
    assert [row[1] for row in grouping.separate_parts(rows, column("abc"))] == ["x (1)", "x (2)", "y"]
