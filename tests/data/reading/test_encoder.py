"""Encoding: codes stand for the values they came from, types are found from all values, bad values are refused."""

import datetime
import json
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench.data.engines.memory
from tests.data.encoded import encode
from workbench.base.errors import BadColumns, BadInput
from workbench.data.reading.source import Query, open_source
from workbench.data.reading.value_types import MARKERS
from workbench.data.table import Table


def decode(column, codes):
    """The label of each record, None where it is missing."""
    return [None if code == len(column.values) else column.labels[code] for code in codes]


def from_csv(folder, values, name="x", **options):
    path = folder / "data.csv"
    path.write_text("\n".join([f"{name},row", *(f"{value},{row}" for row, value in enumerate(values))]))
    source = open_source(path)
    column, codes = encode(source, [name], **options)[name]
    return column, codes, source


def from_frame(values, **options):
    return encode(open_source(pd.DataFrame({"x": values})), **options)["x"]


def message_of(action):
    with pytest.raises(BadInput) as caught:
        action()
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "kind", "values", "labels"),
    [
        (["39", "5", "39", "-7", "+5"], "number", [-7, 5, 39], ("-7", "5", "39")),
        (["1.5", "2", "0.10", "1e3", ".5"], "number", [0.1, 0.5, 1.5, 2.0, 1e3], ("0.1", "0.5", "1.5", "2", "1000")),
        (["-0.0", "0", "0.5"], "number", [0.0, 0.5], ("0", "0.5")),
        (["39.0", "5.0"], "number", [5, 39], ("5", "39")),
        (["01234", "98765"], "text", ["01234", "98765"], ("01234", "98765")),
        (["0", "10", "0.5"], "number", [0.0, 0.5, 10.0], ("0", "0.5", "10")),
        (["b", " a ", "B", "é"], "text", [" a ", "B", "b", "é"], (" a ", "B", "b", "é")),
        (["True", "False"], "text", ["False", "True"], ("False", "True")),
        (["2024-02-29", "1999-01-01"], "date", ["1999-01-01", "2024-02-29"], ("1999-01-01", "2024-02-29")),
        (["2024-02-30", "1999-01-01"], "text", ["1999-01-01", "2024-02-30"], ("1999-01-01", "2024-02-30")),
        (["31.12.2023", "1.2.2024"], "date", ["2023-12-31", "2024-02-01"], ("2023-12-31", "2024-02-01")),
        (["31.12.2023 10:30"], "date", None, ("2023-12-31T10:30:00",)),
        (["31.02.2023", "01.01.2024"], "text", None, ("01.01.2024", "31.02.2023")),
        (["2024-01-01T10:00", "2024-01-01 09:30:00"], "date", None, ("2024-01-01T09:30:00", "2024-01-01T10:00:00")),
        (["2024-01-01T00:00:00.5"], "date", None, ("2024-01-01T00:00:00.500000",)),
        (["2024-01-01T10:00+02:00", "2024-01-01T09:00Z"], "date", None, ("2024-01-01T08:00:00", "2024-01-01T09:00:00")),
        (["1", "two", "three"], "text", ["1", "three", "two"], ("1", "three", "two")),
        (["inf", "nan", "Inf"], "text", ["Inf", "inf"], ("Inf", "inf")),
        (["9223372036854775807", "1"], "number", [1, 2**63 - 1], ("1", "9223372036854775807")),
    ],
)  # fmt: skip
def test_types_are_found_from_text(tmp_path, fields, kind, values, labels):
    column, codes, _ = from_csv(tmp_path, fields)
    assert (column.kind, column.labels) == (kind, labels)
    if values is not None:
        assert column.values.astype(str if kind == "date" else object).tolist() == values
        assert all(type(a) is type(b) for a, b in zip(column.values.tolist(), values, strict=True) if kind == "number")
    assert len(codes) == len(fields) and column.totals.tolist() == np.bincount(codes, minlength=column.size).tolist()


def test_dtypes(tmp_path):
    assert from_csv(tmp_path, ["1", "2"])[0].values.dtype == np.int64
    assert from_csv(tmp_path, ["1.5", "2"])[0].values.dtype == np.float64
    assert from_csv(tmp_path, ["2024-01-01"])[0].values.dtype == "datetime64[D]"
    assert from_csv(tmp_path, ["2024-01-01T10:00"])[0].values.dtype == "datetime64[us]"
    assert from_csv(tmp_path, ["a"])[0].values.dtype == object
    assert from_frame(range(32_767))[1].dtype == np.int16 and from_frame(range(32_768))[1].dtype == np.int32


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


