"""No raw record where it does not belong: representations, messages, and what is published beside the classes."""

import gzip
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from workbench import BadInput, Recipe, Table, recipes, sweep
from workbench.data.datasets import path
from workbench.data.hierarchies.builders import Nested
from workbench.measures import PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases import giveaways
from workbench.releases.foreign import foreign
from workbench.workloads.populations import large_populations

MARKED = [f"marker{i}" for i in range(40)]
FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50] * 10,
        "degree": list("abcd") * 10,
        "years": [9, 12, 16, 20] * 10,
        "note": [f"{m}-{i % 3}" for i, m in enumerate(MARKED)],
        "ill": (["flu"] * 3 + ["cold"]) * 10,
    }
)


@pytest.fixture
def table() -> Table:
    with pytest.warns(UserWarning, match="'note' .neutral. is different in .nearly. every record"):
        return Table.from_frame(FRAME, quasi=["age", "degree"], sensitive="ill")


def test_nothing_shows_a_record_when_it_is_printed(table):
    release = Mondrian()(table, KAnonymity(5))
    shown = [table, release, release.classes, release.cells, table.sensitive["ill"], table.columns["note"]]
    for one in [*shown, large_populations(table, 0.1)]:
        assert "marker" not in repr(one) and len(repr(one)) < 200


@pytest.mark.parametrize(
    "slip",
    [
        lambda t: Mondrian(t, KAnonymity(5)),
        lambda t: PrivacyLoss(t),
        lambda t: PrivacyLoss()(t),
        lambda t: sweep(t, [t], [PrivacyLoss()]),
        lambda t: sweep(t, [], [Keep()(t)]),
        lambda t: Mondrian()(t, t),
        lambda t: Mondrian()(KAnonymity(5), t),
        lambda t: recipes(t, KAnonymity, k=[5]),
        lambda t: KAnonymity(5) & t,
        lambda t: Table.from_frame(FRAME, quasi=["age"], hierarchies={"note": list(FRAME.note)}),
        lambda t: Table.from_frame(FRAME, quasi=5),
        lambda t: KAnonymity(FRAME),
        lambda t: Mondrian(FRAME),
        lambda t: Mondrian("information_gain", FRAME),
        lambda t: Remove(FRAME.to_numpy()),
        lambda t: Recipe(FRAME),
        lambda t: Keep()(t).audit(FRAME),
        lambda t: sweep(t, [], [PrivacyLoss()]).best(caps=FRAME.note),
        lambda t: sweep(t, [], [PrivacyLoss()]).best(minimise=FRAME),
        lambda t: sweep(t, FRAME.note, [PrivacyLoss()]),
        lambda t: Table.read("d.csv", quasi=["age"], header=FRAME),
    ],
)
def test_a_slip_in_a_call_is_one_short_message_without_records(table, slip):
    with pytest.raises(BadInput) as told:
        slip(table)
    assert "marker" not in str(told.value) and len(str(told.value)) < 400


def test_a_record_that_was_read_as_names_is_in_no_message(tmp_path):
    path = tmp_path / "headless.csv"
    path.write_text("39,marker-one,flu\n50,marker-two,cold\n")
    for quasi, said in ((["age"], "header=False"), ([], "choose at least one")):
        with pytest.raises(BadInput, match=said) as told:
            Table.read(path, quasi=quasi)
        assert "marker" not in str(told.value)


HEADLESS = "marker-a,marker-b,marker-c\nmarker-d,marker-e,marker-f\n"
NUMBERS = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(40))
MANY = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(1_100))
FAILURES = {  # what is in a file, its name, and what is asked of it
    "text without a header": (HEADLESS, "d.csv", {"quasi": ["age"]}),
    "an identifier that is none": (HEADLESS, "d.csv", {"quasi": ["age"], "identifiers": ["name"]}),
    "a type for no column": (HEADLESS, "d.csv", {"types": {"age": "text"}}),
    "a name twice": ("marker-x,marker-y,marker-x\n1,2,3\n", "d.csv", {"quasi": ["age"]}),
    "JSON as text": ('{"age": 3, "ill": "marker-x"}\n{"age": 4, "ill": "marker-y"}\n', "d.csv", {"quasi": ["age"]}),
    "an array of JSON as text": ('[\n {"ill": "marker-x"}, {"ill": "marker-y"}]', "d.csv", {"quasi": ["age"]}),
    "text as JSON": (NUMBERS, "d.json", {"quasi": ["age"]}),
    "text as Parquet": (NUMBERS, "d.parquet", {"quasi": ["age"]}),
    "JSON cut off": ('{"age": 3, "ill": "marker-x"}\n{"age": 4, "ill": "marker', "d.ndjson", {"quasi": ["age"]}),
    "JSON of two types": ('{"age": 3}\n{"age": "marker-x"}\n', "d.ndjson", {"quasi": ["age"]}),
    "text declared to be numbers": (NUMBERS, "d.csv", {"quasi": ["age"], "types": {"ill": "number"}}),
    "text declared to be dates": (NUMBERS, "d.csv", {"quasi": ["age"], "types": {"ill": "date"}}),
    "some text among numbers": ("x\n" + "".join(f"{i}\n" for i in range(40)) + "marker-x\n", "d.csv", {"quasi": ["x"]}),
    "a ragged line": ("age,ill\n3,4\nmarker-x,marker-y,marker-z\n", "d.csv", {"quasi": ["age"]}),
    "an open quote": ('age,ill\n3,"marker-x\n', "d.csv", {"quasi": ["age"]}),
    "text behind a quote": ('age,ill\n3,"marker"x\n', "d.csv", {"quasi": ["age"]}),
    "another encoding": ("age,ill\n3,marker-xy\n", "d.csv", {"quasi": ["age"], "encoding": "utf-16"}),
    "a record that is too long": ("age,ill\n3," + "marker" * 400_000 + "\n", "d.csv", {"quasi": ["age"]}),
    "no record with that value": (NUMBERS, "d.csv", {"quasi": ["age"], "only": {"ill": "flu"}}),
    "too many sensitive values": (MANY, "d.csv", {"quasi": ["age"], "sensitive": "ill"}),
}


