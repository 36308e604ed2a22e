"""The role picker: what may be chosen, one change an action, and what is counted of it."""

import json
import random

import numpy as np
import pandas as pd
import pytest
import traitlets

from tests.conftest import people
from widgets.roles.roles import RolePicker
from workbench.data.hierarchies.builders import Prefixes
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.methods import Keep
from workbench.studies.study import Study

FRAME = people(random.Random(3), missing=True)
NOTHING = {"quasi": [], "sensitive": [], "identifiers": [], "dropped": [], "weight": []}
CHOSEN = {"quasi": ["age", "work"], "sensitive": ["disease"], "identifiers": ["person"], "dropped": [], "weight": []}


@pytest.fixture
def picker() -> RolePicker:
    return RolePicker(Table.without_roles(FRAME), roles=CHOSEN)


def replies(widget: RolePicker, kind: str, **content) -> list[dict]:
    """Send a message and return the replies."""
    sent: list[dict] = []
    widget.send = lambda message, buffers=None: sent.append(message)
    widget._receive(None, {"kind": kind, **content}, [])
    return sent


def choose(widget: RolePicker, role: str, *columns: str, field: str = "") -> list[dict]:
    return replies(widget, "choose", columns=list(columns), role=role, field=field or f"column:{columns[0]}")


def problems(sent: list[dict]) -> list[tuple[str, str]]:
    return [(one["field"], one["text"]) for one in sent if one["kind"] == "problem"]


def last(sent: list[dict], kind: str) -> dict:
    return [one for one in sent if one["kind"] == kind][-1]


def test_without_roles_there_is_no_table_and_the_first_quasi_identifier_makes_one():
    picker = RolePicker(FRAME)
    assert picker.roles == NOTHING and picker.table is None
    choose(picker, "sensitive", "disease")
    assert picker.table is None and picker.roles["sensitive"] == ["disease"]
    choose(picker, "quasi", "work", "age", field="selected")
    assert picker.roles["quasi"] == ["age", "work"], "in the order of the data"
    assert picker.table.quasi == ("age", "work") and list(picker.table.sensitive) == ["disease"]


def test_a_table_brings_its_roles(small):
    picker = RolePicker(small(1))
    assert picker.roles == {
        "quasi": ["age", "work", "sex"],
        "sensitive": ["disease"],
        "identifiers": [],
        "dropped": [],
        "weight": [],
    }
    assert picker.table.columns["age"].hierarchy is not None


def test_one_action_is_one_change_and_the_table_follows(picker):
    changes, tables = [], []
    picker.observe(changes.append, "roles")
    picker.observe(tables.append, "table")
    choose(picker, "quasi", "sex", "wage", "disease", field="selected")
    assert picker.roles == {
        "quasi": ["age", "work", "sex", "disease", "wage"],
        "sensitive": [],
        "identifiers": ["person"],
        "dropped": [],
        "weight": [],
    }
    assert len(changes) == len(tables) == 1 and picker.table.quasi == ("age", "work", "sex", "disease", "wage")
    assert "person" not in picker.table.names


def test_the_table_is_the_one_that_a_study_makes(picker):
    picker.drop_missing = True
    study = Study(
        data={"given": "frame", "drop_missing": True},
        quasi=("age", "work"),
        sensitive=("disease",),
        identifiers=("person",),
    )
    shown = picker.table.with_settings(
        regions=study.regions, threshold=study.smallest
    )  # a study also sets how regions are published
    assert fingerprint(shown) == fingerprint(study.table(Table.without_roles(FRAME)))
    assert picker.table.records == len(FRAME.drop(columns="person").dropna())


@pytest.mark.parametrize(
    ("role", "columns", "says"),
    [
        ("neutral", ["age", "work"], "at least one quasi-identifier must stay"),
        ("identifier", ["age", "work", "sex"], "at least one quasi-identifier must stay"),
        ("sensitive", ["one"], "only one value"),
        ("sensitive", ["many"], "more than 1,000, too many to measure: add a hierarchy"),
        ("sensitive", ["none such"], "the data have no column 'none such'"),
        ("king", ["age"], "no such column or role"),
        ("quasi", [], "no such column"),
    ],
)
def test_what_cannot_be_is_said_at_the_field_and_the_last_good_roles_stay(role, columns, says):
    n = 1200
    frame = pd.DataFrame(
        {
            "age": np.arange(n) % 50,
            "work": list("ab") * 600,
            "sex": list("aabb") * 300,
            "one": "x",
            "many": np.arange(n),
        }
    )
    picker = RolePicker(frame, roles={"quasi": ["age", "work"]})
    before, table = picker.roles, picker.table
    sent = replies(picker, "choose", columns=columns, role=role, field="column:age")
    [(field, text)] = problems(sent)
    assert field == "column:age" and says in text
    assert picker.roles == before and picker.table is table


