"""Parsing and quoting of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.names import format_names, parse_names


@pytest.mark.parametrize(
    "text, names",
    [
        ("state, zip", ("state", "zip")),
        (' zip code ,"a, b",, age', ("zip code", "a, b", "age")),
        ('"said ""no"", twice"', ('said "no", twice',)),
        ("", ()),
    ],
)
def test_names_are_separated_by_commas(text, names):
    assert parse_names(text) == names


@pytest.mark.parametrize(
    "names, text",
    [(("state", "zip"), "state, zip"), (("a, b", "c;d", " e"), '"a, b", "c;d", " e"'), (('5" disk',), '"5"" disk"')],
)
def test_only_ambiguous_names_are_quoted(names, text):
    assert format_names(names) == text


@given(st.lists(st.text('ab "(,;', min_size=1), min_size=1, max_size=3))
def test_printed_names_are_parsed_back(names):
    assert parse_names(format_names(names)) == tuple(names)
