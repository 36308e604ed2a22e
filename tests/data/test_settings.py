"""Weights of columns: invalid ones, changes of the table, and their effects."""

import math

import pandas as pd
import pytest

from tests.data.people import FRAME, made
from workbench.base.errors import BadInput
from workbench.data import weights
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.records import fingerprint
from workbench.data.settings import (
    assign,
    check_workloads,
    column_names,
    highest_level,
    level_range,
    plain_workload,
    released_columns,
    require_columns,
    require_sound,
    role_notes,
    weights_of_quasi,
)
from workbench.data.table import Table, without_assigned_roles
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


# Names of columns in calls and as typed.

ROLES_FRAME = pd.DataFrame({"age": [20, 30, 40, 50], "ill": list("yxyx"), "pay": [1.5, 2.0, 0.0, 3.0]})


def read(frame=ROLES_FRAME, **roles):
    return Table.from_frame(frame, ["age"], "ill", **roles)


def test_none_one_or_several_columns_may_be_given():
    assert column_names(None) == () and column_names("a, b") == ("a, b",) and column_names(["a", "b"]) == ("a", "b")
    with pytest.raises(BadInput, match="must be a name or a list of names, got 5"):
        column_names(5)


def test_every_column_has_one_role():
    assert assign(["a", "b", "c"], ["a"], ["c"], []) == {"a": "quasi", "b": "neutral", "c": "sensitive"}
    with pytest.raises(BadInput, match="column 'a' has two roles, quasi and identifier; choose one"):
        assign(["a", "b"], ["a"], [], ["a"])
    with pytest.raises(BadInput, match="no column 'd'"):
        require_columns(["d"], ["a"])


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ("nothing", "no column 'nothing'"),
        ("age", "'age' has two roles, quasi and weight"),
        (["pay", "more"], "there are 2 weight columns; choose at most one"),
        (3, "must be a name"),
    ],
)
def test_a_weight_is_one_column_without_another_role(weight, said):
    with pytest.raises(BadInput, match=said):
        read(weight=weight)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 2, None, 4], "missing in 1 records"),
        ([1, 2, -3, 4], "below 0"),
        ([0, 0, 0, 0], "0 in every record"),
        (list("abcd"), "a column of text"),
        (list(pd.date_range("2020-01-01", periods=4)), "a column of dates"),
    ],
)
def test_a_weight_is_a_number_of_people_in_every_record(values, said):
    with pytest.raises(BadInput, match=f"weight 'pay': .*{said}") as error:
        read(ROLES_FRAME.assign(pay=values), weight="pay")
    assert "abcd" not in str(error.value) and "-3" not in str(error.value)


def test_missing_weights_may_be_dropped_with_their_records():
    table = read(ROLES_FRAME.assign(pay=[1, None, 3, 4]), weight="pay", drop_missing=True)
    assert table.records == 3 and weights.people(table).sum() == 8


def test_a_column_is_a_weight_until_it_has_another_role():
    table = read(weight="pay")
    assert (table.weight, table.neutral, released_columns(table)) == ("pay", (), ["age", "ill"])
    assert table.with_roles(["age"], "ill").neutral == ("pay",)
    assert table.with_roles(["age"], "ill", weight="pay").weight == "pay"
    assert table.drop(["pay"]).weight is None and table.with_hierarchies({}).weight == "pay"
    assert read().weight is None and fingerprint(read()) != fingerprint(table)


def test_amounts_are_not_reported_as_identifiers():
    frame = pd.DataFrame({"sales": [10, 2_000, 35, 470_000, 61, 9_999], "row": range(6), "name": list("abcdef")})
    table = Table.from_frame(frame, quasi=["sales", "row", "name"])
    assert [note.split("'")[1] for note in role_notes(table)] == ["row", "name"]
    published = table.with_roles(["name"])
    assert "column 'sales' (neutral)" in " ".join(role_notes(published)), "published unchanged"


# Columns that cannot have their roles are refused by name.

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
