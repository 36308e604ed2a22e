"""Reading: every dialect is read as it was written, and every bad input has one clear message."""

import gzip
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from tests.data.reading.files import message_of, read_csv, table_of, written
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query
from workbench.data.table import Table

AWKWARD = ['a"b', "a b", "semi;colon", "select", "order by", "größe", "c0", "a", "A", "%s", "'", "x.y", "$path", "a\\b"]


def test_names_that_need_quoting(tmp_path):
    frame = pd.DataFrame({name: [i, i + 1] for i, name in enumerate(AWKWARD)})
    frame.to_csv(tmp_path / "d.csv", index=False)
    typed = {name: column.tolist() for name, column in frame.items()}
    assert table_of(open_source(tmp_path / "d.csv")) == {n: list(map(str, c)) for n, c in typed.items()}
    frame.to_parquet(tmp_path / "d.parquet")
    for data in (frame, pa.table(frame), tmp_path / "d.parquet"):
        source = open_source(data)
        assert source.names == AWKWARD and table_of(source) == typed
    backwards = AWKWARD[::-1]
    assert list(table_of(open_source(tmp_path / "d.parquet"), backwards).items()) == [(n, typed[n]) for n in backwards]


def test_file_names_that_look_like_patterns(tmp_path):
    written(tmp_path, "a\nwrong\n", "x1.csv")
    assert table_of(open_source(written(tmp_path, "a\nright\n", "x[1].csv"))) == {"a": ["right"]}
    assert table_of(open_source(written(tmp_path, "a\nright\n", "x?.csv"))) == {"a": ["right"]}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson", "arrow", "pandas", "query"])
def test_order_is_kept_over_many_batches(tmp_path, kind):
    connection = duckdb.connect()
    numbers = connection.sql(
        "SELECT (range * 7919) % 1000003 AS n, 'v' || range AS v FROM range(1000003)"
    ).to_arrow_table()
    path = tmp_path / f"d.{kind}"
    if kind == "csv":
        connection.sql(f"COPY numbers TO '{path}'")
    elif kind == "parquet":
        pq.write_table(numbers, path, row_group_size=50_000)
    elif kind == "ndjson":
        connection.sql(f"COPY numbers TO '{path}' (FORMAT json)")
    connection.register("kept", numbers)
    sources = {"arrow": numbers, "pandas": numbers.to_pandas, "query": Query("SELECT * FROM kept", connection)}
    data = sources.get(kind, path)
    source = open_source(data() if callable(data) else data)
    read = pa.Table.from_batches(source.batches(["n"], rows=10_000))["n"].cast(pa.int64())
    assert read.equals(numbers["n"])


def test_json(tmp_path):
    lines = '{"a": 1, "b": "01234"}\n{"a": 2.5, "c": "2020-01-01"}\n'
    array = '[{"a": 1, "b": "01234"}, {"a": 2.5, "c": "2020-01-01"}]'
    for name, content in (("d.ndjson", lines), ("d.jsonl", lines), ("d.json", array), ("e.json", lines)):
        read = table_of(open_source(written(tmp_path, content, name)), ["a", "b"])
        assert read == {"a": [1.0, 2.5], "b": ["01234", None]}
    assert (
        table_of(open_source(written(tmp_path, gzip.compress(lines.encode()), "d.ndjson.gz")), ["b"])["b"][0] == "01234"
    )


def test_query_on_its_own_connection(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    assert table_of(open_source(Query(f"SELECT b FROM read_csv('{path}')"))) == {"b": [2]}
    assert table_of(open_source(Query("SELECT n FROM range(5) t(n) ORDER BY n DESC"))) == {"n": [4, 3, 2, 1, 0]}


def test_query_leaves_the_callers_connection_open():
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE t AS SELECT 1 AS a")
    source = open_source(Query("SELECT a FROM t", connection))
    assert table_of(source) == {"a": [1]}
    source.close()
    assert connection.sql("SELECT a FROM t").fetchall() == [(1,)]


def test_frame_types():
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["x", None, "y"]),
            "levels": pd.Categorical([3, 1, 3]),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "objects": pd.Series([1, 2.5, None], dtype=object),
            "half": np.array([1, 2, 3], dtype=np.float16),
        }
    )
    frame.index = [7, 7, 7]
    assert table_of(open_source(frame)) == {
        "category": ["x", None, "y"],
        "levels": [3, 1, 3],
        "nullable": [1, None, 3],
        "objects": [1.0, 2.5, None],
        "half": [1.0, 2.0, 3.0],
    }


