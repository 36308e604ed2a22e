"""Reading: every dialect as it was written, every bad input with one clear message."""

import codecs
import gzip
import os
import stat
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.dialect import find_dialect, to_utf8
from workbench.data.reading.source import Query, open_source


def table_of(source, columns=None):
    return pa.Table.from_batches(source.batches(columns or source.names)).to_pydict()


def written(folder, content, name="data.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def message_of(action):
    """The message of the BadInput, which hides no other exception (DuckDB's quote whole records)."""
    with pytest.raises(BadInput) as caught:
        action()
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    return str(caught.value)


def read_csv(folder, content, **options):
    return table_of(open_source(written(folder, content), **options))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found_beside_fields_that_hold_the_others(tmp_path, delimiter):
    others = {",": "1;5", ";": "1,5", "\t": "a,b;c", "|": "x,y"}[delimiter]
    lines = [["name", "amount"], ["ann", others], ["bob", others]]
    source = open_source(written(tmp_path, "\n".join(delimiter.join(line) for line in lines)))
    assert table_of(source) == {"name": ["ann", "bob"], "amount": [others, others]}
    assert f"delimiter {delimiter!r}, quote '\"'" in source.notes


@pytest.mark.parametrize("quote", ['"', "'"])
def test_quotes_hold_delimiters_line_ends_and_themselves(tmp_path, quote):
    text = "a,b\n1,Qx,y\nzQ\n2,Qit QQ isQ\n3,\n".replace("Q", quote)
    assert read_csv(tmp_path, text) == {"a": ["1", "2", "3"], "b": ["x,y\nz", f"it {quote} is", ""]}


def test_apostrophes_are_no_quotes(tmp_path):
    assert read_csv(tmp_path, "a,b\n'tis,O'Hara\n5' 3,rock 'n\n") == {"a": ["'tis", "5' 3"], "b": ["O'Hara", "rock 'n"]}


def test_no_quote_and_given_delimiter(tmp_path):
    assert read_csv(tmp_path, 'a:b\n"x:y"\n', delimiter=":", quote="") == {"a": ['"x'], "b": ['y"']}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path, end):
    assert read_csv(tmp_path, end.join(["a,b", "1,2", "3,4", ""])) == {"a": ["1", "3"], "b": ["2", "4"]}


def test_blank_lines_before_header_and_between_records(tmp_path):
    assert read_csv(tmp_path, "\n\na,b\n1,2\n\n3,4\n\n") == {"a": ["1", "3"], "b": ["2", "4"]}


def test_header_over_two_lines(tmp_path):
    assert read_csv(tmp_path, '"a\nz",b\n1,2\n3,4\n') == {"a\nz": ["1", "3"], "b": ["2", "4"]}


def test_no_header(tmp_path):
    assert read_csv(tmp_path, "1,2\n3,4\n", header=False) == {"column 1": ["1", "3"], "column 2": ["2", "4"]}


def test_one_column(tmp_path):
    assert read_csv(tmp_path, "a\n1\n\n3\n") == {"a": ["1", "", "3"]}


@pytest.mark.parametrize("name", ["data.csv.gz", "data.tsv.gz", "data.tsv", "data.txt"])
def test_extensions(tmp_path, name):
    content = (b"a\tb\n1\t2\n") if "tsv" in name else b"a,b\n1,2\n"
    path = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert table_of(open_source(path)) == {"a": ["1"], "b": ["2"]}


def test_format_overrides_the_extension(tmp_path):
    assert table_of(open_source(written(tmp_path, "a,b\n1,2\n", "data.dat"), format="csv")) == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (codecs.BOM_UTF8 + "a,ß\né,€😀\n".encode(), "utf-8"),
        ("a,ß\né,€😀\n".encode("utf-16"), "utf-16"),
        (codecs.BOM_UTF16_BE + "a,ß\né,€😀\n".encode("utf-16-be"), "utf-16"),
        ("a,ß\né,€😀\n".encode("utf-32"), "utf-32"),
        ("a,ß\né,€😀\n".encode(), "utf-8"),
    ],
)
def test_encodings_with_a_mark(tmp_path, content, encoding):
    source = open_source(written(tmp_path, content))
    assert table_of(source) == {"a": ["é"], "ß": ["€😀"]}
    assert source.notes[0] == f"encoding {encoding}"


