"""Neutral columns that give away what a release blurs or hides."""

import numpy as np
import pandas as pd
import pytest

from tests.attacks.marked import FRAME
from workbench import BadInput, Table
from workbench.data.datasets import path
from workbench.data.hierarchies.builders import Nested
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases import giveaways


@pytest.fixture
def table() -> Table:
    return Table.from_frame(FRAME.drop(columns="note"), quasi=["age", "degree"], sensitive="ill")


def tales(release) -> list[str]:
    return [one.tale() for one in release.giveaways()]


def test_a_neutral_column_that_gives_a_blurred_one_away_is_not_exported_unawares(table, tmp_path):
    release = Mondrian()(table, KAnonymity(20))
    assert tales(release) == ["years tells age", "years tells degree"]
    with pytest.raises(BadInput, match="'years' tells 'age' of 40 records; 'years' tells 'degree' of 40 records"):
        release.export(tmp_path / "r.csv")
    assert not list(tmp_path.iterdir())
    assert release.export(tmp_path / "r.csv", giveaways=True)[0].exists()
    lean = Mondrian()(table.drop(table.neutral), KAnonymity(20))
    assert lean.giveaways() == [] and lean.export(tmp_path / "lean.csv")[0].exists()


def test_what_is_removed_can_be_given_away_too_and_what_is_exact_cannot(table):
    lean = table
    assert tales(Remove("degree")(lean)) == ["years tells degree"]
    buckets = Mondrian(publish="bucketized")(lean, KAnonymity(20))
    assert tales(buckets) == ["years tells ill"], "in buckets it is the sensitive column that is blurred"


def test_in_adult_a_husband_tells_the_sex_that_a_release_blurs(tmp_path):
    known = ["age", "workclass", "education", "marital_status", "race", "sex"]
    base = Table.bare(path("adult")).complete().drop(["fnlwgt"])
    release = Mondrian()(base.with_roles(known, "occupation"), KAnonymity(5000))
    frame, blurred = base.frame, {name: release.frame()[name].nunique() for name in known}
    assert blurred["sex"] > 1 and {"Husband", "Wife"} <= set(frame.relationship)
    found = {one.tale(): one for one in release.giveaways()}
    married = frame.relationship.isin(["Husband", "Wife"]).to_numpy()
    low, high = release.classes.low[:, 5], release.classes.high[:, 5]
    hidden = (low < high)[release.group_of_record]
    assert found["relationship tells sex"].records == int((married & hidden).sum()) > 15_000
    assert found["education num tells education"].records == len(frame)
    with pytest.raises(BadInput, match=r"'relationship' tells 'sex' of 1\d,\d{3} records") as told:
        release.export(tmp_path / "r.csv")
    assert "Husband" not in str(told.value) and not list(tmp_path.iterdir())


def test_two_neutral_columns_together_give_away_what_neither_tells(tmp_path):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 2, 4000), "b": rng.integers(0, 2, 4000), "age": rng.integers(0, 9, 4000)}
    )
    frame["sex"] = np.where(frame.a ^ frame.b, "f", "m")
    table = Table.from_frame(frame.assign(ill=rng.integers(0, 5, 4000)), quasi=["age", "sex"], sensitive="ill")
    release = Mondrian()(table, KAnonymity(1000))
    assert [str(one) for one in Remove("sex")(table).giveaways()] == [
        "'a' and 'b' together tell 'sex' of 4,000 records"
    ]
    assert {one.columns for one in release.giveaways() if one.about == "sex"} <= {("a", "b")}


def test_many_neutral_columns_are_looked_at_within_bounds(monkeypatch):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({f"n{i}": rng.integers(0, 30, 5000) for i in range(25)})
    frame["age"], frame["ill"] = rng.integers(0, 50, 5000), rng.integers(0, 4, 5000)
    frame["n3"] = frame.age // 10
    table, calls = Table.from_frame(frame, quasi=["age"], sensitive="ill"), []
    told = giveaways._told
    monkeypatch.setattr(giveaways, "WORK", 200_000)
    monkeypatch.setattr(giveaways, "_told", lambda here, there: calls.append(len(here)) or told(here, there))
    found = Remove("age")(table).giveaways()
    assert sum(calls) <= 300_000 and [one.tale() for one in found] == ["n3 tells age"]
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
def test_a_hidden_value_follows_from_a_neutral_one_or_not(frame, name, given):
    table = Table.from_frame(frame[["age", "ill", name]].reset_index(drop=True), quasi=["age"], sensitive="ill")
    assert (tales(Mondrian(publish="bucketized")(table, KAnonymity(10))) == [f"{name} tells ill"]) == given


def test_a_level_of_a_sensitive_column_can_be_given_away():
    frame = pd.DataFrame({"age": np.arange(400) % 40, "d": [f"d{i % 40:02}" for i in range(400)]})
    frame["ward"] = frame.d.str[:2]
    tree = {"d": Nested({f"group {g}": [f"d{g}{i}" for i in range(10)] for g in range(4)})}
    table = Table.from_frame(frame, quasi=["age"], sensitive="d", hierarchies=tree, levels={"d": 1})
    assert Mondrian(publish="bucketized")(table, KAnonymity(10)).giveaways() == [(("ward",), "d", 400, True)]


def test_the_same_number_in_other_units_is_a_giveaway_and_what_is_not_blurred_is_not():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"cm": rng.normal(170, 10, 300)}).assign(inch=lambda f: f.cm / 2.54, s=list("ab") * 150)
    table = Table.from_frame(frame, quasi=["cm"], sensitive="s")
    assert Mondrian()(table, KAnonymity(20)).giveaways() == [(("inch",), "cm", 300, True)]
    assert Keep()(table).giveaways() == []
