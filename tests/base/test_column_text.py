"""Parsing and formatting of names and bounds of columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.column_text import format_bounds, format_names, parse_bounds, parse_names
from workbench.base.errors import BadInput


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


NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9, allow_nan=False)
NAMES = st.text("ab ,:;é_-1.", min_size=1, max_size=8).filter(lambda name: name == name.strip())


@given(st.dictionaries(NAMES, st.tuples(NUMBERS, NUMBERS).filter(lambda pair: pair[0] < pair[1]), min_size=1))
def test_printed_bounds_are_parsed_to_equal_ones(bounds):
    assert parse_bounds(format_bounds(parse_bounds(bounds))) == parse_bounds(bounds) == bounds


def test_variations_of_notation_are_accepted():
    assert (
        parse_bounds("age: 17..99, hours:0..80.5")
        == parse_bounds("age:17 .. 99; hours: 0..80.5")
        == parse_bounds({"age": [17, 99.0], "hours": (0, 80.5)})
    )
    assert parse_bounds('"a, b": -5..-1e-1') == {"a, b": (-5, -0.1)}
    assert format_bounds(parse_bounds({"age": (17.0, 99)})) == "age: 17..99"


@pytest.mark.parametrize(
    "given",
    ["", "age", "age: 17", "age: 17-99", "age: 99..17", "age: 1..1", "age: 1..2 hours: 1..2", "age: 1..2, age: 1..3",
     {}, {"age": 3}, {"age": (1, "2")}, {"age": (1, float("inf"))}, {"age": (True, 5)}, 17, ["age"]],
)  # fmt: skip
def test_invalid_bounds_are_refused_with_an_example(given):
    with pytest.raises(BadInput, match="bounds"):
        parse_bounds(given)