def test_missing_markers(tmp_path):
    column, codes, source = from_csv(tmp_path, [*MARKERS, "5", "7", "5"])
    assert column.kind == "number" and column.values.tolist() == [5, 7]
    assert column.missing == len(MARKERS) and column.counts.tolist() == [2, 1] and column.size == 3
    assert codes.tolist() == [2] * len(MARKERS) + [0, 1, 0]
    (note,) = [note for note in source.notes if note.startswith("x: ")]
    assert "'?'" in note and note.endswith("read as missing")


def test_missing_markers_can_be_given(tmp_path):
    column, _, source = from_csv(tmp_path, ["?", "none at all", "", "a"], missing=["none at all"])
    assert column.labels == ("", "?", "a") and column.missing == 1
    assert "x: 'none at all' read as missing" in source.notes
    column, _ = from_frame(["?", "", "a", None])  # a CSV could not tell an empty text from a missing value
    assert column.labels == ("?", "a") and column.missing == 2
    assert from_frame(["?", "", "a", None], missing=["?"])[0].missing == 2


def test_declared_types(tmp_path):
    assert from_csv(tmp_path, ["7", "10", "?"], types={"x": "text"})[0].labels == ("10", "7")
    assert from_csv(tmp_path, ["007", "10"], types={"x": "number"})[0].values.tolist() == [7, 10]
    column, _, _ = from_csv(tmp_path, [*map(str, range(50)), "50+"], types={"x": "text"})
    assert column.size == 51 and column.labels[-1] == "9"
    assert from_csv(tmp_path, [str(2**70), "5"], types={"x": "text"})[0].labels == (str(2**70), "5")
    assert from_csv(tmp_path, ["1.0", "inf"], types={"x": "text"})[0].labels == ("1.0", "inf")
    assert from_frame([1.0, 2.0, None], types={"x": "text"})[0].labels == ("1", "2")
    assert from_frame([1.5, np.inf], types={"x": "text"})[0].labels == ("1.5", "inf")
    assert from_frame(["1", "2.5"], types={"x": "number"})[0].values.tolist() == [1, 2.5]
    assert from_frame(["2024-01-01"], types={"x": "date"})[0].values.dtype == "datetime64[D]"
    assert from_frame([True, False], types={"x": "number"})[0].values.tolist() == [0, 1]
    assert from_frame([1e20, 2e20], types={"x": "number"})[0].values.tolist() == [1e20, 2e20]
    assert from_frame(pd.to_datetime(["2024-01-01"]), types={"x": "text"})[0].labels == ("2024-01-01",)
    assert from_frame(np.array([2**64 - 1], dtype=np.uint64), types={"x": "text"})[0].labels == (str(2**64 - 1),)


@pytest.mark.parametrize(
    ("values", "kind", "labels", "missing"),
    [
        ([39.0, np.nan, 5.0], "number", ("5", "39"), 1),
        ([0.5, None, -0.0, 0.0], "number", ("0", "0.5"), 1),
        (np.array([0.1, 0.25], dtype=np.float32), "number", ("0.1", "0.25"), 0),
        (pd.array([1, None], dtype="Int8"), "number", ("1",), 1),
        ([True, False, True], "text", ("False", "True"), 0),
        (pd.array([True, None], dtype="boolean"), "text", ("True",), 1),
        (pd.Categorical(["b", "a", None], categories=["b", "a", "unused"]), "text", ("a", "b"), 1),
        (pd.Categorical([10, 9, 9]), "number", ("9", "10"), 0),
        (pd.to_datetime(["2024-01-02", None, "2023-01-01"]), "date", ("2023-01-01", "2024-01-02"), 1),
        (pd.to_datetime(["2024-01-02T10:00"]).tz_localize("Europe/Berlin"), "date", ("2024-01-02T09:00:00",), 0),
        ([datetime.date(2024, 1, 2), None], "date", ("2024-01-02",), 1),
        ([datetime.time(9, 30), datetime.time(8)], "text", ("08:00:00.000000", "09:30:00.000000"), 0),
        ([Decimal("1.50"), Decimal("2")], "number", ("1.5", "2"), 0),
        ([Decimal("1"), Decimal("2")], "number", ("1", "2"), 0),
        (["b", None, "ä", "a"], "text", ("a", "b", "ä"), 1),
    ],
)
def test_types_of_frames(values, kind, labels, missing):
    column, codes = from_frame(values)
    assert (column.kind, column.labels, column.missing) == (kind, labels, missing)
    assert len(codes) == len(values) and column.totals.sum() == len(values)


