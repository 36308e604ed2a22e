"""The forms of the hierarchy editor: from a builder to a form and back, and what is wrong at its field."""

import numpy as np
import pytest

from widgets.hierarchies import forms
from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Groups, Intervals, Prefixes

AGES = np.arange(20, 60)
AGE = Column("age", "number", AGES, tuple(map(str, AGES.tolist())), np.ones(len(AGES), np.int64))
CODES = ("12099", "12345", "12346", "13000")
ZIP = Column("zip", "text", np.array(CODES, dtype=object), CODES, np.ones(4, np.int64))


@pytest.mark.parametrize(
    ("column", "builder"),
    [
        (AGE, Intervals(widths=(5, 10), origin=2)),
        (AGE, Intervals(cuts=((30, 40), (40,)))),
        (AGE, Intervals(quantiles=(4, 2))),
        (AGE, Intervals(widths=(5,), bottom=25, top=50)),
        (AGE, Intervals(top=50)),
        (ZIP, Prefixes((4, 2))),
    ],
)
def test_a_builder_comes_back_from_its_form(column, builder):
    tab = forms.tab_of(builder, column)
    form = forms.fill_form(tab, column, builder)
    assert forms.read_form(tab, form).to_dict() == builder.to_dict()
    assert forms.parse_form(tab, column, form) == form


@pytest.mark.parametrize(
    ("ends", "field", "said"),
    [
        ({"top": "x"}, "top", "'x' is not a number"),
        ({"bottom": "40", "top": "30"}, "top", "must be greater than the other end"),
        ({"top": "80"}, "top", "No value is 80 or more: this forms no groups"),
        ({"top": "20"}, "top", "Every value is 20 or more: no other group is left"),
        ({"bottom": "20"}, "bottom", "No value is below 20: this forms no groups"),
        ({"bottom": "60"}, "bottom", "Every value is below 60: no other group is left"),
    ],
)
def test_top_and_bottom_coding_says_what_it_cannot_do(ends, field, said):
    with pytest.raises(forms.AtField, match=said) as caught:
        forms.check(forms.read_form("intervals", {**forms.fill_form("intervals", AGE, None), **ends}), AGE)
    assert caught.value.field == field


def test_the_likeliest_form_comes_first_and_groups_can_always_be_made():
    assert forms.tabs(AGE)[0] == "intervals" and forms.tabs(ZIP)[0] == "groups"
    assert forms.tab_of(Groups(({"x": ["12099", "12345"]},)), ZIP) == "groups"


def test_what_is_wrong_is_said_of_its_field():
    with pytest.raises(forms.AtField) as caught:
        forms.read_form("intervals", {**forms.fill_form("intervals", AGE, None), "by": "widths", "widths": ["5", "x"]})
    assert caught.value.field == "widths-1"
    with pytest.raises(BadInput, match="came without its keep"):
        forms.parse_form("prefixes", ZIP, {"keep": 3})
