"""The decision under caps, compared with a naive search."""

import random
from dataclasses import replace

import pytest

from tests.frontier.points import Fake, P, U, baselines, frontier, point
from tests.planted import planted
from workbench.base.errors import BadInput
from workbench.data.settings import TableSettings
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.frontier import decision as module
from workbench.frontier.decision import decide, exceeded_caps, neighbors, reasons_against, require, why_none
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity

UNSAFE = ("some people are in a group of fewer than 5",)


def with_objections(found, *places):
    measured = [replace(one, against=UNSAFE) if i in places else one for i, one in enumerate(found.measured)]
    return replace(found, measured=measured)


def recommend_naively(found, cap):
    """Return the number of the recommended point by examining each point."""
    chosen = None
    for number, one in enumerate(found.measured, 1):
        if one.recipe.baseline or one.against or not one.values["P"] <= cap:
            continue
        if chosen is None or (one.values["U"], one.values["P"]) < (chosen[1]["U"], chosen[1]["P"]):
            chosen = number, one.values
    return chosen and chosen[0]


def test_the_minimum_loss_within_the_cap_is_recommended():
    found = frontier((1, 7), (4, 4), (6, 2), (8, 1))
    decision = decide(found, {"P": 6})
    assert (decision.recommended, decision.goal, decision.nearest) == (3, "U", None)
    assert decision.satisfying == (3, 2, 1) and decision.passed_over == () and decision.shown == 3
    assert decide(found, {"P": 6.01}).recommended == 3 and decide(found, {"P": 5.99}).recommended == 2


def test_decisions_on_random_frontiers_equal_the_naive_ones():
    drawn = random.Random(5)
    for _ in range(300):
        pairs = [(drawn.randint(0, 9), drawn.randint(0, 9)) for _ in range(drawn.randint(1, 9))]
        found = with_objections(frontier(*pairs), *(i for i in range(len(pairs)) if drawn.random() < 0.3))
        for cap in range(-1, 11):
            assert decide(found, {"P": cap}).recommended == recommend_naively(found, cap)


def test_ties_go_to_the_more_private_point_and_then_the_lower_number():
    assert decide(frontier((5, 2), (4, 2), (4, 2)), {"P": 9}).recommended == 2


def test_points_with_objections_are_passed_over_and_named():
    found = with_objections(frontier((1, 7), (4, 4), (6, 2)), 2)
    decision = decide(found, {"P": 9})
    assert decision.recommended == 2 and decision.passed_over == (3,)
    none = decide(with_objections(found, 0, 1, 2), {"P": 5})
    assert none.recommended is None and none.shown == 2 and none.nearest is None
    assert none.reason == (
        "none of the 2 candidates within the caps is recommended; number 2, k-anonymity, k = 3 (mondrian): "
        "some people are in a group of fewer than 5"
    )


def test_the_nearest_point_is_named_if_none_satisfies_the_cap():
    found = frontier((3, 7), (4, 4))
    decision = decide(found, {"P": 2})
    assert decision.recommended is None and decision.nearest == decision.shown == 1 and decision.satisfying == ()
    assert decision.reason == "no point has P at most 2; the lowest P is 3"
    with pytest.raises(BadInput, match=r"The nearest candidate is number 1, k-anonymity, k = 2 \(mondrian\): P 3$"):
        require(found, decision)
    both = decide(found, {"P": 3.5, "U": 5})  # one exceeds U by 2 of 3, the other P by half of 1
    assert both.nearest == 2 and "no point has P at most 3.5 and U at most 5" in why_none(found, both)


def test_the_nearest_point_has_the_figure_that_the_reason_names():
    """Regression: the reason named 0.000385, the smallest cap that admits the point, the next sentence 0.000384."""
    found = frontier((1 / 2604, 7), (4, 4))
    message = why_none(found, decide(found, {"P": 0.0001}))
    assert "the lowest P is 0.000385" in message and message.endswith("P 0.000385.")


def test_the_most_private_point_is_recommended_under_caps_on_utility_only():
    decision = decide(frontier((1, 7), (4, 4), (6, 2)), {"U": 4})
    assert decision.goal == "P" and decision.recommended == 2
    assert decide(frontier((1, 7), (4, 4), (6, 2)), {"U": 4, "P": 9}).recommended == 3


def test_the_knee_of_the_points_without_objections_is_suggested_without_caps():
    found = frontier((1, 7), (2, 3), (6, 2.5))
    assert decide(found).recommended == 2 and found.measured[1] is found.knee
    assert decide(with_objections(found, 1)).recommended == 3
    no_knee = Frontier([point(2, P=1, U=9), point(3, P=2, U=8), point(4, P=3, U=7)], [P, U])
    assert decide(no_knee).recommended == 2, "the middle of the frontier"
    assert decide(with_objections(no_knee, 0, 1, 2)).shown == 1, "the most private point"


def test_baselines_and_undefined_points_are_not_candidates():
    found = Frontier([point(2, P=1.0), *baselines()], [P, U])
    decision = decide(found, {"P": 5})
    assert decision.recommended is decision.nearest is decision.shown is None
    assert decision.reason == "no point except the baselines has a value on P and U"