def test_frame_names_become_text():
    assert open_source(pd.DataFrame({1: [1], "b": [2]})).names == ["1", "b"]
    message = message_of(lambda: open_source(pd.DataFrame([[1, 2]], columns=[1, "1"])))
    assert "columns 1 and 2 have the same name" in message


def test_arrow_streams_of_other_libraries_are_read():
    assert table_of(open_source(duckdb.sql("SELECT 1 AS a"))) == {"a": [1]}


# Bad input: one message each.


def test_blank_file(tmp_path):
    assert "the file is empty" in message_of(lambda: open_source(written(tmp_path, "\n \n")))


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "\na;b\n\n"])
def test_header_only(tmp_path, content):
    assert "there are no records" in message_of(lambda: read_csv(tmp_path, content))


def test_no_records_elsewhere(tmp_path):
    empty = pd.DataFrame({"a": []})
    empty.to_parquet(tmp_path / "d.parquet")
    for data in (empty, pa.table(empty), tmp_path / "d.parquet", Query("SELECT 1 AS a WHERE false")):
        assert "there are no records" in message_of(lambda data=data: table_of(open_source(data)))
    assert "there are no records" in message_of(lambda: open_source(written(tmp_path, "[]", "d.json")))


def test_unknown_column(tmp_path):
    assert "there is no column 'c'; it has 2 columns, none with a similar name" in message_of(
        lambda: table_of(open_source(written(tmp_path, "a,b\n1,2\n")), ["c"])
    )


def test_mixed_types_in_json(tmp_path):
    path = written(tmp_path, '{"a": 1}\n{"a": "secret"}\n', "d.ndjson")
    message = message_of(lambda: table_of(open_source(path)))
    assert "column 'a': values of different types" in message and "secret" not in message


def test_broken_files(tmp_path):
    text = "secret stuff"
    assert "not valid Parquet" in message_of(lambda: open_source(written(tmp_path, text, "d.parquet")))
    message = message_of(lambda: open_source(written(tmp_path, '{"a": 1}\n{"a": "secret\n', "d.ndjson")))
    assert "not valid JSON" in message and "near line" in message and "secret" not in message


def test_bad_queries():
    assert "nowhere" in message_of(lambda: open_source(Query("SELECT * FROM nowhere")))
    assert "must be a single SELECT" in message_of(lambda: open_source(Query("SELECT 1; SELECT 2")))
    assert "must be a single SELECT" in message_of(lambda: open_source(Query("CREATE TABLE t (a int)")))
    message = message_of(
        lambda: table_of(open_source(Query("SELECT CAST(x AS INT) AS a FROM (VALUES ('secret')) t(x)")))
    )
    assert "Conversion Error" in message and "secret" not in message