def test_latin_1_is_read_and_said(tmp_path):
    source = open_source(written(tmp_path, "a,b\n1,x\n2,é\n", encoding="latin-1"))
    assert table_of(source)["b"] == ["x", "é"]
    assert source.notes[0].startswith("encoding latin-1: line 3 is not valid utf-8")


def test_encoding_given(tmp_path):
    assert table_of(open_source(written(tmp_path, "a,b\n1,€\n", encoding="cp1252"), encoding="cp1252"))["b"] == ["€"]
    assert table_of(open_source(written(tmp_path, "a,b\n1,é\n".encode("utf-16-le")), encoding="utf-16-le"))["b"] == [
        "é"
    ]


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


def test_anything_that_speaks_arrow():
    assert table_of(open_source(duckdb.sql("SELECT 1 AS a"))) == {"a": [1]}


def test_temporary_files_are_private_and_go_away(tmp_path):
    source = open_source(written(tmp_path, "a\né\n", encoding="utf-16"), temp_directory=tmp_path, memory_limit="1GB")
    (folder,) = [p for p in tmp_path.iterdir() if p.is_dir()]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert table_of(source) == {"a": ["é"]}
    source.close()
    assert not folder.exists()
    source = open_source(written(tmp_path, "a\n1\n"), temp_directory=tmp_path)
    del source
    assert not [p for p in tmp_path.iterdir() if p.is_dir()]


def test_nothing_is_fetched():
    source = open_source(pd.DataFrame({"a": [1]}))
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions", "python_enable_replacements"):
        value = source._connection.sql(f"SELECT current_setting('{setting}')").fetchall()
        assert value == [(False,)]


# Bad input: one message each.


def test_missing_file(tmp_path):
    assert message_of(lambda: open_source(tmp_path / "no.csv")).endswith("no.csv: there is no such file")


def test_folder(tmp_path):
    assert "this is a folder" in message_of(lambda: open_source(tmp_path))


def test_unknown_extension(tmp_path):
    assert "the extension '.xlsx' is not known" in message_of(lambda: open_source(written(tmp_path, "x", "d.xlsx")))
    assert "format 'excel' is not known" in message_of(lambda: open_source(written(tmp_path, "x"), format="excel"))


@pytest.mark.parametrize("name", ["d.csv", "d.parquet", "d.ndjson", "d.csv.gz"])
def test_empty_file(tmp_path, name):
    content = gzip.compress(b"") if name.endswith("gz") else b""
    assert "the file is empty" in message_of(lambda: open_source(written(tmp_path, content, name)))


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


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ("a,b\n1,2\n4,5,secret\n1,2\n", 3, 3),
        ("a,b\n1,2\n\nsecret\n1,2\n", 4, 1),
        ('a,b\n1,"x\ny\nz"\n4,5,secret\n', 5, 3),
        ('"a\nz",b\n1,secret,3\n', 3, 3),
    ],
    ids=["more", "fewer", "after lines in quotes", "after a header of two lines"],
)
def test_ragged(tmp_path, content, line, found):
    message = message_of(lambda: read_csv(tmp_path, content))
    assert f"line {line}: {found} fields where there should be 2" in message and "secret" not in message


def test_ragged_line_far_down_is_not_dropped(tmp_path):
    """The parallel reader of DuckDB 2.0 drops this line and the 1,000 after it, and says nothing."""
    path = tmp_path / "late.csv"
    path.write_text("a,b\n" + "123456789,abcdefghij\n" * 4_000_000 + "1,2,3\n" + "5,5\n" * 1000)
    assert "line 4000002: 3 fields" in message_of(lambda: [0 for _ in open_source(path).batches(["a"])])


