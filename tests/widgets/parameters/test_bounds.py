"""Bounds are typed as text, written back as it reads, and refused at the field."""

import pytest

from tests.methods.noise.tables import table
from widgets.parameters.bounds import values, written
from widgets.parameters.draft import Draft
from workbench.base.errors import BadInput
from workbench.methods import Laplace


def test_what_is_typed_is_written_back_in_one_spelling():
    assert values("age:17 .. 99;wage: 0..50.0", Laplace, "bounds") == ["age: 17..99, wage: 0..50"]
    assert written(values("age:17 .. 99", Laplace, "bounds")) == "age: 17..99"
    assert values("  ", Laplace, "bounds") == [None] and written([None]) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [("age", "cannot be read"), ("age: 9..1", "must be below"), ("size: 1..2", "'size' is not a column")],
)
def test_what_is_wrong_is_said_without_the_method(text, says):
    with pytest.raises(BadInput, match=says) as wrong:
        values(text, Laplace, "bounds", table())
    assert not str(wrong.value).startswith("laplace")


def test_a_draft_has_a_field_for_them_that_keeps_what_was_typed_wrong():
    draft, given = Draft.from_settings(Laplace), table()
    draft.type("bounds", "age: 17..99", given)
    field = next(one for one in draft.view(given)["fields"] if one["name"] == "bounds")
    assert field["type"] == "columns" and field["text"] == "age: 17..99" and "17..99" in field["listed"]
    assert draft.to_dict() == {"name": "laplace", "epsilon": 1.0, "bounds": "age: 17..99"}
    with pytest.raises(BadInput):
        draft.type("bounds", "age: 99..17", given)
    draft.recheck(given)
    field = next(one for one in draft.view(given)["fields"] if one["name"] == "bounds")
    assert field["text"] == "age: 99..17" and field["problem"] and draft.values["bounds"] == ["age: 17..99"]