LARGER_THAN_MEMORY = """
import sys
from tests.data.encoded import encode
from workbench.data.reading.opening import open_source
read = encode(open_source(sys.argv[1], memory_limit="500MB"), ["age", "work", "place", "zip"])
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak // 1024, *(f"{len(codes)}:{column.size}:{column.counts.sum()}" for column, codes in read.values()))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_file_larger_than_the_memory_limit(tmp_path):
    path, records = tmp_path / "large.csv", 6_000_000
    duckdb.sql(
        f"COPY (SELECT range AS id, range % 90 AS age, 'workclass number ' || (hash(range) % 12) AS work, "
        f"'a rather long place name so that the file grows ' || (hash(range + 1) % 41) AS place, "
        f"'filler that nobody asks for' AS filler, 10000 + hash(range + 2) % 20000 AS zip FROM range({records})) "
        f"TO '{path}'"
    )
    assert path.stat().st_size > 650e6
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", LARGER_THAN_MEMORY, str(path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=120)
    peak, *columns = done.stdout.split()
    assert columns == [f"{records}:{size}:{records}" for size in (90, 12, 41, 20_000)]
    assert int(peak) < 650


def test_a_message_names_the_file_and_not_its_copy_in_another_encoding(tmp_path):
    path = written(tmp_path, "a,a\n1,2\n", encoding="utf-16")
    assert message_of(lambda: open_source(path)).startswith(f"{path}: columns 1 and 2 have the same name")
    path = written(tmp_path, '[{"a": 1}]', encoding="utf-16")
    assert message_of(lambda: open_source(path)).startswith(f"{path}: this is JSON")


def test_json_names_that_differ_only_in_case_are_renamed_with_a_note(tmp_path):
    path = tmp_path / "d.ndjson"
    path.write_text('{"x": 1, "X": 2, "y_1": 3}\n{"x": 4, "X": 5, "y_1": 6}\n')
    source = open_source(path)
    assert source.names == ["x", "X_1", "y_1"]
    assert source.notes == ["X_1: 'X' in the file, which differs from 'x' only in case"]


# Types that Arrow supports and tables do not.


def test_nested_types_are_refused(tmp_path):
    nested = pa.table({"a": [1], "deep": [[1, 2]]})
    pq.write_table(nested, tmp_path / "d.parquet")
    ndjson = written(tmp_path, '{"a": 1, "deep": {"b": 1}}\n', "d.ndjson")
    frame = pd.DataFrame({"a": [1], "deep": [[1, 2]]})
    for data in (nested, tmp_path / "d.parquet", ndjson, frame, Query("SELECT 1 AS a, [1, 2] AS deep")):
        assert "column 'deep': nested values" in message_of(lambda data=data: table_of(open_source(data)))
        assert table_of(open_source(data), ["a"]) == {"a": [1]}


def test_mixed_types_in_a_frame():
    frame = pd.DataFrame({"a": pd.Series([1, 2, "secret", None], dtype=object)})
    message = message_of(lambda: table_of(open_source(frame)))
    assert "column 'a': values of different types, number (2) and str (1)" in message and "secret" not in message


def test_integers_beyond_64_bits_in_a_frame():
    frame = pd.DataFrame({"a": pd.Series([2**70, 1], dtype=object)})
    assert "column 'a': integers beyond 64 bits" in message_of(lambda: table_of(open_source(frame)))


@pytest.mark.parametrize(
    "values", [pd.to_timedelta([1, 2]), pd.Series([1j, 2j]), pd.period_range("2020", periods=2), [b"x", b"y"]]
)
def test_types_without_a_use(values):
    said = message_of(lambda: table_of(open_source(pd.DataFrame({"a": values}))))
    assert "column 'a': the " in said and "is not supported; convert it to numbers, dates or text" in said
    assert "<" not in said, "an extension type is reported by its name"


# Feather and ORC files.

FRAME = pd.DataFrame(
    {
        "age": range(500_000),
        "town": ["Ayr", None] * 250_000,
        "born": pd.to_datetime(["2024-01-02", "2023-01-02"] * 250_000),
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("name", ["d.feather", "d.arrow", "d.orc"])
def test_arrow_files_are_read(tmp_path, name, engine):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    orc.write_table(table, tmp_path / name) if name.endswith("orc") else feather.write_feather(table, tmp_path / name)
    found = Table.without_roles(tmp_path / name, engine=engine)
    assert found.records == 500_000 and found.columns["town"].missing == 250_000
    assert found.columns["born"].labels == ("2023-01-02", "2024-01-02")
    if engine is None:
        assert found.frame["age"].tolist() == FRAME["age"].tolist(), "in the order of the file"


def test_categories_are_text(tmp_path):
    feather.write_feather(pd.DataFrame({"town": pd.Categorical(["Ely", "Ayr"])}), tmp_path / "d.feather")
    assert Table.without_roles(tmp_path / "d.feather").columns["town"].labels == ("Ayr", "Ely")


@pytest.mark.parametrize(("name", "called"), [("d.feather", "Feather"), ("d.orc", "ORC")])
def test_other_files_are_refused(tmp_path, name, called):
    assert f"not a valid {called} file" in message_of(lambda: open_source(written(tmp_path, "a,b\n1,2\n", name)))