NANOSECONDS = pa.array([1, 1001, 2000], pa.timestamp("ns"))
EXACT = [Decimal("9007199254740993.00"), Decimal("9007199254740992.00"), Decimal("1.50")]


@pytest.mark.parametrize(
    ("values", "kind", "labels", "note"),
    [
        (NANOSECONDS, "date", None, "nanoseconds are cut to microseconds; to keep them, declare types={'x': 'text'}"),
        (NANOSECONDS.cast(pa.timestamp("us"), safe=False), "date", None, None),
        (pa.array([1, 2], pa.timestamp("us", "Europe/Berlin")), "date", None, "times are read in UTC"),
        (pa.array(EXACT), "text", ("1.50", "9007199254740992.00", "9007199254740993.00"), "beyond 2^53"),
        (pa.array(EXACT[2:]), "number", ("1.5",), None),
        (pa.array([0.5, 2.0**60]), "number", None, "numbers beyond 2^53 are rounded"),
        (pa.array([" a", "a"]), "text", (" a", "a"), None),
    ],
    ids=["nanoseconds", "microseconds", "zone", "exact decimals", "decimals", "large floats", "blanks"],
)
def test_arrow_and_parquet_are_read_alike_and_what_is_changed_is_said(tmp_path, values, kind, labels, note):
    pq.write_table(pa.table({"x": values}), tmp_path / "d.parquet")
    for data in (pa.table({"x": values}), tmp_path / "d.parquet"):
        source = open_source(data)
        column = encode(source)["x"][0]
        assert column.kind == kind and labels in (None, column.labels)
        assert [note in one for one in source.notes] == ([True] if note else [])


def test_nanoseconds_stay_in_text():
    labels = tuple(f"1970-01-01T00:00:00.00000{nanoseconds}" for nanoseconds in ("0001", "1001", "2000"))
    assert encode(open_source(pa.table({"x": NANOSECONDS})), types={"x": "text"})["x"][0].labels == labels


def test_a_duration_is_refused_from_arrow_and_from_parquet_alike(tmp_path):
    table = pa.table({"x": pa.array([1, 2], pa.duration("us"))})
    pq.write_table(table, tmp_path / "d.parquet")
    for data in (table, tmp_path / "d.parquet"):
        assert "column 'x': values of type duration[us]" in message_of(lambda data=data: encode(open_source(data)))


def test_numbers_of_a_frame_that_cannot_be_kept_together_are_refused():
    for values in ([2**53 + 1, 0.5], [2**53 + 1, Decimal("0.5")]):
        frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
        message = message_of(lambda frame=frame: encode(open_source(frame)))
        assert "column 'x': numbers of several types" in message and "9007199254740993" not in message


def test_moments_with_and_without_a_zone_are_not_mixed():
    moments = [datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC), datetime.datetime(2024, 1, 1)]
    frame = pd.DataFrame({"x": pd.Series(moments, dtype=object)})
    assert "datetime with a time zone (1) and datetime (1)" in message_of(lambda: encode(open_source(frame)))


def test_json_text_stays_as_it_is_written(tmp_path):
    path = tmp_path / "d.ndjson"
    identifier = "123e4567-e89b-12d3-a456-426614174000"
    path.write_text(f'{{"x": "{identifier}", "t": "01:02"}}\n{{"x": "{identifier.upper()}", "t": "01:02:00"}}\n')
    read = encode(open_source(path))
    assert read["x"][0].labels == (identifier.upper(), identifier) and read["t"][0].labels == ("01:02", "01:02:00")
    path.write_text('{"x": 9007199254740993}\n{"x": 0.5}\n')
    source = open_source(path)
    encode(source)
    assert any("numbers beyond 2^53 are rounded" in note for note in source.notes)


