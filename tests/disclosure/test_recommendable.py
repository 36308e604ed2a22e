"""Objections to a release, compared with naive counts in its file."""

import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.methods import Mondrian
from workbench.models import AlphaK, KAnonymity, ProbabilisticLDiversity, TCloseness

NEARLY = "the ill of some may be nearly certain because of the release (95 % or more, by rounded figures)"


def table_of(old: list[str], young: list[str]) -> Table:
    """Return a table of two groups of people by age."""
    ages = [60 + i // 2 % 2 for i in range(len(old))] + [20 + i // 2 % 2 for i in range(len(young))]
    return Table.from_frame(pd.DataFrame({"age": ages, "ill": old + young}), quasi=["age"], sensitive="ill")


def test_a_group_with_a_single_value_is_an_objection():
    table = table_of(["gout"] * 40, ["flu", "cold"] * 30)
    assert reasons_not_to_recommend(Mondrian()(table, KAnonymity(40)), 10) == [
        "the ill of about 40 of about 100 people can be inferred with certainty"
    ]


def test_a_group_with_a_nearly_certain_value_is_an_objection_unless_the_value_is_common():
    rare = table_of(["gout"] * 39 + ["flu"], ["flu", "cold"] * 30)
    assert reasons_not_to_recommend(Mondrian()(rare, KAnonymity(40)), 10) == [NEARLY]
    usual = table_of(["no"] * 39 + ["yes"], (["no"] * 9 + ["yes"]) * 6)
    assert reasons_not_to_recommend(Mondrian()(usual, KAnonymity(40)), 10) == []


def test_a_value_of_three_quarters_is_not_common_enough_to_be_nearly_certain():
    table = table_of(["yes"] * 39 + ["no"], ["yes", "yes", "yes", "no", "no"] * 12)
    assert reasons_not_to_recommend(Mondrian()(table, KAnonymity(40)), 10) == [NEARLY]


def test_the_guarantee_of_a_model_applies_to_small_groups():
    """30 of 40 people have the value, published as possibly all; t = .1 excludes near certainty."""
    table = table_of(["yes"] * 30 + ["no"] * 10, ["yes"] * 1500 + ["no"] * 500)
    release, nearly = Mondrian()(table, KAnonymity(40)), NEARLY.replace("some", "up to about 40 of about 2,040 people")
    assert reasons_not_to_recommend(release, 20) == [nearly]
    assert reasons_not_to_recommend(release, 20, KAnonymity(40) & TCloseness(0.1)) == []
    assert reasons_not_to_recommend(release, 20, TCloseness(0.5)) == [nearly]


@pytest.mark.parametrize("model", [ProbabilisticLDiversity(1.25), AlphaK(0.8)], ids=str)
def test_the_maximum_share_allowed_by_a_model_applies(model):
    table = table_of(["yes"] * 30 + ["no"] * 10, ["yes"] * 1500 + ["no"] * 500)
    release = Mondrian()(table, KAnonymity(40) & model)
    assert reasons_not_to_recommend(release, 20) and reasons_not_to_recommend(release, 20, model) == []


def test_a_group_of_fewer_than_five_is_an_objection():
    table = table_of(["gout", "flu"] * 2, ["flu", "cold"] * 30)
    assert reasons_not_to_recommend(Mondrian()(table, KAnonymity(4)), 10) == [
        "some people are in a group of fewer than 5"
    ]
    assert reasons_not_to_recommend(Mondrian()(table, KAnonymity(5)), 10) == []