def test_a_sensitive_column_of_many_values_is_offered_its_levels():
    frame = pd.DataFrame({"zip": [f"{i:05d}" for i in range(3000)], "age": np.arange(3000) % 50})
    picker = RolePicker(frame, roles={"quasi": ["age"]}, hierarchies={"zip": Prefixes((4, 3))})
    sent = choose(picker, "sensitive", "zip")
    assert problems(sent)[0][1].endswith("choose the level to measure at") and last(sent, "offer")["name"] == "zip"
    zips = next(one for one in last(replies(picker, "hello"), "columns")["columns"] if one["name"] == "zip")
    assert zips["sizes"] == [3000, 300, 30]
    changes = []
    picker.observe(changes.append, ["roles", "levels"])
    replies(picker, "level", name="zip", level=1, field="column:zip")
    assert picker.levels == {"zip": 1} and picker.roles["sensitive"] == ["zip"] and len(changes) == 2
    assert len(picker.table.sensitive["zip"]) == 300
    replies(picker, "level", name="zip", level=2, field="column:zip")
    assert len(picker.table.sensitive["zip"]) == 30
    for level in (0, 3, -1, "1", None):
        assert problems(replies(picker, "level", name="zip", level=level, field="column:zip"))
        assert picker.levels == {"zip": 2}
    choose(picker, "neutral", "zip")
    assert picker.levels == {} and picker.roles["sensitive"] == []


def test_a_column_that_is_left_out_is_in_no_table_and_no_identifier(picker):
    choose(picker, "dropped", "wage")
    assert picker.roles["dropped"] == ["wage"] and picker.roles["identifiers"] == ["person"]
    assert picker.table is not None and "wage" not in picker.table.names
    survey = last(replies(picker, "hello"), "survey")
    assert not any("wage" in one["names"] for one in (*survey["pairs"], *survey["triples"]))
    choose(picker, "neutral", "wage")
    assert picker.roles["dropped"] == [] and picker.table.neutral[-1] == "wage"


def test_a_program_cannot_give_two_roles_or_a_column_that_is_not_there(picker):
    for wrong in ({"quasi": ["age"], "sensitive": ["age"]}, {"quasi": ["height"]}):
        with pytest.raises(traitlets.TraitError):
            picker.roles = wrong
        assert picker.roles == CHOSEN
    picker.roles = {"quasi": "sex"}
    assert picker.roles == {
        "quasi": ["sex"],
        "sensitive": [],
        "identifiers": [],
        "dropped": [],
        "weight": [],
    } and picker.table.quasi == ("sex",)


def test_other_data_keep_the_roles_of_columns_that_are_there(picker):
    picker.base = Table.without_roles(FRAME.drop(columns=["work", "person"]).assign(disease="flu"))
    assert picker.roles == {"quasi": ["age"], "sensitive": [], "identifiers": [], "dropped": [], "weight": []}, (
        "disease has one value now"
    )
    assert picker.table.quasi == ("age",)
    picker.base = Table.without_roles(pd.DataFrame({"x": [1, 2]}))
    assert picker.roles == NOTHING and picker.table is None
    picker.base = None
    assert picker.table is None and last(replies(picker, "hello"), "columns")["columns"] == []


def test_records_alone_are_counted_as_by_groupby(picker):
    def naive(names: list[str]) -> int:
        return int((FRAME.astype(object).fillna("?").groupby(names).size() == 1).sum())

    sent = choose(picker, "quasi", "sex")
    told = last(sent, "alone")
    assert told["unique"] == naive(["age", "work", "sex"]) and told["records"] == len(FRAME)
    assert told["share"] == told["unique"] / len(FRAME)
    assert told["smallest"] and all(0 < one["unique"] <= naive([*one["names"]]) for one in told["smallest"])
    columns = last(replies(picker, "hello"), "columns")["columns"]
    assert {one["name"]: one["unique"] for one in columns} == {name: naive([name]) for name in FRAME}
    survey = last(replies(picker, "hello"), "survey")
    assert survey["counted"] and all(
        one["unique"] == naive(one["names"]) for one in (*survey["pairs"], *survey["triples"])
    )
    assert not any("person" in one["names"] for one in (*survey["pairs"], *survey["triples"]))


def test_the_proposal_leaves_the_sensitive_and_can_be_taken_back(picker):
    before = picker.roles
    sent = replies(picker, "propose", field="propose")
    assert picker.roles["sensitive"] == ["disease"] and picker.roles["identifiers"] == ["person"]
    assert set(picker.roles["quasi"]) <= {"age", "work", "sex", "wage"} and last(sent, "proposed")["back"]
    advice = last(replies(picker, "hello"), "survey")["advice"]
    assert set(advice) == set(FRAME) and all(one["reason"] for one in advice.values())
    assert advice["disease"]["role"] == "sensitive" and advice["sex"]["role"] == "quasi"
    sent = replies(picker, "back")
    assert picker.roles == before and not last(sent, "proposed")["back"]


