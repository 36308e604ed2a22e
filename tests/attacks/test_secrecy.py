"""No raw records in representations, messages and published files."""

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


def test_no_representation_contains_a_record(table):
    release = Mondrian()(table, KAnonymity(5))
    shown = [table, release, release.classes, release.cells, table.sensitive["ill"], table.columns["note"]]
    for one in [*shown, large_populations(table, 0.1)]:
        assert "marker" not in repr(one) and len(repr(one)) < 200


@pytest.mark.parametrize(
    "call",
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
def test_a_wrong_call_raises_a_short_message_without_records(table, call):
    with pytest.raises(BadInput) as error:
        call(table)
    assert "marker" not in str(error.value) and len(str(error.value)) < 400


def test_no_message_quotes_a_record_that_was_read_as_column_names(tmp_path):
    path = tmp_path / "headless.csv"
    path.write_text("39,marker-one,flu\n50,marker-two,cold\n")
    for quasi, message in ((["age"], "header=False"), ([], "choose at least one")):
        with pytest.raises(BadInput, match=message) as error:
            Table.read(path, quasi=quasi)
        assert "marker" not in str(error.value)


HEADLESS = "marker-a,marker-b,marker-c\nmarker-d,marker-e,marker-f\n"
NUMBERS = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(40))
MANY = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(1_100))
FAILURES = {  # the content of a file, its name, and the arguments for reading it
    "text without a header": (HEADLESS, "d.csv", {"quasi": ["age"]}),
    "an identifier that is not a column": (HEADLESS, "d.csv", {"quasi": ["age"], "identifiers": ["name"]}),
    "a type for a missing column": (HEADLESS, "d.csv", {"types": {"age": "text"}}),
    "a duplicate name": ("marker-x,marker-y,marker-x\n1,2,3\n", "d.csv", {"quasi": ["age"]}),
    "JSON as text": ('{"age": 3, "ill": "marker-x"}\n{"age": 4, "ill": "marker-y"}\n', "d.csv", {"quasi": ["age"]}),
    "an array of JSON as text": ('[\n {"ill": "marker-x"}, {"ill": "marker-y"}]', "d.csv", {"quasi": ["age"]}),
    "text as JSON": (NUMBERS, "d.json", {"quasi": ["age"]}),
    "text as Parquet": (NUMBERS, "d.parquet", {"quasi": ["age"]}),
    "truncated JSON": ('{"age": 3, "ill": "marker-x"}\n{"age": 4, "ill": "marker', "d.ndjson", {"quasi": ["age"]}),
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


@pytest.mark.parametrize(("content", "name", "arguments"), FAILURES.values(), ids=FAILURES)
def test_no_message_of_reading_quotes_the_data(tmp_path, content, name, arguments):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BadInput) as error, warnings.catch_warnings(record=True) as caught:
        Table.read(path, **arguments)
    assert error.value.__context__ is None and error.value.__cause__ is None
    messages = " ".join(str(one) for one in (error.value, *(one.message for one in caught)))
    assert "marker" not in messages.replace("markers of missing values", "")


def test_a_released_value_that_is_not_in_the_original_is_not_quoted():
    table = Table.from_frame(FRAME.drop(columns=["note"]), quasi=["age", "degree"], sensitive="ill")
    for name in ("age", "degree", "ill"):
        released = FRAME.astype(str)
        released.loc[7, name] = "marker"
        try:
            words = " ".join(foreign(released, original=table).notes)
            assert f"{name}: 1 value is not in the original" in words
        except BadInput as why:  # not a number
            words = str(why)
            assert name == "age" and "column 'age', record" in words
        assert "marker" not in words


def test_a_damaged_gzip_file_is_reported_in_one_line(tmp_path):
    text = "age,ill\n" + "".join(f"{i},marker-{i}\n" for i in range(400))
    lines = "".join(f'{{"age": {i}, "ill": "marker-{i}"}}\n' for i in range(400))
    for name, content in (("d.csv.gz", text), ("d.ndjson.gz", lines)):
        packed, path = gzip.compress(content.encode(), mtime=0), tmp_path / name
        flipped = [packed[:i] + bytes([packed[i] ^ 4]) + packed[i + 1 :] for i in range(10, len(packed), 97)]
        for damaged in (*flipped, *(packed[:i] for i in range(1, len(packed), 211))):
            path.write_bytes(damaged)
            with pytest.raises(BadInput, match=r"damaged or truncated|not a valid gzip|file is empty") as error:
                Table.without_roles(path)
            assert "marker" not in str(error.value) and "\n" not in str(error.value)


def test_a_split_cell_is_assigned_identically_for_every_order_of_the_input(table):
    """Two different files of one release would disclose people together."""
    lean = table.drop(["note"])
    order = np.random.default_rng(0).permutation(len(FRAME))
    again = Table.from_frame(lean.frame.iloc[order], quasi=["age", "degree"], sensitive="ill")
    groups = [Mondrian(strict=False)(one, KAnonymity(3), seed=4).group_of_record for one in (lean, again)]
    values = [pd.DataFrame({**one.frame, "class": group}) for one, group in zip((lean, again), groups, strict=True)]
    pd.testing.assert_frame_equal(*(v.sort_values(list(v)).reset_index(drop=True) for v in values))


def test_errors_of_the_engine_quote_no_value_of_an_identifier(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("name,age,ill\n" + "".join(f"{m},{i % 5},x\n" for i, m in enumerate(MARKED)))
    with pytest.raises(BadInput) as error:
        Table.read(path, quasi=["age"], sensitive="ill", identifiers=["name"])
    assert not re.search("marker", str(error.value))
