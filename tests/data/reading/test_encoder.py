"""Encoding: codes represent the original values, types are found from all values, bad values are refused."""

import datetime
import json
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench.data.engines.memory
from tests.data.encoded import encode
from tests.data.reading.encoded import from_frame, message_of
from tests.examples import examples
from workbench.base.errors import BadColumns
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query
from workbench.data.table import Table


def decode(column, codes):
    """Return the label of each record, None for missing."""
    return [None if code == len(column.values) else column.labels[code] for code in codes]


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
        (
            NANOSECONDS,
            "date",
            None,
            "nanoseconds are truncated to microseconds; to keep them, use types={'x': 'text'}",
        ),
        (NANOSECONDS.cast(pa.timestamp("us"), safe=False), "date", None, None),
        (pa.array([1, 2], pa.timestamp("us", "Europe/Berlin")), "date", None, "times are converted to UTC"),
        (pa.array(EXACT), "text", ("1.50", "9007199254740992.00", "9007199254740993.00"), "beyond 2^53"),
        (pa.array(EXACT[2:]), "number", ("1.5",), None),
        (pa.array([0.5, 2.0**60]), "number", None, "numbers beyond 2^53 are rounded"),
        (pa.array([" a", "a"]), "text", (" a", "a"), None),
    ],
    ids=["nanoseconds", "microseconds", "zone", "exact decimals", "decimals", "large floats", "blanks"],
)
def test_arrow_and_parquet_are_read_identically_and_changes_are_noted(tmp_path, values, kind, labels, note):
    pq.write_table(pa.table({"x": values}), tmp_path / "d.parquet")
    for data in (pa.table({"x": values}), tmp_path / "d.parquet"):
        source = open_source(data)
        column = encode(source)["x"][0]
        assert column.kind == kind and labels in (None, column.labels)
        assert [note in one for one in source.notes] == ([True] if note else [])


def test_nanoseconds_stay_in_text():
    labels = tuple(f"1970-01-01T00:00:00.00000{nanoseconds}" for nanoseconds in ("0001", "1001", "2000"))
    assert encode(open_source(pa.table({"x": NANOSECONDS})), types={"x": "text"})["x"][0].labels == labels


def test_durations_are_refused_from_arrow_and_parquet(tmp_path):
    table = pa.table({"x": pa.array([1, 2], pa.duration("us"))})
    pq.write_table(table, tmp_path / "d.parquet")
    for data in (table, tmp_path / "d.parquet"):
        assert "column 'x': the type duration[us] is not supported" in message_of(
            lambda data=data: encode(open_source(data))
        )


def test_numbers_of_a_frame_without_a_common_type_are_refused():
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


@pytest.mark.slow
def test_batches_that_hold_different_values(monkeypatch):
    """Distinct values are merged from time to time; codes of earlier batches remain correct."""
    monkeypatch.setattr(workbench.data.engines.memory, "PENDING", 1000)
    numbers = (np.arange(600_000) * 7919) % 100_003
    frame = pd.DataFrame({"n": numbers, "t": [f"v{n}" for n in numbers], "c": numbers % 3})
    read = encode(open_source(frame))
    for name, values in frame.items():
        column, codes = read[name]
        assert (column.values[codes] == values.to_numpy()).all()
        assert (column.counts == np.unique(values, return_counts=True)[1]).all()


def test_progress_is_reported_and_reading_can_be_cancelled():
    seen = []
    encode(open_source(pd.DataFrame({"x": range(300_000)})), progress=seen.append)
    assert len(seen) > 1 and seen == sorted(seen) and seen[-1] == 300_000

    def stop(records):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(open_source(pd.DataFrame({"x": range(3)})), progress=stop)


def test_an_endless_query_can_be_cancelled_before_its_first_record():
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
        assert connection.sql("SELECT 42").fetchall() == [(42,)], "the connection is still usable"


def test_columns_that_are_not_requested_are_not_read():
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


@examples(150)
@given(st.data(), st.sampled_from(sorted(scalars)))
def test_values_survive_a_round_trip(data, kind):
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


@examples(100)
@given(
    st.lists(st.text(st.sampled_from("ab,\"' \n0;"), max_size=4), min_size=1, max_size=30).filter(
        lambda some: any(map(str.strip, some))
    )
)
def test_text_survives_a_round_trip_through_csv(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "d.csv"
    pd.DataFrame({"x": values, "other": "o"}).to_csv(path, index=False)
    source = open_source(path, delimiter=",", quote='"')
    column, codes = encode(source, ["x"], missing=["none"], types={"x": "text"})["x"]
    assert decode(column, codes) == [value if value.strip() else None for value in values]


# Bad input: one message each.


@pytest.mark.slow
def test_ten_million_records(tmp_path):
    """Takes a second or two; benchmarks/ has the exact figure."""
    path = tmp_path / "large.parquet"
    duckdb.sql(f"COPY (SELECT range % 90 AS age, 'w' || (hash(range) % 12) AS work FROM range(10000000)) TO '{path}'")
    read = encode(open_source(path, memory_limit="1GB"))
    assert [column.counts.sum() for column, _ in read.values()] == [10_000_000] * 2
    assert (read["age"][1][:200] == np.arange(200) % 90).all()


def wrong_columns(folder):
    """Return the same table in every form: only the first and the last of seven columns can be read."""
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
def test_all_unreadable_columns_are_reported_together_in_every_form(tmp_path, form):
    data = wrong_columns(tmp_path)[form]
    with pytest.raises(BadColumns) as caught:
        Table.without_roles(data, types={"mixed": "number", "fine": "text"})
    assert list(caught.value.columns) == ["deep", "odd", "span", "mixed"]
    assert "secret" not in str(caught.value) and str(caught.value).count("column '") == 4