@pytest.mark.parametrize(("content", "name", "asked"), FAILURES.values(), ids=FAILURES)
def test_no_message_of_reading_quotes_the_data(tmp_path, content, name, asked):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BadInput) as told, warnings.catch_warnings(record=True) as heard:
        Table.read(path, **asked)
    assert told.value.__context__ is None and told.value.__cause__ is None
    assert not any("marker" in str(one) for one in (told.value, *(one.message for one in heard)))


def test_a_value_of_a_release_that_is_none_of_the_original_is_not_quoted():
    table = Table.from_frame(FRAME.drop(columns=["note"]), quasi=["age", "degree"], sensitive="ill")
    for name in ("age", "degree", "ill"):
        released = FRAME.astype(str)
        released.loc[7, name] = "marker"
        with pytest.raises(BadInput, match=f"column '{name}', record") as told:
            foreign(released, original=table)
        assert "marker" not in str(told.value)


def test_a_damaged_gzip_is_one_clear_line(tmp_path):
    text = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(400))
    lines = "".join(f'{{"age": {i}, "ill": "marker-{i}"}}\n' for i in range(400))
    for name, content in (("d.csv.gz", text), ("d.ndjson.gz", lines)):
        packed, path = gzip.compress(content.encode(), mtime=0), tmp_path / name
        turned = [packed[:i] + bytes([packed[i] ^ 4]) + packed[i + 1 :] for i in range(10, len(packed), 97)]
        for damaged in (*turned, *(packed[:i] for i in range(1, len(packed), 211))):
            path.write_bytes(damaged)
            with pytest.raises(BadInput, match=r"damaged or cut off|not a valid gzip|file is empty") as told:
                Table.bare(path)
            assert "marker" not in str(told.value) and "\n" not in str(told.value)


def tales(release) -> list[str]:
    return [one.tale() for one in release.giveaways()]


def test_a_neutral_column_that_gives_a_blurred_one_away_is_not_exported_unawares(table, tmp_path):
    release = Mondrian()(table.drop(["note"]), KAnonymity(20))
    assert tales(release) == ["years tells age", "years tells degree"]
    with pytest.raises(BadInput, match="'years' tells 'age' of 40 records; 'years' tells 'degree' of 40 records"):
        release.export(tmp_path / "r.csv")
    assert not list(tmp_path.iterdir())
    assert release.export(tmp_path / "r.csv", giveaways=True)[0].exists()
    lean = Mondrian()(table.drop(table.neutral), KAnonymity(20))
    assert lean.giveaways() == [] and lean.export(tmp_path / "lean.csv")[0].exists()


def test_what_is_removed_can_be_given_away_too_and_what_is_exact_cannot(table):
    lean = table.drop(["note"])
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
    hidden = (low < high)[release._group_of_record]
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
    with pytest.warns(UserWarning, match="'cm' .quasi."):
        table = Table.from_frame(frame, quasi=["cm"], sensitive="s")
    assert Mondrian()(table, KAnonymity(20)).giveaways() == [(("inch",), "cm", 300, True)]
    assert Keep()(table).giveaways() == []


def test_a_cut_cell_is_dealt_alike_in_every_process_and_order(table):
    """Two files of one release that differ would give people away together."""
    lean = table.drop(["note"])
    order = np.random.default_rng(0).permutation(len(FRAME))
    again = Table.from_frame(lean.frame.iloc[order], quasi=["age", "degree"], sensitive="ill")
    dealt = [Mondrian(strict=False)(one, KAnonymity(3), seed=4)._group_of_record for one in (lean, again)]
    values = [pd.DataFrame({**one.frame, "class": group}) for one, group in zip((lean, again), dealt, strict=True)]
    pd.testing.assert_frame_equal(*(v.sort_values(list(v)).reset_index(drop=True) for v in values))


def test_error_pages_of_the_engine_name_no_value_of_an_identifier(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("name,age,ill\n" + "".join(f"{m},{i % 5},x\n" for i, m in enumerate(MARKED)))
    with pytest.raises(BadInput) as told:
        Table.read(path, quasi=["age"], sensitive="ill", identifiers=["name"])
    assert not re.search("marker", str(told.value))
