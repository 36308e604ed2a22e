"""Two weights as one number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.parameters.draft import Draft
from widgets.parameters.shares import control_value, settings, share
from workbench.base.errors import BadInput
from workbench.frontier.recipe import combinations
from workbench.methods import ThresholdClustering
from workbench.models import KAnonymity


@given(st.integers(0, 1000))
def test_a_control_stands_where_it_was_put(thousandths):
    value = thousandths / 1000
    given = settings(ThresholdClustering, "protection", value)
    assert given["utility"] + given["protection"] == pytest.approx(1)
    assert control_value(ThresholdClustering(**given), "protection") == value


def test_weights_count_relative_to_each_other_and_other_parameters_are_themselves():
    assert control_value(ThresholdClustering(utility=1, protection=1), "protection") == 0.5
    assert (share(0.0, 1.0), share(0.2, 0.0), share(0.3, 0.9)) == (0, 1, 0.25)
    assert control_value(ThresholdClustering(r=0.7), "r") == 0.7
    assert settings(KAnonymity, "k", 7) == {"k": 7}


def test_one_field_stands_for_both_and_a_study_has_both():
    draft = Draft.from_settings(ThresholdClustering)
    fields = {one["name"]: one for one in draft.view(None)["fields"]}
    assert "utility" not in fields and fields["protection"]["between"] == ["utility", "protection"]
    assert (fields["protection"]["text"], fields["r"]["text"]) == ("0.5", "0.5")
    draft.type("protection", "0, 0.25, 1", None)
    assert draft.count == 3
    written = draft.to_dict()
    assert written == {
        "name": "threshold clustering", "utility": [1, 0.75, 0], "protection": [0, 0.25, 1], "r": 0.5
    }  # fmt: skip
    assert Draft.from_settings(ThresholdClustering, written) == draft
    made = combinations("method", written)
    assert [(one.utility, one.protection) for one in made] == [(1, 0), (0.75, 0.25), (0, 1)]
    with pytest.raises(BadInput):
        draft.type("protection", "0.5, 2", None)
    assert draft.count == 3 and draft.view(None)["fields"][0]["text"] == "0.5, 2"
    draft.recheck(None)
    assert "must be at most 1" in draft.wrong["protection"][1]


def test_one_weight_that_stays_beside_several_of_the_other():
    draft = Draft.from_settings(ThresholdClustering, {"utility": 0.5, "protection": [0, 0.5]})
    assert draft.count == 2 and draft.view(None)["fields"][0]["text"] == "0, 0.5"
