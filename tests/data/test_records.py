"""Coding and decoding of records, and selections."""

import json

import pandas as pd
import pytest
from hypothesis import given

from tests.data.people import FRAME, made
from tests.examples import examples
from tests.methods.tables import AXES, frames, table_of
from workbench.base.errors import BadInput
from workbench.data import engines
from workbench.data.hierarchies.builders import Intervals
from workbench.data.records import Sampled, fingerprint, has_same_data, resample, sample
from workbench.data.settings import role_notes
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.releases.base import recipient_notice


@examples(25)
@given(frames())
def test_microdata_survive_a_round_trip(frame):
    table = table_of(frame, list(AXES))
    back = table.frame.astype({"day": frame["day"].dtype})  # days without a time of day are read as days
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)


def test_missing_is_the_last_code_or_is_dropped():
    table, dropped = made(), made(drop_missing=True)
    assert table.codes["work"][4] == table.columns["work"].size - 1 == 2
    assert dropped.records == 4 and dropped.columns["work"].missing == dropped.columns["pay"].missing == 0
    pd.testing.assert_frame_equal(dropped.frame, FRAME.dropna().drop(columns="name").reset_index(drop=True))


def test_values_that_only_dropped_records_had_lose_their_code():
    frame = pd.concat([FRAME, pd.DataFrame([{"name": "Gus", "age": 35, "work": None, "pay": 1.0, "ill": "hiv"}])])
    dropped = made(frame, drop_missing=True, hierarchies={"age": Intervals(widths=(10,))})
    assert dropped.columns["age"].labels == ("30", "40") and dropped.sensitive["ill"].labels == ("cold", "flu")
    assert dropped.columns["age"].counts.tolist() == [2, 2]
    assert dropped.columns["age"].hierarchy.leaves == ("30", "40")


# Samples have complete records of the table, and only their values.


def test_a_sample_has_complete_records_in_their_order():
    frame = pd.DataFrame({"age": range(100), "double": [2 * n for n in range(100)], "ill": list("abcd") * 25})
    frame.loc[::9, "ill"] = None
    table = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(10,))})
    some, again, other = sample(table, 12), sample(table, 12), sample(table, 12, seed=1)
    found = some.frame
    assert len(found) == some.records == 12 and (found["double"] == 2 * found["age"]).all()
    assert found["age"].is_monotonic_increasing and some.columns["age"].size == 12
    assert some.roles == table.roles and some.columns["age"].hierarchy is not None
    assert some.columns["ill"].missing == found["ill"].isna().sum()
    assert again.frame.equals(found) and not other.frame.equals(found)
    assert sample(table, 100) is table


def test_a_resample_has_as_many_complete_records_drawn_with_replacement():
    frame = pd.DataFrame({"age": range(400), "double": [2 * n for n in range(400)], "ill": list("abcd") * 100})
    table = Table.from_frame(frame, ["age"], "ill")
    found = resample(table, 3).frame
    assert len(found) == 400 and (found["double"] == 2 * found["age"]).all()
    assert 0.58 < found["age"].nunique() / 400 < 0.68, "1 - 1/e of them"
    assert resample(table, 3).frame.equals(found) and not resample(table, 4).frame.equals(found)


def people():
    frame = pd.DataFrame({"age": [20 + n % 40 for n in range(200)], "ill": ["abcdb"[n % 5] for n in range(200)]})
    return Table.from_frame(frame, ["age"], "ill")


