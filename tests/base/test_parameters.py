"""Kinds of parameters: which values they accept, and in which spelling they keep them."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.base.parameters import Choice, Column, ColumnBounds, Columns, Number, Parameter, parameter
from workbench.data.table import Table

TABLE = Table.from_frame(pd.DataFrame({"age": [1, 2], "ill": ["a", "b"]}), ["age"], "ill")


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Number(help="", type=float, low=0, high=1), "x", "must be a number"),
        (Number(help="", type=float, low=0, high=1), True, "must be a number"),
        (Number(help="", type=float, low=0, high=1), 1.5, "must be at most 1"),
        (Number(help="", type=float, low=0, above=True), 0, "must be above 0"),
        (Number(help="", type=int, low=2), 2.5, "must be a whole number"),
        (Number(help="", type=int, low=2), 1, "must be at least 2"),
        (Choice(help="", choices=("a", "b")), "c", "is not one of 'a', 'b'"),
        (Column(help=""), 3, "must be the name of a column"),
        (Column(help=""), "town", "is not a column of the table"),
        (Columns(help=""), [], "name one column or several"),
        (Columns(help=""), ["age", "town"], "'town' is not a column of the table"),
        (ColumnBounds(help=""), "town: 0..1", "'town' is not a column of the table"),
    ],
)
def test_values_that_are_not_allowed_are_refused(kind, value, message):
    with pytest.raises(BadInput, match=f"^method: x.*{message}"):
        kind.check("method: x", value, TABLE)


def test_values_have_one_spelling():
    assert repr(Number(help="", type=int).normalize(10.0)) == "10"
    assert Choice(help="", choices=(1, 2)).normalize(True) == 1
    assert Columns(help="").normalize(["age", "ill", "age"]) == ("age", "ill")
    assert ColumnBounds(help="").normalize({"age": (0, 9)}) == "age: 0..9"


@pytest.mark.parametrize(
    ("default", "declared", "kind"),
    [
        (1, {}, Number),
        (None, {"type": float}, Number),
        ("a", {"choices": ("a", "b")}, Choice),
        (None, {}, Parameter),
        (None, {"kind": Column}, Column),
    ],
)
def test_the_kind_follows_from_the_declaration(default, declared, kind):
    assert type(parameter(default, "help", **declared).metadata["parameter"]) is kind