def test_neighbors_on_the_frontier():
    found = frontier((1, 7), (4, 4), (5, 5), (6, 2))
    every = range(1, 5)
    assert neighbors(found, 2, every) == (1, 4) and neighbors(found, 3, every) == (2, 4)
    assert neighbors(found, 1, every) == (None, 2) and neighbors(found, 2, [2, 3]) == (None, None)


# The best point under caps, or the nearest one.


def test_the_best_point_under_caps():
    found = frontier((2, 4), (5, 1), (4, 4), (9, 1))
    assert found.best({"P": 4}) is found.measured[0]  # (4, 4) is as useful but less private
    assert found.best({P: 9}, minimise=U) is found.measured[1]
    assert found.best({"U": 4}, minimise="P") is found.measured[0]
    assert found.best() is found.measured[1]  # never a baseline, though keeping everything has the best U


def test_a_cap_is_a_minimum_if_higher_is_better():
    found = frontier((2, 4), (5, 1), measures=(Fake("P", "privacy", "higher", 10.0), U))
    assert found.best({"P": 3}) is found.measured[1]
    assert found.best(minimise="P") is found.measured[1]
    with pytest.raises(BadInput, match="no point has P at least 6; the highest P is 5"):
        found.best({"P": 6})


def test_the_error_of_caps_that_exclude_every_point_names_the_nearest_value():
    found = frontier((2, 4), (5, 1.23456))
    with pytest.raises(BadInput, match=r"no point has U at most 1; the lowest U is 1\.24"):
        found.best({"U": 1, "P": 5})
    assert found.best({"U": 1.24})
    together = (
        "no point has P at most 3 and U at most 2, though some have each; within the other caps the lowest P is 5, "
    )
    with pytest.raises(BadInput, match=together + "or within the other caps the lowest U is 4"):
        found.best({"P": 3, "U": 2})
    with pytest.raises(BadInput, match="cap on P is 'low'; use a number"):
        found.best({"P": "low"})
    with pytest.raises(BadInput, match="choose from P, U"):
        found.best(minimise="Q")
    with pytest.raises(BadInput, match="no point except the baselines has a value on P and U"):
        frontier().best({"P": 3})
    with pytest.raises(BadInput, match=r"^no point has a value on P and U"):
        frontier(ends=False).best({"P": 3})


# Objections to candidates are assessed once per threshold and wording, and then read from the store.

MEASURES = [PrivacyLoss(), UtilityLoss()]
RECIPES = [Recipe(Mondrian(), KAnonymity(k)) for k in (3, 40)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    study = planted(tmp_path_factory.mktemp("study"))
    return study.table(study.read())


@pytest.fixture
def assessments(monkeypatch):
    """Return a list that grows with each assessment of a release."""
    calls = []
    monkeypatch.setattr(
        module, "reasons_not_to_recommend", lambda *given: calls.append(given[1]) or reasons_not_to_recommend(*given)
    )
    return calls


def reasons(table, store=None, smallest=10):
    return [point.against for point in sweep(table, RECIPES, MEASURES, store, smallest=smallest).measured]


def test_objections_are_assessed_once_and_stored(table, tmp_path, assessments):
    first = reasons(table, tmp_path / "store")
    assert len(assessments) == 2 and first[0] and first[2:] == [(), ()], "baselines are not assessed"
    assert first == [*(tuple(reasons_not_to_recommend(one.release(table), 10, one.model)) for one in RECIPES), (), ()]
    assert reasons(table, tmp_path / "store") == first == reasons(table) and len(assessments) == 4, (
        "once more without a store"
    )


def test_another_threshold_or_wording_needs_a_new_assessment(table, tmp_path, assessments):
    store = Store(tmp_path / "store")
    reasons(table, store)
    reasons(table, store, smallest=20)
    assert assessments == [10, 10, 20, 20]
    renamed = replace(table, settings=TableSettings(wording=Wording({}, "patient", "patients")))
    assert any("patients" in text for text in reasons(renamed, store)[0]) and len(assessments) == 6
    assert reasons(table, store, smallest=20) == reasons(table, smallest=20)


def test_changed_objections_in_the_store_are_assessed_again(table, tmp_path, assessments):
    first = reasons(table, tmp_path / "store")
    for path in (tmp_path / "store").glob("*.against"):
        path.write_text("[]")
    assert reasons(table, tmp_path / "store") == first and len(assessments) == 4


def test_the_assessment_is_optional(table, assessments):
    found = sweep(table, RECIPES, MEASURES, smallest=None)
    assert not assessments and not any(point.against for point in found.measured)


def test_objections_to_a_named_recipe(table):
    release = RECIPES[0].release(table)
    assert reasons_against(RECIPES[0], release, 10) == reasons_not_to_recommend(release, 10, RECIPES[0].model)
    assert "a baseline" in reasons_against(Recipe(Keep()), Recipe(Keep()).release(table), 10)[0]


def test_caps_that_a_release_violates(table):
    release = RECIPES[0].release(table)
    risk = ReidentificationRisk()(release).value
    measures = [PrivacyLoss(), ReidentificationRisk()]
    assert exceeded_caps(release, measures, {"R_id": risk}, {}) == []
    (text,) = exceeded_caps(release, measures, {"R_id": 0.01, "P_loss": 99}, {"P_loss": 1.0})
    assert text.startswith("its R_id is ") and text.endswith(", above the cap of 0.01")
