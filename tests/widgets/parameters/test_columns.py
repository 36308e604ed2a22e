"""Names of columns as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parameters import columns
from workbench.base.errors import BadInput
from workbench.methods import Mondrian, Remove

NAMES = st.text(st.characters(exclude_characters='"', exclude_categories=["C", "Z"]), min_size=1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [None]),
        (" ; ,", [None]),
        ("age", [("age",)]),
        ("age, sex", [("age", "sex")]),
        ("sex, age; age;sex,age", [("sex", "age"), ("age",)]),
        ('"town, code";age , "a;b"', [("town, code",), ("age", "a;b")]),
    ],
)
def test_names_stand_between_commas_and_choices_between_semicolons(text, found):
    assert columns.values(text, Remove, "columns") == found


@given(st.lists(st.lists(NAMES, min_size=1, unique=True).map(tuple), min_size=1, unique=True))
def test_what_is_written_is_read_back(choices):
    assert columns.values(columns.written(choices), Mondrian, "order") == choices


def test_a_column_that_is_not_there_is_said(small):
    with pytest.raises(BadInput, match=r"^order: 'agee' is not a column of the table; it has person, age"):
        columns.values("age, agee", Mondrian, "order", small(0))
