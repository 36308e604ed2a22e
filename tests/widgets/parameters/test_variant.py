"""A chosen variant: its last good values, and what was typed wrong."""

import pytest

from widgets.parameters.variant import Chosen, label
from workbench.base.errors import BadInput
from workbench.models import KAnonymity, TCloseness


def test_it_comes_back_from_the_data_of_a_study():
    chosen = Chosen.of(KAnonymity, {"name": "k-anonymity", "k": [2, 5]})
    assert chosen.to_dict() == {"name": "k-anonymity", "k": [2, 5]} and chosen.count == 2


def test_what_is_typed_wrong_stays_beside_the_last_good_values():
    chosen = Chosen.of(KAnonymity, {"k": 5})
    chosen.type("k", "2, 3", None)
    with pytest.raises(BadInput):
        chosen.type("k", "2, x", None)
    assert chosen.values["k"] == [2, 3] and chosen.wrong["k"][0] == "2, x"
    assert next(field for field in chosen.view(None)["fields"] if field["name"] == "k")["text"] == "2, x"
    chosen.type("k", "7", None)
    assert not chosen.wrong and chosen.values["k"] == [7]


def test_choices_are_chosen_by_their_places(small):
    chosen = Chosen.of(TCloseness)
    options = chosen.options("distance", small(0))
    chosen.choose("distance", [options.index("js")], small(0))
    assert chosen.values["distance"] == ["js"]
    for name, places in (("distance", []), ("t", [0]), ("nonsense", [0])):
        with pytest.raises(BadInput):
            chosen.choose(name, places, small(0))


def test_what_another_table_does_not_allow_is_said(small):
    chosen = Chosen.of(KAnonymity, {"k": 10_000})
    chosen.recheck(None)
    assert not chosen.wrong
    chosen.recheck(small(0))
    assert "k" in chosen.wrong and chosen.values["k"] == [10_000]


def test_choices_in_words():
    assert [label(one) for one in (True, False, None, "information_gain")] == ["yes", "no", "none", "information gain"]