def test_quotes_out_of_place(tmp_path):
    for content, problem in (('1,"secret', "a quote is not closed"), ('1,"x"secret', "text follows a closing quote")):
        for end in ("", "\n", "\n3,4\n"):  # DuckDB in order drops the first kind and says nothing
            message = message_of(lambda text=content + end: read_csv(tmp_path, "a,b\n1,2\n" + text))
            assert f"line 3: {problem}" in message and "secret" not in message


def test_mixed_line_ends(tmp_path):
    assert read_csv(tmp_path, "a,b\r\n1,x\n2,3\r\n") == {"a": ["1", "2"], "b": ["x", "3"]}
    for text in ("a,b\r\n1,secret\r2,3\r\n", "a,b\r1,secret\r\n2,3", "a,b\r\n1,secret\r\n2,3\r"):
        message = message_of(lambda text=text: read_csv(tmp_path, text))
        assert "its lines end in several ways" in message and "secret" not in message


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\0\0", b"a,b\n1,\0\n", b"PK\x03\x04\xff\xfe", gzip.compress(b"a,b\n1,2\n", mtime=0)]
)
def test_binary(tmp_path, content):
    assert "not a text file" in message_of(lambda: open_source(written(tmp_path, content)))


def test_not_gzip(tmp_path):
    assert "not a valid gzip file" in message_of(lambda: open_source(written(tmp_path, "a,b\n1,2\n", "d.csv.gz")))
    cut = gzip.compress(b"a,b\n" + os.urandom(100_000).hex().encode())[:-5000]
    assert "damaged or cut off" in message_of(lambda: open_source(written(tmp_path, cut, "d.csv.gz")))


def test_wrong_encoding(tmp_path):
    path = written(tmp_path, "a,b\n1,x\n2,é\n", encoding="latin-1")
    assert "line 3: not valid utf-8" in message_of(lambda: open_source(path, encoding="utf-8"))
    assert "encoding 'klingon' is not known" in message_of(lambda: open_source(path, encoding="klingon"))
    broken = codecs.BOM_UTF16_LE + "a,b\n".encode("utf-16-le") + b"\x00\xd8\x00\xd8"
    assert "not valid utf-16" in message_of(lambda: open_source(written(tmp_path, broken)))


def test_duplicate_names(tmp_path):
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 3, names=["a", "b", "a"]), tmp_path / "d.parquet")
    csv, query = written(tmp_path, "a,b, a\n1,2,3\n"), Query("SELECT 1 AS a, 2 AS b, 3 AS a")
    for data in (frame, csv, query, tmp_path / "d.parquet"):
        assert message_of(lambda data=data: open_source(data)).partition(
            "columns 1 and 3 have the same name; rename all but one"
        )[1]


def test_unknown_column(tmp_path):
    assert "there is no column 'c'; it has 2 columns, none of a like name" in message_of(
        lambda: table_of(open_source(written(tmp_path, "a,b\n1,2\n")), ["c"])
    )


def test_nested(tmp_path):
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


def test_mixed_types_in_json(tmp_path):
    path = written(tmp_path, '{"a": 1}\n{"a": "secret"}\n', "d.ndjson")
    message = message_of(lambda: table_of(open_source(path)))
    assert "column 'a': values of different types" in message and "secret" not in message


def test_integers_beyond_64_bits_in_a_frame():
    frame = pd.DataFrame({"a": pd.Series([2**70, 1], dtype=object)})
    assert "column 'a': integers beyond 64 bits" in message_of(lambda: table_of(open_source(frame)))


@pytest.mark.parametrize(
    "values", [pd.to_timedelta([1, 2]), pd.Series([1j, 2j]), pd.period_range("2020", periods=2), [b"x", b"y"]]
)
def test_types_without_a_use(values):
    assert "column 'a': values of type" in message_of(lambda: table_of(open_source(pd.DataFrame({"a": values}))))


