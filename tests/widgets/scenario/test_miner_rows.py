"""Miners as boxes to tick."""

import pytest

from widgets.scenario.miner_rows import in_short, of_values, offers, rows, ticked
from workbench.base.errors import BadInput
from workbench.miners import Mean, NaiveBayes, OneRule, RandomForest
from workbench.miners.sets import miners, resolve_miners


def test_every_miner_has_a_box_and_those_of_numbers_where_they_can_be_asked():
    assert {one["name"] for one in rows("three", numbers=True)} == set(miners())
    few = rows("three", numbers=False)
    assert all(one["kind"] == "values" for one in few)
    assert [one["name"] for one in few if one["on"]] == ["decision tree", "naive bayes", "random forest"]
    assert (
        {one["name"] for one in offers(numbers=False)}
        == {"three", "categorical"}
        < set(one["name"] for one in offers(numbers=True))
    )


def test_one_with_settings_of_its_own_keeps_them():
    given = [RandomForest(trees=7), "naive bayes"]
    names = [one["name"] for one in rows(given, numbers=True) if one["on"]]
    assert set(resolve_miners(ticked(given, [*names, "one rule"]))) == {RandomForest(trees=7), NaiveBayes(), OneRule()}


def test_what_is_a_set_is_called_by_its_name():
    assert ticked("naive bayes", ["random forest", "naive bayes", "decision tree"]) == "three"
    assert in_short([OneRule()]) == (OneRule(),) and of_values("common") == "three"
    assert of_values([Mean()]) == (NaiveBayes(),)


@pytest.mark.parametrize("names", [[], None, ["nobody"], [3], "mean"])
def test_what_cannot_be_ticked_is_refused(names):
    with pytest.raises(BadInput):
        ticked("three", names)
