"""No raw record where it does not belong: representations, messages, and what is published beside the classes."""

import gzip
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from tests.attacks.marked_table import FRAME, MARKED
from workbench import BadInput, Recipe, Table, recipes, sweep
from workbench.measures import PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.queries.populations import large_populations
from workbench.releases.foreign import foreign


@pytest.fixture
def table() -> Table:
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
    said = " ".join(str(one) for one in (told.value, *(one.message for one in heard)))
    assert "marker" not in said.replace("markers of missing values", "")


def test_a_value_of_a_release_that_is_none_of_the_original_is_not_quoted():
    table = Table.from_frame(FRAME.drop(columns=["note"]), quasi=["age", "degree"], sensitive="ill")
    for name in ("age", "degree", "ill"):
        released = FRAME.astype(str)
        released.loc[7, name] = "marker"
        try:
            words = " ".join(foreign(released, original=table).notes)
            assert f"{name}: 1 value is not in the original" in words
        except BadInput as why:  # a number has to be one
            words = str(why)
            assert name == "age" and "column 'age', record" in words
        assert "marker" not in words


def test_a_damaged_gzip_is_one_clear_line(tmp_path):
    text = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(400))
    lines = "".join(f'{{"age": {i}, "ill": "marker-{i}"}}\n' for i in range(400))
    for name, content in (("d.csv.gz", text), ("d.ndjson.gz", lines)):
        packed, path = gzip.compress(content.encode(), mtime=0), tmp_path / name
        turned = [packed[:i] + bytes([packed[i] ^ 4]) + packed[i + 1 :] for i in range(10, len(packed), 97)]
        for damaged in (*turned, *(packed[:i] for i in range(1, len(packed), 211))):
            path.write_bytes(damaged)
            with pytest.raises(BadInput, match=r"damaged or truncated|not a valid gzip|file is empty") as told:
                Table.bare(path)
            assert "marker" not in str(told.value) and "\n" not in str(told.value)


def test_a_cut_cell_is_dealt_alike_in_every_process_and_order(table):
    """Two files of one release that differ would give people away together."""
    lean = table.drop(["note"])
    order = np.random.default_rng(0).permutation(len(FRAME))
    again = Table.from_frame(lean.frame.iloc[order], quasi=["age", "degree"], sensitive="ill")
    dealt = [Mondrian(strict=False)(one, KAnonymity(3), seed=4).group_of_record for one in (lean, again)]
    values = [pd.DataFrame({**one.frame, "class": group}) for one, group in zip((lean, again), dealt, strict=True)]
    pd.testing.assert_frame_equal(*(v.sort_values(list(v)).reset_index(drop=True) for v in values))


def test_error_pages_of_the_engine_name_no_value_of_an_identifier(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("name,age,ill\n" + "".join(f"{m},{i % 5},x\n" for i, m in enumerate(MARKED)))
    with pytest.raises(BadInput) as told:
        Table.read(path, quasi=["age"], sensitive="ill", identifiers=["name"])
    assert not re.search("marker", str(told.value))