def test_the_proposal_chooses_what_is_sensitive_where_nobody_has_and_leaves_no_column_neutral():
    rng = np.random.default_rng(1)
    codes = np.array([f"{chr(65 + i % 20)}{i % 90 + 10}.{i % 7}" for i in range(2600)])
    frame = pd.DataFrame({"age": rng.integers(0, 90, 5000), "sex": rng.choice(["f", "m"], 5000)})
    frame = frame.assign(dx=codes[rng.integers(0, 2600, 5000)], asthma=rng.random(5000) < 0.1, same="x")
    frame = frame.assign(weight=rng.integers(2000, 90_000, 5000) // 100 * 100, note=[f"n{i}" for i in range(5000)])
    picker = RolePicker(frame)
    sent = replies(picker, "propose", field="propose")
    assert not problems(sent) and picker.roles == {
        "quasi": ["age", "sex"],
        "sensitive": ["dx", "asthma"],
        "identifiers": [],
        "dropped": ["note"],
        "weight": ["weight"],
    }
    assert picker.levels["dx"] > 0 and len(picker.table.sensitive["dx"]) <= 200 and picker.table.neutral == ("same",)
    choose(picker, "neutral", "dx", "asthma", "age", field="selected")
    choose(picker, "sensitive", "asthma")
    replies(picker, "propose", field="propose")
    assert picker.roles["sensitive"] == ["asthma"] and "dx" in picker.roles["dropped"], "a person has chosen"


def test_what_neutral_columns_tell_stands_at_the_roles(picker):
    told = last(choose(picker, "quasi", "sex"), "alone")
    assert picker.table.neutral and told["beside"] == Keep()(picker.table).side_information_risk().sentence
    known = [*picker.table.quasi, *picker.table.neutral]
    alone = int((FRAME.astype(object).fillna("?").groupby(known).size() == 1).sum())
    assert told["beside"].startswith(f"{alone} of {len(FRAME)} records")
    assert last(choose(picker, "dropped", *picker.table.neutral, field="selected"), "alone")["beside"] == ""


def test_the_proposal_does_not_depend_on_the_roles(picker):
    first = last(replies(picker, "hello"), "survey")["advice"]
    choose(picker, "identifier", "sex")
    assert last(replies(picker, "hello"), "survey")["advice"] == first


def test_records_left_out_are_not_counted():
    frame = pd.DataFrame({"a": [1, 2, 2, None], "b": ["x", "y", "y", "z"]})
    picker = RolePicker(frame, roles={"quasi": ["b"]}, drop_missing=True)
    assert last(replies(picker, "hello"), "alone")["unique"] == 1
    empty = RolePicker(pd.DataFrame({"a": [1, None], "b": [None, "x"]}), roles={"quasi": ["a"]}, drop_missing=True)
    assert empty.table is None and "every record has a missing value" in problems(replies(empty, "hello"))[0][1]


def test_no_value_is_in_a_message_or_in_what_a_notebook_saves():
    frame = FRAME.assign(note=[f"marker{i}" for i in range(len(FRAME))])
    picker = RolePicker(frame, roles={"quasi": ["age", "note"], "sensitive": ["disease"]})
    told = replies(picker, "hello") + replies(picker, "propose", field="propose")
    saved = {key: value for key, value in picker.get_state().items() if key not in ("_esm", "_css")}
    assert "marker" not in json.dumps([told, saved], default=str) and "Ulcer" not in json.dumps(
        [told, saved], default=str
    )


def test_a_change_of_role_builds_the_table_once(picker, monkeypatch):
    built, with_roles = [], Table.with_roles
    monkeypatch.setattr(Table, "with_roles", lambda self, *given: (built.append(given), with_roles(self, *given))[1])
    choose(picker, "quasi", "sex")
    assert picker.table.quasi == ("age", "work", "sex") and len(built) == 1


def test_one_column_is_a_weight_if_it_can_be(picker):
    choose(picker, "weight", "wage")
    assert picker.roles["weight"] == ["wage"] and picker.table.weight == "wage" and "wage" not in picker.table.neutral
    assert "wage is already the weight" in problems(choose(picker, "weight", "person"))[0][1]
    choose(picker, "neutral", "wage")
    assert "weight 'sex': it is a column of text" in problems(choose(picker, "weight", "sex"))[0][1]
    assert picker.roles["weight"] == [] and picker.roles["quasi"] == ["age", "work"]
