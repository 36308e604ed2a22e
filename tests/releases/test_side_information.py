"""Neutral columns that reveal generalized or hidden values."""

import numpy as np
import pandas as pd
import pytest

from tests.attacks.marked_table import FRAME
from workbench import BadInput, Table
from workbench.data.datasets import path
from workbench.data.hierarchies.builders import Nested
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases import side_information
from workbench.releases.side_information import find_giveaways


@pytest.fixture
def table() -> Table:
    return Table.from_frame(FRAME.drop(columns="note"), quasi=["age", "degree"], sensitive="ill")


def revealing_columns(release) -> list[str]:
    return [one.sentence() for one in find_giveaways(release)]


def test_a_neutral_column_that_reveals_a_generalized_one_blocks_export(table, tmp_path):
    release = Mondrian()(table, KAnonymity(20))
    assert revealing_columns(release) == ["years reveals age", "years reveals degree"]
    with pytest.raises(BadInput, match="'years' reveals 'age' of 40 records; 'years' reveals 'degree' of 40 records"):
        release.export(tmp_path / "r.csv")
    assert not list(tmp_path.iterdir())
    assert release.export(tmp_path / "r.csv", giveaways=True)[0].exists()
    lean = Mondrian()(table.drop(table.neutral), KAnonymity(20))
    assert find_giveaways(lean) == [] and lean.export(tmp_path / "lean.csv")[0].exists()


def test_unpublished_columns_can_be_revealed_but_exact_ones_cannot(table):
    lean = table
    assert revealing_columns(Remove("degree")(lean)) == ["years reveals degree"]
    buckets = Mondrian(publish="bucketized")(lean, KAnonymity(20))
    assert revealing_columns(buckets) == ["years reveals ill"], "bucketization hides the sensitive column"


@pytest.mark.slow
def test_in_adult_relationship_reveals_sex(tmp_path):
    known = ["age", "workclass", "education", "marital_status", "race", "sex"]
    base = Table.without_roles(path("adult")).complete().drop(["fnlwgt"])
    release = Mondrian()(base.with_roles(known, "occupation"), KAnonymity(5000))
    frame, blurred = base.frame, {name: release.frame()[name].nunique() for name in known}
    assert blurred["sex"] > 1 and {"Husband", "Wife"} <= set(frame.relationship)
    found = {one.sentence(): one for one in find_giveaways(release)}
    married = frame.relationship.isin(["Husband", "Wife"]).to_numpy()
    low, high = release.classes.low[:, 5], release.classes.high[:, 5]
    hidden = (low < high)[release.group_of_record]
    assert found["relationship reveals sex"].records == int((married & hidden).sum()) > 15_000
    assert found["education num reveals education"].records == len(frame)
    with pytest.raises(BadInput, match=r"'relationship' reveals 'sex' of 1\d,\d{3} records") as told:
        release.export(tmp_path / "r.csv")
    assert "Husband" not in str(told.value) and not list(tmp_path.iterdir())


def test_two_neutral_columns_jointly_reveal_a_third(tmp_path):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 2, 4000), "b": rng.integers(0, 2, 4000), "age": rng.integers(0, 9, 4000)}
    )
    frame["sex"] = np.where(frame.a ^ frame.b, "f", "m")
    table = Table.from_frame(frame.assign(ill=rng.integers(0, 5, 4000)), quasi=["age", "sex"], sensitive="ill")
    release = Mondrian()(table, KAnonymity(1000))
    assert [str(one) for one in find_giveaways(Remove("sex")(table))] == [
        "'a' and 'b' jointly reveal 'sex' of 4,000 records"
    ]
    assert {one.columns for one in find_giveaways(release) if one.about == "sex"} <= {("a", "b")}


def test_the_work_for_many_neutral_columns_is_bounded(monkeypatch):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({f"n{i}": rng.integers(0, 30, 5000) for i in range(25)})
    frame["age"], frame["ill"] = rng.integers(0, 50, 5000), rng.integers(0, 4, 5000)
    frame["n3"] = frame.age // 10
    table, calls = Table.from_frame(frame, quasi=["age"], sensitive="ill"), []
    told = side_information._inferred_records
    monkeypatch.setattr(side_information, "WORK", 200_000)
    monkeypatch.setattr(
        side_information, "_inferred_records", lambda here, there: calls.append(len(here)) or told(here, there)
    )
    found = find_giveaways(Remove("age")(table))
    assert sum(calls) <= 300_000 and [one.sentence() for one in found] == ["n3 reveals age"]
    assert not found[0].exact and found[0].records == pytest.approx(5000, rel=0.1)


RARE = FRAME.assign(viral=["high" if i % 20 == 0 else "none" for i in range(40)])
RARE.loc[RARE.viral == "high", "ill"] = "rare"


GIVEN = {  # what a hidden column follows from, and whether it does
    "a rare value": (pd.concat([RARE] * 5), "viral", True),
    "nothing": (pd.concat([RARE] * 5).assign(viral=lambda f: np.resize(["a", "b", "c"], len(f))), "viral", False),
    "a reading that is alike by chance": (RARE.assign(viral=np.append(np.arange(39) * 1.5, 0.0)), "viral", False),
    "a constant": (RARE.assign(viral="x"), "viral", False),
}


@pytest.mark.parametrize(("frame", "name", "given"), GIVEN.values(), ids=GIVEN)
def test_a_neutral_column_may_reveal_a_hidden_value(frame, name, given):
    table = Table.from_frame(frame[["age", "ill", name]].reset_index(drop=True), quasi=["age"], sensitive="ill")
    assert (
        revealing_columns(Mondrian(publish="bucketized")(table, KAnonymity(10))) == [f"{name} reveals ill"]
    ) == given


def test_a_level_of_a_sensitive_column_can_be_revealed():
    frame = pd.DataFrame({"age": np.arange(400) % 40, "d": [f"d{i % 40:02}" for i in range(400)]})
    frame["ward"] = frame.d.str[:2]
    tree = {"d": Nested({f"group {g}": [f"d{g}{i}" for i in range(10)] for g in range(4)})}
    table = Table.from_frame(frame, quasi=["age"], sensitive="d", hierarchies=tree, levels={"d": 1})
    assert find_giveaways(Mondrian(publish="bucketized")(table, KAnonymity(10))) == [(("ward",), "d", 400, True)]


def test_a_number_in_other_units_is_revealing():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"cm": rng.normal(170, 10, 300)}).assign(inch=lambda f: f.cm / 2.54, s=list("ab") * 150)
    table = Table.from_frame(frame, quasi=["cm"], sensitive="s")
    assert find_giveaways(Mondrian()(table, KAnonymity(20))) == [(("inch",), "cm", 300, True)]
    assert find_giveaways(Keep()(table)) == []
