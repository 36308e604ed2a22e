"""Scan of every byte: line endings, ragged lines, unclosed quotes."""

import pytest

from tests.data.reading.files import message_of, read_csv
from workbench.data.reading.opening import open_source


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
