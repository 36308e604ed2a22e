"""Detection of encoding, delimiter, quotes and header."""

import codecs
import gzip

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.reading.files import message_of, read_csv, table_of, written
from workbench.base.errors import BadInput
from workbench.data.reading.csv_files import find_dialect, to_utf8
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_although_fields_contain_others(tmp_path, delimiter):
    others = {",": "1;5", ";": "1,5", "\t": "a,b;c", "|": "x,y"}[delimiter]
    lines = [["name", "amount"], ["ann", others], ["bob", others]]
    source = open_source(written(tmp_path, "\n".join(delimiter.join(line) for line in lines)))
    assert table_of(source) == {"name": ["ann", "bob"], "amount": [others, others]}
    assert f"delimiter {delimiter!r}, quote '\"'" in source.notes


@pytest.mark.parametrize("quote", ['"', "'"])
def test_quoted_fields_may_contain_delimiters_line_ends_and_quotes(tmp_path, quote):
    text = "a,b\n1,Qx,y\nzQ\n2,Qit QQ isQ\n3,\n".replace("Q", quote)
    assert read_csv(tmp_path, text) == {"a": ["1", "2", "3"], "b": ["x,y\nz", f"it {quote} is", ""]}


def test_apostrophes_are_not_quotes(tmp_path):
    assert read_csv(tmp_path, "a,b\n'tis,O'Hara\n5' 3,rock 'n\n") == {"a": ["'tis", "5' 3"], "b": ["O'Hara", "rock 'n"]}


def test_no_quote_and_given_delimiter(tmp_path):
    assert read_csv(tmp_path, 'a:b\n"x:y"\n', delimiter=":", quote="") == {"a": ['"x'], "b": ['y"']}


def test_header_over_two_lines(tmp_path):
    assert read_csv(tmp_path, '"a\nz",b\n1,2\n3,4\n') == {"a\nz": ["1", "3"], "b": ["2", "4"]}


def test_no_header(tmp_path):
    assert read_csv(tmp_path, "1,2\n3,4\n", header=False) == {"column 1": ["1", "3"], "column 2": ["2", "4"]}


def test_one_column(tmp_path):
    assert read_csv(tmp_path, "a\n1\n\n3\n") == {"a": ["1", "", "3"]}


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


def test_latin_1_is_read_with_a_note(tmp_path):
    source = open_source(written(tmp_path, "a,b\n1,x\n2,é\n", encoding="latin-1"))
    assert table_of(source)["b"] == ["x", "é"]
    assert source.notes[0].startswith("encoding latin-1: line 3 is not valid utf-8")


def test_encoding_given(tmp_path):
    assert table_of(open_source(written(tmp_path, "a,b\n1,€\n", encoding="cp1252"), encoding="cp1252"))["b"] == ["€"]
    assert table_of(open_source(written(tmp_path, "a,b\n1,é\n".encode("utf-16-le")), encoding="utf-16-le"))["b"] == [
        "é"
    ]


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\0\0", b"a,b\n1,\0\n", b"PK\x03\x04\xff\xfe", gzip.compress(b"a,b\n1,2\n", mtime=0)]
)
def test_binary(tmp_path, content):
    assert "not a text file" in message_of(lambda: open_source(written(tmp_path, content)))


def test_wrong_encoding(tmp_path):
    path = written(tmp_path, "a,b\n1,x\n2,é\n", encoding="latin-1")
    assert "line 3: not valid utf-8" in message_of(lambda: open_source(path, encoding="utf-8"))
    assert "encoding 'klingon' is unknown" in message_of(lambda: open_source(path, encoding="klingon"))
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


def test_delimiter_survives_ragged_and_long_files(tmp_path):
    path = written(tmp_path, "a;b;c\n" + "1;2,5;3\n" * 100_000 + "1;2\n")
    assert find_dialect(path, "utf-8").delimiter == ";"


def test_a_copy_in_another_encoding_does_not_fill_the_disk(tmp_path):
    """A small compressed file may contain any amount of text."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("ä,b\n".encode("latin-1") * 1_000_000))
    with pytest.raises(BadInput, match="not enough space for"):
        to_utf8(path, "latin-1", tmp_path / "utf-8.csv", 1_000_000)
    assert (tmp_path / "utf-8.csv").stat().st_size <= 1_000_000


@pytest.mark.parametrize("advice", [" ", ","])
def test_fields_separated_by_spaces_are_refused_with_advice_that_works(tmp_path, advice):
    path = tmp_path / "d.csv"
    path.write_text("age town\n" + "31 Ayr\n42 Ely\n" * 20)
    with pytest.raises(BadInput, match="separated by spaces; use delimiter=' ', or use delimiter=','") as caught:
        open_source(path)
    assert f"delimiter={advice!r}" in str(caught.value)
    assert open_source(path, delimiter=advice).names == (["age", "town"] if advice == " " else ["age town"])


def test_columns_aligned_by_spaces_are_reported(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("age   town\n" + "31    Ayr\n102   Ely\n" * 20)
    with pytest.raises(BadInput, match="aligned by spaces; separate them by commas"):
        open_source(path)
    path.write_text("note\n" + "a few words\nmore of them here\n" * 20)
    assert open_source(path).names == ["note"]


def test_values_in_single_quotes_keep_them(tmp_path):
    assert read_csv(tmp_path, "a,b\n'q',1\n'r',2\n") == {"a": ["'q'", "'r'"], "b": ["1", "2"]}
    assert read_csv(tmp_path, "'a','b'\n'q',1\n") == {"a": ["q"], "b": ["1"]}, "the names are quoted, too"
    assert read_csv(tmp_path, "a,b\n'q,r',1\n's, t',2\n") == {"a": ["q,r", "s, t"], "b": ["1", "2"]}, "and here"


# Scan of every byte: line endings, ragged lines, unclosed quotes.


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path, end):
    assert read_csv(tmp_path, end.join(["a,b", "1,2", "3,4", ""])) == {"a": ["1", "3"], "b": ["2", "4"]}


def test_blank_lines_before_header_and_between_records(tmp_path):
    assert read_csv(tmp_path, "\n\na,b\n1,2\n\n3,4\n\n") == {"a": ["1", "3"], "b": ["2", "4"]}


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


@pytest.mark.slow
def test_ragged_line_far_down_is_not_dropped(tmp_path):
    """The parallel reader of DuckDB 2.0 silently drops this line and the 1,000 lines after it."""
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
        assert "mixed line endings" in message and "secret" not in message
