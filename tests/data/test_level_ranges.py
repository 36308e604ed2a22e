"""Ranges of levels for releases: existing levels, invalid ones, and changes of the table."""

import pytest

from tests.data.people import FRAME, made
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.level_ranges import highest

HIERARCHIES = {"age": Intervals(widths=(10, 20)), "work": Groups(({"any": ["own", "gov"]},))}


def table():
    return made(hierarchies=HIERARCHIES)


def test_the_top_is_everything_as_one_node():
    columns = table().columns
    assert highest(columns["age"]) == 3, "values, two levels, everything"
    assert highest(columns["work"]) == 2, "missing is next to the one group, so everything is a higher level"
    assert highest(made(FRAME.fillna({"work": "own"}), hierarchies=HIERARCHIES).columns["work"]) == 1
    assert highest(made().columns["age"]) == 1, "without a hierarchy: values and everything"


def test_without_a_range_every_level_is_allowed():
    assert table().level_range("age") == (0, 3)
    ranged = table().with_level_ranges({"age": [1, 2]})
    assert ranged.level_range("age") == (1, 2) == ranged.level_ranges["age"] and ranged.level_range("work") == (0, 2)
    assert ranged.with_level_ranges({}).level_ranges == {}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"age": [0, 4]},
            r"'age' cannot be released at levels \[0, 4\]: .* to 3 \(one node for everything\), for example \[0, 3\]",
        ),
        ({"age": [2, 1]}, "the lowest and the highest"),
        ({"age": [-1, 1]}, "the lowest and the highest"),
        ({"age": [1]}, "the lowest and the highest"),
        ({"age": [True, 1]}, "the lowest and the highest"),
        ({"age": "12"}, "cannot be released at levels '12'"),
        ({"age": 2}, "cannot be released at levels 2"),
        ({"pay": [0, 1]}, "'pay' is not a quasi-identifier, so it has no range of levels"),
        ({"agee": [0, 1]}, "no column 'agee'; did you mean 'age'"),
    ],
)
def test_invalid_ranges_are_reported_in_one_sentence(given, says):
    with pytest.raises(BadInput, match=says):
        table().with_level_ranges(given)


def test_ranges_are_part_of_the_fingerprint():
    ranged = table().with_level_ranges({"age": [1, 2]})
    assert ranged.fingerprint != table().fingerprint == ranged.with_level_ranges({}).fingerprint
    assert ranged.fingerprint != table().with_level_ranges({"age": [1, 3]}).fingerprint


def test_ranges_are_preserved_while_valid():
    ranged = table().with_level_ranges({"age": [1, 3], "work": [0, 2]})
    assert ranged.with_hierarchies({"age": Intervals(widths=(5, 10))}).level_ranges == ranged.level_ranges
    assert ranged.with_hierarchies({"age": Intervals(widths=(10,))}).level_ranges == {"work": (0, 2)}
    assert ranged.without_hierarchies(["work"]).level_ranges == {"age": (1, 3)}
    assert ranged.with_roles(["age"], "ill").level_ranges == {"age": (1, 3)}
    assert ranged.drop(["work"]).level_ranges == {"age": (1, 3)}
    assert ranged.unassigned().level_ranges == {}


def test_the_highest_level_stays_the_highest_if_fewer_levels_remain():
    ranged = table().with_level_ranges({"work": [2, 2]})
    assert ranged.complete().level_range("work") == (1, 1), "missing is gone, and the one group is everything"
