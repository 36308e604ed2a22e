"""A draft of a variant: its last good values, and what was typed wrong."""

import pytest

from widgets.parameters.draft import Draft, label
from workbench.base.errors import BadInput
from workbench.methods import Mondrian, ThresholdClustering
from workbench.models import KAnonymity, TCloseness


def test_it_comes_back_from_the_data_of_a_study():
    draft = Draft.from_settings(KAnonymity, {"name": "k-anonymity", "k": [2, 5]})
    assert draft.to_dict() == {"name": "k-anonymity", "k": [2, 5]} and draft.count == 2


def test_what_is_typed_wrong_stays_beside_the_last_good_values():
    draft = Draft.from_settings(KAnonymity, {"k": 5})
    draft.type("k", "2, 3", None)
    with pytest.raises(BadInput):
        draft.type("k", "2, x", None)
    assert draft.values["k"] == [2, 3] and draft.wrong["k"][0] == "2, x"
    assert next(field for field in draft.view(None)["fields"] if field["name"] == "k")["text"] == "2, x"
    draft.type("k", "7", None)
    assert not draft.wrong and draft.values["k"] == [7]


def test_choices_are_chosen_by_their_places(small):
    draft = Draft.from_settings(TCloseness)
    options = draft.options("distance", small(0))
    draft.choose("distance", [options.index("js")], small(0))
    assert draft.values["distance"] == ["js"]
    for name, places in (("distance", []), ("t", [0]), ("nonsense", [0])):
        with pytest.raises(BadInput):
            draft.choose(name, places, small(0))


def test_columns_are_typed_in_their_order_and_written_as_a_study_does(small):
    draft = Draft.from_settings(Mondrian, {"split": "order", "order": ["sex", "age"]})
    assert draft.values["order"] == [("sex", "age")] and draft.count == 1
    assert draft.to_dict()["order"] == ["sex", "age"]
    field = next(one for one in draft.view(small(0))["fields"] if one["name"] == "order")
    assert field["type"] == "columns" and field["text"] == "sex, age" and "work" in field["options"]
    draft.type("order", "age; work, sex", small(0))
    assert draft.to_dict()["order"] == [["age"], ["work", "sex"]] and draft.count == 2
    assert Draft.from_settings(Mondrian, draft.to_dict()) == draft
    with pytest.raises(BadInput, match="'wrok' is not a column"):
        draft.type("order", "wrok", small(0))
    assert draft.wrong["order"][0] == "wrok" and draft.count == 2
    draft.type("order", "", small(0))
    assert "order" not in draft.to_dict() and not draft.wrong
    with pytest.raises(BadInput, match="order has a text field; type a value"):
        draft.choose("order", [0], small(0))


def test_what_another_table_does_not_allow_is_said(small):
    draft = Draft.from_settings(KAnonymity, {"k": 10_000})
    draft.recheck(None)
    assert not draft.wrong
    draft.recheck(small(0))
    assert "k" in draft.wrong and draft.values["k"] == [10_000]
    ordered = Draft.from_settings(Mondrian, {"split": "order", "order": ["zip"]})
    ordered.recheck(small(0))
    assert ordered.wrong["order"][0] == "zip" and "is not a column" in ordered.wrong["order"][1]


def test_choices_in_words():
    assert [label(one) for one in (True, False, None, "information_gain")] == ["yes", "no", "none", "information gain"]


def test_a_number_that_may_be_none_is_said_where_it_is_set():
    draft = Draft.from_settings(ThresholdClustering, {"name": "threshold clustering", "delta": None})
    field = next(one for one in draft.view(None)["fields"] if one["name"] == "delta")
    assert (field["type"], field["text"], field["values"], field["high"]) == ("numbers", "none", [None], 1)
    draft.type("delta", "none, 0.4", None)
    draft.type("size", "40", None)
    assert draft.to_dict()["delta"] == [None, 0.4] and draft.to_dict()["size"] == 40 and draft.count == 2
    draft.recheck(None)
    assert not draft.wrong