def test_broken_files(tmp_path):
    text = "secret stuff"
    assert "not valid Parquet" in message_of(lambda: open_source(written(tmp_path, text, "d.parquet")))
    message = message_of(lambda: open_source(written(tmp_path, '{"a": 1}\n{"a": "secret\n', "d.ndjson")))
    assert "not valid JSON" in message and "near line" in message and "secret" not in message


def test_bad_queries():
    assert "nowhere" in message_of(lambda: open_source(Query("SELECT * FROM nowhere")))
    assert "must be one SELECT" in message_of(lambda: open_source(Query("SELECT 1; SELECT 2")))
    assert "must be one SELECT" in message_of(lambda: open_source(Query("CREATE TABLE t (a int)")))
    message = message_of(
        lambda: table_of(open_source(Query("SELECT CAST(x AS INT) AS a FROM (VALUES ('secret')) t(x)")))
    )
    assert "Conversion Error" in message and "secret" not in message


def test_bad_settings(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    assert "memory_limit 'much'" in message_of(lambda: open_source(path, memory_limit="much"))
    assert "is no folder" in message_of(lambda: open_source(path, temp_directory=tmp_path / "no"))
    assert "delimiter='::' must be one character" in message_of(lambda: open_source(path, delimiter="::"))
    assert "not from list" in message_of(lambda: open_source([1, 2]))


def test_memory_limit_too_small():
    query = Query("SELECT DISTINCT hash(range) AS a, hash(range + 1) AS b FROM range(3000000)")
    source = open_source(query, memory_limit="10MB")
    source._connection.execute("SET temp_directory = ''")
    assert "raise memory_limit" in message_of(lambda: table_of(source))


def test_delimiter_survives_ragged_and_long_files(tmp_path):
    path = written(tmp_path, "a;b;c\n" + "1;2,5;3\n" * 100_000 + "1;2\n")
    assert find_dialect(path, "utf-8").delimiter == ";"


LARGER_THAN_MEMORY = """
import sys
from tests.data.encoded import encode
from workbench.data.reading.source import open_source
read = encode(open_source(sys.argv[1], memory_limit="1GB"), ["age", "work", "place", "zip"])
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak // 1024, *(f"{len(codes)}:{column.size}:{column.counts.sum()}" for column, codes in read.values()))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_file_larger_than_the_memory_limit(tmp_path):
    path, records = tmp_path / "large.csv", 12_000_000
    duckdb.sql(
        f"COPY (SELECT range AS id, range % 90 AS age, 'workclass number ' || (hash(range) % 12) AS work, "
        f"'a rather long place name so that the file grows ' || (hash(range + 1) % 41) AS place, "
        f"'filler that nobody asks for' AS filler, 10000 + hash(range + 2) % 20000 AS zip FROM range({records})) "
        f"TO '{path}'"
    )
    assert path.stat().st_size > 1.3e9
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", LARGER_THAN_MEMORY, str(path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=120)
    peak, *columns = done.stdout.split()
    assert columns == [f"{records}:{size}:{records}" for size in (90, 12, 41, 20_000)]
    assert int(peak) < 1_000


def test_a_copy_in_another_encoding_does_not_fill_the_disk(tmp_path):
    """A small packed file may hold any amount of text."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("ä,b\n".encode("latin-1") * 1_000_000))
    with pytest.raises(BadInput, match="does not fit on the disk"):
        to_utf8(path, "latin-1", tmp_path / "utf-8.csv", 1_000_000)
    assert (tmp_path / "utf-8.csv").stat().st_size <= 1_000_000


def test_a_message_names_the_file_and_not_its_copy_in_another_encoding(tmp_path):
    path = written(tmp_path, "a,a\n1,2\n", encoding="utf-16")
    assert message_of(lambda: open_source(path)).startswith(f"{path}: columns 1 and 2 have the same name")
    path = written(tmp_path, '[{"a": 1}]', encoding="utf-16")
    assert message_of(lambda: open_source(path)).startswith(f"{path}: this is JSON")