def test_a_sample_is_marked_in_every_output(tmp_path):
    whole, drawn = people(), people().sample(60)
    assert (
        drawn.origin.sampled == Sampled(60, 200) and str(drawn.origin.sampled) == "a random sample of 60 of 200 records"
    )
    assert str(drawn.origin.sampled) in repr(drawn) and str(drawn.origin.sampled) in drawn.notes
    assert "random sample" not in repr(whole) + repr(role_notes(whole)) and "of 60 of 200" in role_notes(drawn)[0]
    same = Table.from_frame(drawn.frame, ["age"], "ill")
    assert same.cells().weight.sum() == 60 and fingerprint(same) != fingerprint(drawn), "a store distinguishes them"
    assert drawn.with_roles(["age"]).origin.sampled == drawn.only({"ill": "b"}).origin.sampled == drawn.origin.sampled
    assert drawn.sample(30).origin.sampled == Sampled(30, 200), "a sample of a sample is a sample of the whole"
    assert drawn.only({"ill": "b"}).sample(9).origin.sampled == Sampled(9, drawn.only({"ill": "b"}).records)
    assert whole.sample(200) is whole and resample(drawn, 1).origin.sampled == drawn.origin.sampled
    for model, beside in ((KAnonymity(3), 2), (None, 0)):
        release = Mondrian()(drawn, model) if model else Keep()(drawn)
        assert recipient_notice(release) == "it is of a random sample of 60 of 200 records"
        assert not recipient_notice(Keep()(whole))
        files = release.export(tmp_path / f"{beside}.csv", smallest=7)
        books = [path for path in files if path.suffix == ".json"]
        assert json.loads(books[0].read_bytes())["sample"] == "a random sample of about 63 of about 203 records"
        assert len(pd.read_csv(files[0])) == 60 and (len(pd.read_csv(files[1])) > 0) == (model is not None)
    assert [path.name for path in Keep()(whole).export(tmp_path / "whole.csv")] == ["whole.csv"]


@pytest.mark.parametrize("records", [0, -1, True, 2.0, "9"])
def test_an_invalid_sample_size_is_refused(records):
    with pytest.raises(BadInput, match="must be a whole number of records, at least 1"):
        people().sample(records)


# Fingerprints differ by content, role, level, hierarchy, range of levels and population.

FINGERPRINT_FRAME = pd.DataFrame({"age": [20, 31, 31, 44], "sex": list("fmfm"), "ill": ["a", "b", "a", "b"]})


def test_everything_that_changes_a_release_changes_the_fingerprint():
    table = Table.from_frame(FINGERPRINT_FRAME, ["age", "sex"], "ill", hierarchies={"age": Intervals(widths=(10, 20))})
    others = [
        Table.from_frame(FINGERPRINT_FRAME.assign(age=[20, 31, 31, 45]), ["age", "sex"], "ill"),
        table.with_roles(["age"], "ill"),
        table.with_hierarchies({"age": Intervals(widths=(5, 20))}),
        table.with_settings(level_ranges={"age": (1, 2)}),
        table.with_settings(population=FINGERPRINT_FRAME),
    ]
    found = [fingerprint(one) for one in (table, *others)]
    assert len(set(found)) == len(found)
    again = Table.from_frame(FINGERPRINT_FRAME, ["age", "sex"], "ill", hierarchies={"age": Intervals(widths=(10, 20))})
    assert fingerprint(again) == fingerprint(table) == fingerprint(table)


def test_the_fingerprint_does_not_depend_on_the_engine():
    roles = {"quasi": ["age", "sex"], "sensitive": "ill"}
    here, there = (Table.read(FINGERPRINT_FRAME, **roles, engine=engine) for engine in ("memory", "duckdb"))
    assert (
        fingerprint(here) != fingerprint(there)
        and has_same_data(here, there)
        and has_same_data(there, here)
        and has_same_data(here, here)
    )
    for column, values in (("age", [20, 31, 31, 45]), ("age", [20, 20, 31, 44]), ("sex", list("mfmf"))):
        assert not has_same_data(Table.read(FINGERPRINT_FRAME.assign(**{column: values}), **roles), there)
    assert not has_same_data(here.with_roles(["age"], "ill"), there)


def test_columns_are_compared_if_combinations_do_not_fit(monkeypatch):
    monkeypatch.setattr(engines, "MOST", 1)
    here, there = (
        Table.read(FINGERPRINT_FRAME, ["age", "sex"], "ill", engine=engine) for engine in ("memory", "duckdb")
    )
    assert has_same_data(here, there) and not has_same_data(
        Table.read(FINGERPRINT_FRAME.assign(ill=list("aaab")), ["age", "sex"], "ill"), there
    )
