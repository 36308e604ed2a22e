"""Names of columns in calls and as typed."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data import weights
from workbench.data.records import fingerprint
from workbench.data.roles import assign, column_names, released_columns, require_columns, require_sound, role_notes
from workbench.data.table import Table

FRAME = pd.DataFrame({"age": [20, 30, 40, 50], "ill": list("yxyx"), "pay": [1.5, 2.0, 0.0, 3.0]})


def read(frame=FRAME, **roles):
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
        read(FRAME.assign(pay=values), weight="pay")
    assert "abcd" not in str(error.value) and "-3" not in str(error.value)


def test_missing_weights_may_be_dropped_with_their_records():
    table = read(FRAME.assign(pay=[1, None, 3, 4]), weight="pay", drop_missing=True)
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
