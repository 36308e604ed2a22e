"""Declared types of columns."""

import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.column_types import ColumnType, parse_type


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
