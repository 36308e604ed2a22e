"""A scenario as the measures, axes and caps of a study, and back."""

from dataclasses import replace

import pytest

from tests.widgets.scenario.people import people
from widgets.scenario.uses import Scenario, percent, proposed, scenario_from_study
from workbench.base.errors import BadInput
from workbench.measures import AntiUtility, GoodUtility, PrivacyLoss

FIRST = Scenario(GoodUtility("ill", weights={"age >= 55": 10}), AntiUtility("age", miners="three", c=20), 0.05, 0.2)
OTHERS = ({"name": "privacy loss"}, {"name": "utility loss"})


def test_a_scenario_comes_back_from_the_study():
    study = FIRST.apply_to(OTHERS, ("P_loss", "U_loss"), {"P_loss": 0.3})
    assert study["axes"] == (FIRST.bad.key, FIRST.good.key) and study["measures"][:2] == OTHERS
    assert study["caps"] == {"P_loss": 0.3, FIRST.bad.key: 0.2, FIRST.good.key: 0.05}
    assert scenario_from_study(**study) == FIRST
    assert scenario_from_study(OTHERS, ("P_loss", "U_loss"), {}) is None


def test_the_next_scenario_takes_the_place_of_the_one_on_the_axes_alone():
    elsewhere = GoodUtility("wage", "mean", error="absolute")
    study = FIRST.apply_to([*OTHERS, elsewhere.to_dict()], ("P_loss", "U_loss"), {})
    after = replace(FIRST, good=GoodUtility("ill"), decline=None).apply_to(**study)
    names = [one["name"] for one in after["measures"]]
    assert names == ["privacy loss", "utility loss", "good utility", "anti-utility", "good utility"]
    assert after["caps"] == {FIRST.bad.key: 0.2} and scenario_from_study(**after).decline is None


def test_the_first_one_fits_the_table():
    found = proposed(people())
    assert found.good.target == "ill" and found.bad.target == ("age",)
    assert PrivacyLoss().key not in found.apply_to((), (), {})["axes"]


def test_shares_are_typed_in_per_cent():
    assert [percent(text, "share") for text in ("5", " 12.5 %", "", 0)] == [0.05, 0.125, None, 0]
    for wrong in ("x", "101", "-1", "nan"):
        with pytest.raises(BadInput, match="share: "):
            percent(wrong, "share")