def test_types_of_queries():
    sql = "sum(1) AS huge, 1.5 AS decimals, uuid() AS id, 'a'::ENUM('b', 'a') AS level, now() AS seen, 3::UBIGINT AS n"
    read = encode(open_source(Query(f"SELECT {sql}")))
    assert {name: column.kind for name, (column, _) in read.items()} == {
        "huge": "number", "decimals": "number", "id": "text", "level": "text", "seen": "date", "n": "number",
    }  # fmt: skip
    assert read["huge"][0].values.dtype == np.int64 and read["decimals"][0].values.tolist() == [1.5]


def test_batches_that_hold_different_values(monkeypatch):
    """Distinct values are merged now and then; codes of earlier batches stay right."""
    monkeypatch.setattr(workbench.data.engines.memory, "PENDING", 1000)
    numbers = (np.arange(600_000) * 7919) % 100_003
    frame = pd.DataFrame({"n": numbers, "t": [f"v{n}" for n in numbers], "c": numbers % 3})
    read = encode(open_source(frame))
    for name, values in frame.items():
        column, codes = read[name]
        assert (column.values[codes] == values.to_numpy()).all()
        assert (column.counts == np.unique(values, return_counts=True)[1]).all()


def test_progress_and_stopping():
    seen = []
    encode(open_source(pd.DataFrame({"x": range(300_000)})), progress=seen.append)
    assert len(seen) > 1 and seen == sorted(seen) and seen[-1] == 300_000

    def stop(records):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(open_source(pd.DataFrame({"x": range(3)})), progress=stop)


def test_a_query_without_end_can_be_stopped_before_its_first_record():
    endless = "SELECT count(*) AS n, sum(a.range * b.range) AS x FROM range(10000000) a, range(10000000) b"
    heard = []

    def stop(records):
        heard.append(records)
        if len(heard) > 1:
            raise KeyError

    with duckdb.connect() as connection:
        for query in (Query(endless), Query(endless, connection)):
            heard.clear()
            with pytest.raises(KeyError):
                encode(open_source(query), progress=stop)
            assert heard == [0, 0]
        assert connection.sql("SELECT 42").fetchall() == [(42,)], "the connection goes on"


def test_columns_not_asked_for_are_not_read():
    frame = pd.DataFrame({"x": [1], "bad": pd.Series([{1: "secret"}])})
    read = encode(open_source(frame), ["x"])
    assert list(read) == ["x"]


