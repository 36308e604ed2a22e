"""The facts of one release, as its card shows them."""

from dataclasses import replace

import pytest

from tests.methods.raking.tables import table as exchanging
from tests.methods.raking.tables import with_values
from widgets.release import facts
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Discernibility, PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian, RakedBuckets, Remove
from workbench.models import KAnonymity, TCloseness

MEASURES = [UtilityLoss(), PrivacyLoss(), Discernibility()]
POINT = Point(
    Recipe(Mondrian(), KAnonymity(3)), {"P_loss": 0.2, "DM": 10.0}, {"U_loss": "nobody asked"}, {"P_loss": "learnt"}
)


def test_what_is_learnt_and_what_is_lost_is_told_of_the_axes():
    told = facts.sentences(POINT, MEASURES, None)
    small = " Classes of fewer than 5 records are possible: its model allows them; combine it with k-anonymity."
    assert told == {"privacy": f"learnt{small}", "utility": "U_loss is undefined: nobody asked"}
    sized = replace(POINT, recipe=replace(POINT.recipe, model=KAnonymity(5)))
    assert facts.sentences(sized, MEASURES, None)["privacy"] == "learnt"
    assert facts.sentences(None, MEASURES, None) == {} and facts.figures(None, MEASURES, None) == []


def test_the_sample_that_loses_as_much_stands_beside_the_utility_loss(small):
    table = small(0)
    release = Mondrian()(table, KAnonymity(5))
    point = Point(POINT.recipe, {"U_loss": UtilityLoss()(release).value}, {}, {"U_loss": "lost."})
    told = facts.sentences(point, MEASURES, None, table)["utility"]
    assert told.startswith("lost. About large populations it is as accurate as a random ")
    assert "random" not in facts.sentences(POINT, MEASURES, None, table)["utility"]


def test_of_exchanged_values_it_is_told_how_often_a_guess_is_right():
    data, point = exchanging(records=300), replace(POINT, sentences={"P_loss": "learnt."})
    close = TCloseness(0.2, distance="js")
    told, plain = (
        facts.sentences(point, MEASURES, None, data, method(data, close))["privacy"]
        for method in (RakedBuckets(smallest=10), Mondrian())
    )
    truth = "Compared with the truth: an attacker guesses illness correctly for "
    assert told.startswith(f"learnt. These figures describe an attacker's beliefs. {truth}")
    assert plain.startswith("learnt. Classes of fewer than 5 records")


@pytest.mark.slow
def test_what_the_method_reports_about_the_release_is_on_its_card():
    data, close = with_values(139, 487, 21), TCloseness(0.2, distance="js")
    release = RakedBuckets()(data, close)
    shown = facts.card_content(POINT, release, MEASURES, None, data, {})
    assert shown["notices"] == [*release.about.notices] and "plain buckets" in shown["notices"][0]
    assert facts.card_content(None, None, MEASURES, None, None, {})["notices"] == []


def test_there_is_one_row_a_measure_privacy_first():
    rows = facts.figures(POINT, MEASURES, None)
    assert [row["key"] for row in rows] == ["P_loss", "U_loss", "DM"]
    assert [row["axis"] for row in rows] == [True, True, False]
    assert rows[1]["value"] is None and rows[1]["reason"] == "nobody asked"


def test_the_classes_are_counted(small):
    table = small(0)
    assert facts.describe_classes(Remove()(table)) == f"{table.records:,} records in one class"
    release = Mondrian()(table, KAnonymity(5))
    assert (
        f"in {len(release.classes):,} classes of" in facts.describe_classes(release)
        and facts.describe_classes(None) == ""
    )


def test_a_release_has_the_intervals_that_its_point_has_on_the_frontier():
    known = replace(POINT, values={**POINT.values, "U_loss": 0.05}, intervals={"P_loss": (0.15, 0.25)})
    frontier = Frontier([known], MEASURES)
    told = facts.card_content(known, None, MEASURES, frontier, None, {"P_loss": 0.22})
    assert told["figures"][0]["interval"] == " (0.15 to 0.25)"
    assert told["verdict"].endswith("An interval extends beyond a cap, so this is uncertain.")
    bare = replace(known, intervals={})
    assert facts.card_content(bare, None, MEASURES, frontier, None, {})["figures"] == told["figures"]
    assert facts.card_content(bare, None, MEASURES, None, None, {})["figures"][0]["interval"] == ""


def test_the_verdict_is_by_what_is_accepted_and_says_where_an_interval_leaves_it_open():
    point = Point(POINT.recipe, {"P_loss": 0.2, "U_loss": 0.05}, {}, {}, intervals={"U_loss": (0.03, 0.07)})

    def verdict(**caps):
        return facts.verdict(point, MEASURES, None, caps)

    assert verdict() == "" and verdict(DM=3) == "" and facts.verdict(None, MEASURES, None, {"P_loss": 1}) == ""
    assert verdict(P_loss=0.2) == f"Accepted: privacy loss 0.2 of at most 0.2 ({PrivacyLoss.unit})."
    assert verdict(P_loss=0.3, U_loss=0.04).startswith("Not accepted: ")
    assert verdict(U_loss=0.06).endswith("An interval extends beyond a cap, so this is uncertain.")
    assert "certain" not in verdict(U_loss=0.08) and verdict(U_loss=0.02).startswith("Not accepted")
    assert facts.verdict(POINT, MEASURES, None, {"U_loss": 1}) == ""
