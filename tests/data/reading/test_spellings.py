"""How numbers and dates are written."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.encoded import encode
from tests.data.reading.encoded import from_csv, from_frame, message_of
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query


@pytest.mark.parametrize(
    ("fields", "kind", "values", "note"),
    [
        (["1,5", "-2,25", "3", ",5"], "number", [-2.25, 0.5, 1.5, 3.0], "the comma is read as a decimal point"),
        (["1,0", "2,0"], "number", [1, 2], "the comma is read as a decimal point"),
        (["1,234", "20", "1,000,000"], "text", None, "may stand for thousands"),
        (["1,234", "20,5"], "number", [1.234, 20.5], "the comma is read as a decimal point"),
        (["01,5", "2,5"], "text", None, None),
        (["31.12.2023", "1.2.2024"], "date", None, "read as day.month.year"),
        (["2023-12-31"], "date", None, None),
        (["1.5", "2"], "number", [1.5, 2], None),
        (["0,500", "20"], "number", [0.5, 20], "the comma is read as a decimal point"),
        (["1.234", "12.500", "999"], "number", [1.234, 12.5, 999], "the dot is read as a decimal point"),
        (["0.234", "12.500", "999"], "number", [0.234, 12.5, 999], None),
        (["1.234.567", "999"], "text", ["1.234.567", "999"], "its dots stand for thousands"),
        (["1E10", "2E3", "7"], "text", ["1E10", "2E3", "7"], "2E3 and the like may be codes"),
        (["1e3", "1.5"], "number", [1.5, 1000], "2E3 and the like are read as 2000"),
        (["1e+3", "2"], "number", [2, 1000], None),
        (["9007199254740993", "9007199254740992", "0.5"], "text", None, "numbers beyond 2^53 would be rounded"),
        (["9007199254740993", "9007199254740992"], "number", [9007199254740992, 9007199254740993], None),
        (["9007199254740993,0", "9007199254740992,0"], "text", None, None),
        (["0.10000000000000000001", "0.1"], "number", [0.1], "more digits than floats keep are rounded"),
        (["0.10000000000000001", "0.2"], "number", [0.1, 0.2], None),
        ([" a", "a", "b"], "text", [" a", "a", "b"], "only in blanks around them stay apart"),
        (["a", "a\u00a0"], "text", ["a", "a\u00a0"], "only in blanks around them stay apart"),
        (["2024-01-01T10:00+02:00", "2024-01-01T09:00Z"], "date", None, "times of other zones are read in UTC"),
        (["2024-01-01T10:00Z", "2024-01-01T09:00Z"], "date", None, None),
        (["2024-01-01T10:00+02:00", "2024-01-01T09:00"], "text", None, None),
        (["2024-01-01T10:00:00.123456789"], "text", ["2024-01-01T10:00:00.123456789"], None),
    ],
)
def test_what_a_country_writes_its_own_way_is_read_and_said(tmp_path, fields, kind, values, note):
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["x;row", *(f"{value};{row}" for row, value in enumerate(fields))]))
    source = open_source(path)
    column, _ = encode(source, ["x"])["x"]
    assert column.kind == kind and (values is None or column.values.tolist() == values)
    said = [one for one in source.notes if one.startswith("x: ")]
    assert (note is None) == (not said) and all(note in one for one in said)


def test_a_comma_is_a_decimal_point_where_that_is_declared(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x;row\n1,234;0\n20;1\n")
    source = open_source(path)
    assert encode(source, ["x"], types={"x": "number"})["x"][0].values.tolist() == [1.234, 20]
    assert not [one for one in source.notes if one.startswith("x: ")]
    assert encode(open_source(path), ["x"], types={"x": "text"})["x"][0].kind == "text"


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