scalars = {
    "integers": st.integers(-(2**63), 2**63 - 1),
    "floats": st.floats(allow_infinity=False, width=64).filter(lambda x: not abs(x) >= 2**63),
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5),
    "dates": st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31)),
    "moments": st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)),
    "truths": st.booleans(),
}


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(scalars)))
def test_there_and_back(data, kind):
    values = data.draw(st.lists(st.none() | scalars[kind], min_size=1, max_size=40))
    values[0] = data.draw(scalars[kind].filter(lambda x: x == x))
    column, codes = encode(open_source(pa.table({"x": pa.array(values)})))["x"]
    expected = [None if value is None or value != value else value for value in values]
    back = [None if code == len(column.values) else column.values[code] for code in codes]
    if kind == "truths":
        expected = [None if value is None else str(value) for value in expected]
    if kind in ("dates", "moments"):
        expected = [None if value is None else np.datetime64(value) for value in expected]
    assert back == expected
    assert column.missing == expected.count(None) and column.counts.sum() + column.missing == len(values)
    assert (column.counts > 0).all() and len(set(column.labels)) == len(column.labels) == len(column.values)
    assert list(column.values) == sorted(set(column.values.tolist())) or kind in ("dates", "moments")
    assert codes.max() < column.size


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.sampled_from("ab,\"' \n0;"), max_size=4), min_size=1, max_size=30))
def test_text_there_and_back_through_csv(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "d.csv"
    pd.DataFrame({"x": values, "other": "o"}).to_csv(path, index=False)
    source = open_source(path, delimiter=",", quote='"')
    column, codes = encode(source, ["x"], missing=["none"], types={"x": "text"})["x"]
    assert decode(column, codes) == values


# Bad input: one message each.


def test_mixed_types_in_a_csv(tmp_path):
    fields = [*map(str, range(30)), "unknown", "10+"]
    message = message_of(lambda: from_csv(tmp_path, fields))
    assert "column 'x': mixed types: 2 of 32 distinct values are no numbers, the first in record 31;" in message
    assert "unknown" not in message and "10+" not in message
    assert "types={'x': 'text'}" in message and "missing=[...]" in message


def test_declared_number_that_is_none(tmp_path):
    assert "2 of 3 distinct" in message_of(lambda: from_csv(tmp_path, ["1", "a", "b"], types={"x": "number"}))
    assert "are no numbers" in message_of(lambda: from_frame(pd.to_datetime(["2024-01-01"]), types={"x": "number"}))


def test_declared_date_that_is_none(tmp_path):
    assert "not all values are dates such as" in message_of(
        lambda: from_csv(tmp_path, ["1/2/2024"], types={"x": "date"})
    )
    assert "not all values are dates such as" in message_of(lambda: from_frame([1], types={"x": "date"}))


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


def test_nothing_but_missing_values(tmp_path):
    for action in (
        lambda: from_csv(tmp_path, ["", "?", "NA"]),
        lambda: from_frame([None, None]),
        lambda: from_frame([np.nan]),
        lambda: encode(open_source(Query("SELECT NULL AS x"))),
    ):
        assert "column 'x': there is nothing but missing values; name it among the identifiers" in message_of(action)


def test_dates_out_of_range():
    query = Query("SELECT DATE 'infinity' AS x")
    assert "column 'x': dates outside the years 1 to 9999" in message_of(lambda: encode(open_source(query)))


def test_bad_declarations():
    source = open_source(pd.DataFrame({"x": [1]}))
    assert "has no column 'y'; it has 1 column, none of a like name" in message_of(
        lambda: encode(source, types={"y": "text"})
    )
    assert "'x' is declared 'int'; a column is one of" in message_of(lambda: encode(source, types={"x": "int"}))
    assert "there is no column 'y'" in message_of(lambda: encode(source, ["y"]))
    assert "no column is left to read" in message_of(lambda: encode(source, []))


def test_ten_million_records(tmp_path):
    """A second or two; benchmarks/ holds the exact figure."""
    path = tmp_path / "large.parquet"
    duckdb.sql(f"COPY (SELECT range % 90 AS age, 'w' || (hash(range) % 12) AS work FROM range(10000000)) TO '{path}'")
    read = encode(open_source(path, memory_limit="1GB"))
    assert [column.counts.sum() for column, _ in read.values()] == [10_000_000] * 2
    assert (read["age"][1][:200] == np.arange(200) % 90).all()


def wrong_columns(folder):
    """The same table in every form: of seven columns only the first and the last can be read."""
    deep, span = pa.array([[i] for i in range(40)]), pa.array(range(40), pa.duration("s"))
    text = pa.array([*map(str, range(39)), "secret"])
    table = pa.table({"good": range(40), "deep": deep, "odd": [b"x"] * 40, "span": span, "mixed": text, "fine": text})
    pq.write_table(table, folder / "wrong.parquet")
    texts = text.to_pylist()
    lines = [
        {"good": i, "deep": [i], "odd": {"x": i}, "span": i or "x", "mixed": texts[i], "fine": texts[i]}
        for i in range(40)
    ]
    (folder / "wrong.ndjson").write_text("\n".join(map(json.dumps, lines)))
    sql = "SELECT i AS good, [i] AS deep, {'x': i} AS odd, INTERVAL 1 DAY AS span, "
    sql += "CASE i WHEN 39 THEN 'secret' ELSE i::VARCHAR END AS mixed, i::VARCHAR AS fine FROM range(40) t(i)"
    return [table, table.to_pandas(), folder / "wrong.parquet", folder / "wrong.ndjson", Query(sql)]


@pytest.mark.parametrize("form", range(5), ids=["arrow", "frame", "parquet", "json", "query"])
def test_all_columns_that_cannot_be_read_are_said_at_once_in_every_form(tmp_path, form):
    data = wrong_columns(tmp_path)[form]
    with pytest.raises(BadColumns) as caught:
        Table.bare(data, types={"mixed": "number", "fine": "text"})
    assert list(caught.value.columns) == ["deep", "odd", "span", "mixed"]
    assert "secret" not in str(caught.value) and str(caught.value).count("column '") == 4
