"""The words of a query and their places."""

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.data.table import Table
from workbench.queries.tokens import BadQuery, column_named, in_quotes, name_text, no_column, tokens


def kinds(text):
    return [(token.kind, token.said) for token in tokens(text)][:-1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("age>=40", [("name", "age"), ("sign", ">="), ("number", "40")]),
        ("marital-status a.b _x1 größe", [("name", n) for n in ("marital-status", "a.b", "_x1", "größe")]),
        ("'it''s' \"a\"\"b\"", [("text", "it's"), ("quoted", 'a"b')]),
        ("`c``d` [e]]f]", [("quoted name", "c`d"), ("quoted name", "e]f")]),
        ("-1.5e-3 +2 .5 7.", [("number", n) for n in ("-1.5e-3", "+2", ".5", "7.")]),
        ("2024-01-31 2024-01-31T10:00", [("date", "2024-01-31"), ("date", "2024-01-31T10:00")]),
        ("a--b\n/* c */d", [("name", "a"), ("name", "d")]),
        ("(*),;", [("sign", one) for one in "(*),;"]),
        ("a\u00a0<>\u3000b", [("name", "a"), ("sign", "<>"), ("name", "b")]),
        ("'\0\u202e'", [("text", "\0\u202e")]),
    ],
)
def test_words(text, found):
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("a 'b", 2, "quote"),
        ("a [b", 2, "bracket"),
        ("a /* b", 2, "comment"),
        ("a 4b", 2, "number"),
        ("a 1.2.3", 2, "number"),
        ("2024-01-01x", 0, "number"),
        ("1e1234", 0, "number"),
        ("a + b", 2, "'\\+'"),
        ("a\ufeff", 1, "U\\+FEFF ZERO WIDTH NO-BREAK SPACE"),
        ("x \udfff", 2, "U\\+DFFF"),
    ],
)
def test_invalid_tokens(text, position, reason):
    last = list(tokens(text))[-1]
    assert (last.kind, last.start, last.word) == ("wrong", position, "")
    with pytest.raises(BadQuery, match=reason):
        raise last.mistake("something else is expected")


@pytest.mark.slow
@given(st.text())
def test_places_and_blanks_make_up_the_text(text):
    found = list(tokens(text))
    assert found[-1].kind in ("end", "wrong") and all(token.kind not in ("end", "wrong") for token in found[:-1])
    for one, after in itertools.pairwise(found):
        assert one.start < one.end <= after.start
        between = text[one.end : after.start]
        assert between.strip() == "" or between.lstrip().startswith(("--", "/*"))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from("'\"`"))
def test_quotes_hold_any_text(text, quote):
    (token, _) = tokens(in_quotes(text, quote))
    assert token.said == text


def test_positions_have_lines_in_long_texts():
    assert str(BadQuery("no", "ab\ncd", 4)) == "line 2, column 2: no"
    assert str(BadQuery("no", "abcd\n", 4)) == "column 5: no"


# Column names are resolved as typed, and quoted where necessary.


def bare(*names):
    return Table.without_roles(pd.DataFrame({name: [1, 2] for name in names}))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("Age", "Age"),
        ("age", None),  # two are called so
        ("STRASSE", "straße"),
        ("cafe\u0301", "café"),
        ("zip", "ZIP"),
        ("ｚｉｐ", None),  # other letters, though they look alike
        ("zíp", None),
    ],
)
def test_names_are_found_ignoring_case(typed, found):
    assert column_named(typed, bare("Age", "AGE", "straße", "café", "ZIP")) == found


def test_the_message_has_the_nearest_name_and_the_look_alike_letter():
    table = bare("postcode", "größe")
    assert no_column("postkode", table) == "there is no column 'postkode'; did you mean 'postcode'?"
    assert "('о' is CYRILLIC SMALL LETTER O); did you mean 'postcode'?" in no_column("pоstcode", table)
    assert "is" not in no_column("größer", table).partition(";")[0].replace("there is", "")
    assert no_column("salary", table) == "there is no column 'salary', and the table has none with a similar name"
    assert len(no_column("x" * 1_000_000, table)) < 200


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_written_name_is_parsed_as_a_name(name):
    token, end = tokens(name_text(name))
    assert (token.kind in ("name", "quoted"), token.said, end.kind) == (True, name, "end")


@pytest.mark.parametrize("name", ["in", "NOT", "null", "count", "a b", "1a", 'x"y', ""])
def test_ambiguous_names_are_quoted(name):
    assert name_text(name).startswith('"')
