"""Column names are resolved as typed, and quoted where necessary."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.data.table import Table
from workbench.queries.column_names import column_named, name_text, no_column
from workbench.queries.tokens import tokens


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
