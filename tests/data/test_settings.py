"""Weights of columns: invalid ones, changes of the table, and their effects."""

import math

import pytest

from tests.data.people import FRAME, made
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.records import fingerprint
from workbench.data.settings import check_workloads, highest_level, level_range, plain_workload, weights_of_quasi
from workbench.data.table import without_assigned_roles
from workbench.measures import GeometricLoss, InformationLoss
from workbench.methods import FullDomain, Mondrian
from workbench.models import KAnonymity


def test_every_column_has_weight_1_by_default():
    table = made()
    assert weights_of_quasi(table).tolist() == [1.0] * len(table.quasi)
    heavy = table.with_settings(importance={"age": 3})
    assert dict(zip(heavy.quasi, weights_of_quasi(heavy), strict=True))["age"] == 3
    assert heavy.with_settings(importance={"age": 1}).settings.importance == {}


@pytest.mark.parametrize("given", [0, -1, math.inf, math.nan, True, "2", None])
def test_invalid_weights_are_refused(given):
    with pytest.raises(BadInput, match="importance of column 'age': must be a number above 0, got"):
        made().with_settings(importance={"age": given})


def test_only_quasi_identifiers_count():
    with pytest.raises(BadInput, match="'ill' is not a quasi-identifier, so it has no loss to weight"):
        made().with_settings(importance={"ill": 2})


def test_weights_are_part_of_the_table_and_stay_with_their_columns():
    heavy = made().with_settings(importance={"age": 3, "work": 2})
    assert fingerprint(heavy) != fingerprint(made())
    assert heavy.with_roles(["age"], "ill").settings.importance == {"age": 3}
    assert heavy.drop(["work"]).settings.importance == {"age": 3}
    assert without_assigned_roles(heavy).settings.importance == {}


def test_searches_preserve_the_columns_with_the_largest_weights(adult):
    table = adult.with_roles(["age", "race", "education"], "occupation")
    heavy = table.with_settings(importance={"education": 50})
    for method, measure in ((FullDomain(suppress=0.0), GeometricLoss()), (Mondrian(), InformationLoss())):
        plain, spared = (measure(method(one, KAnonymity(100))).detail["per_attribute"] for one in (table, heavy))
        assert spared["education"] < plain["education"], method


# Ranges of levels for releases: existing levels, invalid ones, and changes of the table.

HIERARCHIES = {"age": Intervals(widths=(10, 20)), "work": Groups(({"any": ["own", "gov"]},))}


def table():
    return made(hierarchies=HIERARCHIES)


def test_the_top_is_everything_as_one_node():
    columns = table().columns
    assert highest_level(columns["age"]) == 3, "values, two levels, everything"
    assert highest_level(columns["work"]) == 2, "missing is next to the one group, so everything is a higher level"
    assert highest_level(made(FRAME.fillna({"work": "own"}), hierarchies=HIERARCHIES).columns["work"]) == 1
    assert highest_level(made().columns["age"]) == 1, "without a hierarchy: values and everything"


def test_without_a_range_every_level_is_allowed():
    assert level_range(table(), "age") == (0, 3)
    ranged = table().with_settings(level_ranges={"age": [1, 2]})
    assert level_range(ranged, "age") == (1, 2) == ranged.settings.level_ranges["age"] and level_range(
        ranged, "work"
    ) == (0, 2)
    assert ranged.with_settings(level_ranges={}).settings.level_ranges == {}


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
        table().with_settings(level_ranges=given)


def test_ranges_are_part_of_the_fingerprint():
    ranged = table().with_settings(level_ranges={"age": [1, 2]})
    assert fingerprint(ranged) != fingerprint(table()) == fingerprint(ranged.with_settings(level_ranges={}))
    assert fingerprint(ranged) != fingerprint(table().with_settings(level_ranges={"age": [1, 3]}))


def test_ranges_are_preserved_while_valid():
    ranged = table().with_settings(level_ranges={"age": [1, 3], "work": [0, 2]})
    assert (
        ranged.with_hierarchies({"age": Intervals(widths=(5, 10))}).settings.level_ranges
        == ranged.settings.level_ranges
    )
    assert ranged.with_hierarchies({"age": Intervals(widths=(10,))}).settings.level_ranges == {"work": (0, 2)}
    assert ranged.without_hierarchies(["work"]).settings.level_ranges == {"age": (1, 3)}
    assert ranged.with_roles(["age"], "ill").settings.level_ranges == {"age": (1, 3)}
    assert ranged.drop(["work"]).settings.level_ranges == {"age": (1, 3)}
    assert without_assigned_roles(ranged).settings.level_ranges == {}


def test_the_highest_level_stays_the_highest_if_fewer_levels_remain():
    ranged = table().with_settings(level_ranges={"work": [2, 2]})
    assert level_range(ranged.complete(), "work") == (1, 1), "missing is gone, and the one group is everything"


# Workloads in a study.


def test_three_forms_are_plain_data():
    given = {"a": ("age > 3", "sex = 'F'"), "b": {"random": {"count": 5}}, "c": {"file": "asked.sql"}}
    assert check_workloads(given) == {
        "a": ["age > 3", "sex = 'F'"],
        "b": {"random": {"count": 5}},
        "c": {"file": "asked.sql"},
    }


@pytest.mark.parametrize("spec", [[], "age > 3", 3, None, [3], {}, {"random": 3}, {"file": 3}, {"all": {}}])
def test_anything_else_is_refused(spec):
    with pytest.raises(BadInput, match="write a list of queries"):
        plain_workload(spec)


def test_names_are_words_and_random_is_reserved():
    with pytest.raises(BadInput, match="the name 'random' is reserved"):
        check_workloads({"random": ["age > 3"]})
    for name in ("", " ", 3):
        with pytest.raises(BadInput, match="must be a text"):
            check_workloads({name: ["age > 3"]})


@pytest.mark.parametrize("given", [None, ["age > 3"], "age > 3"])
def test_workloads_have_names(given):
    with pytest.raises(BadInput, match="must be a mapping from names to queries"):
        check_workloads(given)
