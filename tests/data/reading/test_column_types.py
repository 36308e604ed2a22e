"""Declared types of columns."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.encoded import encode
from tests.data.reading.encoded import from_csv, from_frame, message_of
from workbench.base.errors import BadColumns, BadInput
from workbench.data.reading.column_types import ColumnType, parse_type
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query


@pytest.mark.parametrize(
    ("text", "kind", "notation"),
    [
        ("number", "number", ""),
        (" date ", "date", ""),
        ("number 1,234.5", "number", "1,234.5"),
        ("number 1.234,5", "number", "1.234,5"),
        ("date dd/mm/yyyy", "date", "dd/mm/yyyy"),
        ("date %d %b %Y", "date", "%d %b %Y"),
    ],
)
def test_types_with_and_without_a_notation(text, kind, notation):
    assert parse_type(text) == ColumnType(kind, notation)
    assert str(parse_type(text)) == text.strip()


@pytest.mark.parametrize("text", ["int", "", "text 5", "number 5", "date tomorrow", "date mm/dd", "date %Y", 5, None])
def test_invalid_types_are_refused_with_examples(text):
    with pytest.raises(BadInput, match=r"a type is 'number', 'date' or 'text'.*'date mm/dd/yyyy'"):
        parse_type(text)


@pytest.mark.parametrize(
    ("notation", "directives"), [("dd.mm.yy", "%d.%m.%y"), ("yyyymmdd", "%Y%m%d"), ("%d %b %Y", "%d %b %Y")]
)
def test_a_date_format_in_directives_of_strptime(notation, directives):
    assert ColumnType("date", notation).date_format == directives


# Notations of numbers and dates.


@pytest.mark.parametrize(
    ("fields", "kind", "values", "note"),
    [
        (["1,5", "-2,25", "3", ",5"], "number", [-2.25, 0.5, 1.5, 3.0], "commas are read as decimal commas"),
        (["1,0", "2,0"], "number", [1, 2], "commas are read as decimal commas"),
        (["1,234", "20", "1,000,000"], "number", [20, 1234, 1e6], "commas are read as thousands separators"),
        (["30,996", "950"], "number", [950, 30996], "commas are read as thousands separators"),
        (["1,234.50", "950.25"], "number", [950.25, 1234.5], "commas are read as thousands separators"),
        (["1.234,50", "950,25"], "number", [950.25, 1234.5], "commas are read as decimal commas"),
        (["1,234,5", "950"], "text", ["1,234,5", "950"], None),
        (["1,234", "20,5"], "number", [1.234, 20.5], "commas are read as decimal commas"),
        (["01,5", "2,5"], "text", None, None),
        (["31.12.2023", "1.2.2024"], "date", None, "read as day.month.year"),
        (["2023-12-31"], "date", None, None),
        (["2023/12/31", "2024/1/2"], "date", None, None),
        (["31/12/2023", "1/2/2024"], "date", None, "read as day/month/year"),
        (["12/31/2023", "1/2/2024 10:30"], "date", None, "read as month/day/year"),
        (["12-31-2023", "01-02-2024"], "date", None, "read as month/day/year"),
        (["1/1/2024", "2/2/2024"], "date", None, "read as day/month/year"),
        (["31/12/2023", "12/31/2023"], "text", None, None),
        (["1.5", "2"], "number", [1.5, 2], None),
        (["0,500", "20"], "number", [0.5, 20], "commas are read as decimal commas"),
        (["1.234", "12.500", "999"], "number", [1.234, 12.5, 999], "dots are read as decimal points"),
        (["0.234", "12.500", "999"], "number", [0.234, 12.5, 999], None),
        (["1.234.567", "999"], "text", ["1.234.567", "999"], "dots may separate thousands"),
        (["1E10", "2E3", "7"], "text", ["1E10", "2E3", "7"], "2E3 and the like may be codes"),
        (["1e3", "1.5"], "number", [1.5, 1000], "values such as 2E3 are read as 2000"),
        (["1e+3", "2"], "number", [2, 1000], None),
        (["9007199254740993", "9007199254740992", "0.5"], "text", None, "numbers beyond 2^53 would be rounded"),
        (["9007199254740993", "9007199254740992"], "number", [9007199254740992, 9007199254740993], None),
        (["9007199254740993,0", "9007199254740992,0"], "text", None, None),
        (["0.10000000000000000001", "0.1"], "number", [0.1], "too many digits for floats are rounded"),
        (["0.10000000000000001", "0.2"], "number", [0.1, 0.2], None),
        ([" a", "a", "b"], "text", [" a", "a", "b"], "only in blanks around them are kept distinct"),
        (["a", "a\u00a0"], "text", ["a", "a\u00a0"], "only in blanks around them are kept distinct"),
        (["2024-01-01T10:00+02:00", "2024-01-01T09:00Z"], "date", None, "times of other zones are converted to UTC"),
        (["2024-01-01T10:00Z", "2024-01-01T09:00Z"], "date", None, None),
        (["2024-01-01T10:00+02:00", "2024-01-01T09:00"], "text", None, None),
        (["2024-01-01T10:00:00.123456789"], "text", ["2024-01-01T10:00:00.123456789"], None),
    ],
)
def test_national_notations_are_read_with_a_note(tmp_path, fields, kind, values, note):
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["x;row", *(f"{value};{row}" for row, value in enumerate(fields))]))
    source = open_source(path)
    column, _ = encode(source, ["x"])["x"]
    assert column.kind == kind and (values is None or column.values.tolist() == values)
    said = [one for one in source.notes if one.startswith("x: ")]
    assert (note is None) == (not said) and all(note in one for one in said)


def write(folder, *fields):
    path = folder / "data.csv"
    path.write_text("x;row\n" + "".join(f"{value};{row}\n" for row, value in enumerate(fields)))
    return path


def read(path, kind=None):
    source = open_source(path)
    return encode(source, ["x"], types={"x": kind} if kind else None)["x"][0], source.notes


def test_a_declared_number_with_thousands_commas_is_not_a_fraction(tmp_path):
    """Regression: an income of "30,996", declared as a number, was read as 30.996 without a note."""
    column, notes = read(write(tmp_path, "30,996", "950", "1,250,000"), "number")
    assert column.values.tolist() == [950, 30996, 1_250_000] and column.labels == ("950", "30996", "1250000")
    assert any("read as thousands separators" in note and "'number 1.234,5'" in note for note in notes)
    frame = pd.DataFrame({"x": ["30,996", "950"]})
    assert encode(open_source(frame), types={"x": "number"})["x"][0].values.tolist() == [950, 30996]


def test_a_notation_is_declared(tmp_path):
    path = write(tmp_path, "1,234", "20")
    assert read(path, "number 1.234,5")[0].values.tolist() == [1.234, 20]
    assert read(path, "number 1,234.5")[0].values.tolist() == [20, 1234]
    assert read(path, "text")[0].kind == "text"
    assert not [note for note in read(path, "number 1.234,5")[1] if note.startswith("x: ")]
    assert read(write(tmp_path, "1.234.567", "999"), "number")[0].values.tolist() == [999, 1234567]
    assert read(write(tmp_path, "1.234", "999"), "number 1.234,5")[0].values.tolist() == [999, 1234]
    with pytest.raises(BadColumns, match="1 of 2 distinct values are not numbers"):
        read(write(tmp_path, "1,5", "2"), "number 1,234.5")


@pytest.mark.parametrize("kind", [None, "number"])
@pytest.mark.parametrize("fields", [("1,234", "1250"), ("1.234", "30,996")])
def test_ambiguous_commas_must_be_declared(tmp_path, fields, kind):
    with pytest.raises(BadColumns, match="may separate thousands or decimals; use types=") as caught:
        read(write(tmp_path, *fields), kind)
    choices = caught.value.faults["x"].choices
    assert choices == ("number 1,234.5", "number 1.234,5", "text")
    for choice in choices:  # what the message recommends can be done
        assert f"types={{'x': '{choice}'}}" in str(caught.value)
        assert read(write(tmp_path, *fields), choice)[0].kind == choice.split()[0]


@pytest.mark.parametrize("kind", [None, "date"])
def test_ambiguous_dates_must_be_declared(tmp_path, kind):
    path = write(tmp_path, "01/02/2024", "3/4/2024")
    with pytest.raises(BadColumns, match="first part of dates may be the day or the month; use types=") as caught:
        read(path, kind)
    assert caught.value.faults["x"].choices == ("date dd/mm/yyyy", "date mm/dd/yyyy", "text")
    assert read(path, "date dd/mm/yyyy")[0].labels == ("2024-02-01", "2024-04-03")
    assert read(path, "date mm/dd/yyyy")[0].labels == ("2024-01-02", "2024-03-04")
    assert read(path, "text")[0].kind == "text"


@pytest.mark.parametrize(
    ("written", "form", "label"),
    [
        ("3 Jan 2024", "date %d %b %Y", "2024-01-03"),
        ("31.12.99", "date dd.mm.yy", "1999-12-31"),
        ("20240103", "date yyyymmdd", "2024-01-03"),
        ("1/2/2024 2:05 PM", "date %m/%d/%Y %I:%M %p", "2024-01-02T14:05:00"),
    ],
)
def test_a_date_format_is_declared(tmp_path, written, form, label):
    assert read(write(tmp_path, written), form)[0].labels == (label,)


@pytest.mark.parametrize("wrong", ["30/02/2024", "1/2/24", "1/13/2024", "unknown"])
def test_values_that_do_not_match_the_date_format_are_refused(tmp_path, wrong):
    with pytest.raises(BadColumns, match="not all values are dates in the format dd/mm/yyyy; declare another format"):
        read(write(tmp_path, "1/2/2024", wrong), "date dd/mm/yyyy")


def test_infinity(tmp_path):
    for action in (lambda: from_csv(tmp_path, ["1", "-inf"]), lambda: from_csv(tmp_path, ["1", "1.5e999"])):
        assert "column 'x': there are infinite values" in message_of(action)
    assert "column 'x': there are infinite values" in message_of(lambda: from_frame([1.5, np.inf]))


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"x": np.array([2**63], dtype=np.uint64)}),
        pd.DataFrame({"x": [Decimal(2**63)]}),
        pd.DataFrame({"x": [Decimal(10**50)]}),
        pd.DataFrame({"x": [1e19, 3.0]}),
        pa.table({"x": pa.array([2**63], pa.uint64())}),
        Query("SELECT 170141183460469231731687303715884105727 AS x"),
        Query("SELECT 10000000000000000000::UHUGEINT AS x"),
    ],
)
def test_integers_beyond_64_bits(data):
    assert "column 'x': integers beyond 64 bits" in message_of(lambda: encode(open_source(data)))


def test_integers_beyond_64_bits_in_files(tmp_path):
    message = message_of(lambda: from_csv(tmp_path, [str(2**63), "1"]))
    assert "column 'x': integers beyond 64 bits" in message and "types={'x': 'text'}" in message
    path = tmp_path / "d.ndjson"
    for number in (2**63, 2**70):
        path.write_text(f'{{"x": {number}}}\n{{"x": 1}}\n')
        assert "column 'x': integers beyond 64 bits" in message_of(lambda: encode(open_source(path)))


def test_dates_out_of_range():
    query = Query("SELECT DATE 'infinity' AS x")
    assert "column 'x': dates outside the years 1 to 9999" in message_of(lambda: encode(open_source(query)))
