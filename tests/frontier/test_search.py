"""Searches: their results, their end and their notes."""

import math
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

import workbench
from tests.frontier.points import P, U
from tests.methods.raking.tables import table
from workbench.base import progress
from workbench.base.errors import BadInput
from workbench.base.parameters import parameter
from workbench.frontier.families import Family, FamilySearch, families_from_recipes
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.search import Budget, Deadline, find_widest_gap, search
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import AverageClassSize, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, Method, Mondrian, RakedBuckets
from workbench.models import KAnonymity, TCloseness

MEASURES = [PrivacyLoss(), UtilityLoss()]
CAP = {"P_loss": 0.05}
MEDIAN = "t-closeness, distance=js (mondrian)"


@pytest.fixture(scope="module")
def data():
    return table(1, records=500)


@dataclass(frozen=True)
class Slow(Method):
    """A slow method that keeps everything."""

    number: int = parameter(0, "tells one from another", low=0)
    name = "slow"

    def release(self, table, model, seed):
        for _ in range(1000):
            progress.checkpoint()
            time.sleep(0.01)
        return Keep().release(table, model, seed)


def list_points(found):
    return [(str(point.recipe), point.values) for point in found.measured]


@pytest.mark.slow
def test_the_search_reaches_the_cap_and_finds_the_best_family(data):
    found = search(data, MEASURES, CAP, "30 evaluations")
    best = found.best(CAP)
    assert isinstance(best.recipe.method, RakedBuckets) and best.values["P_loss"] <= 0.05
    alike = [p for p in found.measured if p.recipe.method == best.recipe.method]
    within, beyond = ([p.recipe.model.t for p in alike if (p.values["P_loss"] > 0.05) is out] for out in (False, True))
    assert max(within) < min(beyond) < 1.02 * max(within), "losses jump: every recipe between these two was tried"
    median = search(data, MEASURES, CAP, "15 evaluations", families=[MEDIAN])
    assert best.values["U_loss"] < median.best(CAP).values["U_loss"]
    assert all(isinstance(p.recipe.method, Mondrian) for p in median.measured if not p.recipe.baseline)


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_store(data, tmp_path):
    store = Store(tmp_path / "points")
    first, again, bare = (search(data, MEASURES, CAP, "14 evaluations", store=one) for one in (store, store, None))
    assert list_points(first) == list_points(again) == list_points(bare) and first.notes == again.notes == bare.notes
    assert len(store.keys()) == 14 == len(first.measured)
    assert [str(p.recipe) for p in first.measured[-2:]] == ["keep", "remove"]


@pytest.mark.slow
def test_notes_name_the_families_and_the_reason_for_stopping(data):
    found = search(data, MEASURES, CAP, "30 evaluations")
    assert found.notes[-1] == "It stopped after 30 evaluations: the budget of 30 evaluations is used."
    assert any("raked buckets" in note and "within the caps at best U_loss" in note for note in found.notes)
    assert any("abandoned: within the caps it loses at least about" in note for note in found.notes)
    few = search(data, MEASURES, CAP, "4 evaluations")
    assert any(note.endswith("more families were not tried.") for note in few.notes)
    whole = search(data, MEASURES, CAP, "500 evaluations", families=["l-diversity (mondrian)"])
    assert whole.notes[-1].endswith("nothing is left to try.") and len(whole.measured) < 500


@pytest.mark.slow
def test_the_search_fills_the_widest_gaps_without_caps(data):
    """Each of a hundred limits has a point near it if a recipe is near it.

    Raked buckets jump where plain ones take their place, so the limits are compared with a grid of the same recipes.
    """
    raked = ["t-closeness, distance=js (raked buckets)"]
    found = search(data, MEASURES, None, "40 evaluations", families=raked)
    private = found.efficient["P_loss"].to_numpy()
    recipes = [
        one.recipe(float(place)) for one in families_from_recipes(data, raked) for place in np.linspace(0, 1, 100)
    ]
    reached = np.append(private, sweep(data, recipes, MEASURES, baselines=False).efficient["P_loss"])
    limits = np.linspace(private.min(), private.max(), 100)
    below = np.array([reached[reached <= one].max() - private[private <= one].max() for one in limits]) / np.ptp(
        private
    )
    assert below.max() <= 0.15 and below.mean() <= 0.05
    few = search(data, MEASURES, None, "8 evaluations", families=raked)
    assert found.area < few.area
    assert found.complete


def test_a_search_under_a_cap_on_utility_improves_privacy(data):
    found = search(data, MEASURES, {"U_loss": 0.02}, "25 evaluations", families=[MEDIAN])
    best = found.best({"U_loss": 0.02}, minimise="P_loss")
    assert 0.017 <= best.values["U_loss"] <= 0.02
    assert best.values["P_loss"] == min(p.values["P_loss"] for p in found.measured if p.values["U_loss"] <= 0.02)


def test_a_search_under_two_caps_combines_models(data):
    measures = [*MEASURES, ReidentificationRisk()]
    caps = {"P_loss": 0.3, "R_id": 0.02}
    found = search(data, measures, caps, "40 evaluations", families=[MEDIAN, "k-anonymity (mondrian)"])
    joined = [p for p in found.measured if p.recipe.model and len(p.recipe.model.parts) == 2]
    assert joined and all({type(m) for m in p.recipe.model.parts} == {KAnonymity, TCloseness} for p in joined)
    best = found.best(caps)
    assert best.values["P_loss"] <= 0.3 and best.values["R_id"] <= 0.02


def test_a_family_without_a_release_is_dropped_with_its_reason():
    bare = table().with_roles(["age", "town"])
    found = search(bare, [ReidentificationRisk(), AverageClassSize()], {"R_id": 0.1}, "20 evaluations")
    assert found.best({"R_id": 0.1}).values["R_id"] <= 0.1
    assert any("abandoned: raked buckets need a sensitive column" in note for note in found.notes)


def test_a_cancelled_search_returns_its_points(data):
    cancel, found = threading.Event(), []
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    began = time.monotonic()
    result = search(
        data,
        MEASURES,
        CAP,
        600,
        families=[Recipe(Slow(), KAnonymity())],
        cancel=cancel,
        progress=lambda done, point: found.append((done, str(point.recipe))),
    )
    assert time.monotonic() - began < 5, "a release takes ten seconds"
    assert not result.complete and result.notes[-1].endswith("it was cancelled.")
    assert found == [(1, "keep"), (2, "remove")]


def test_the_time_limit_interrupts_a_release(data):
    began = time.monotonic()
    result = search(data, MEASURES, CAP, "0.5 s", families=[Recipe(Slow(), KAnonymity())])
    assert time.monotonic() - began < 5
    assert result.complete and result.notes[-1].endswith("the time limit is reached (about 1 s).")


def test_invalid_arguments_are_reported_before_any_work(data):
    for wrong in (
        lambda: search("table", MEASURES),
        lambda: search(data, PrivacyLoss()),
        lambda: search(data, MEASURES, families=[Recipe(Mondrian(), KAnonymity(5) & TCloseness(0.1))]),
        lambda: search(data, MEASURES, {"X": 1}),
        lambda: search(data, MEASURES, [0.1]),
        lambda: search(data, MEASURES, CAP, "soon"),
        lambda: search(data, [PrivacyLoss()], CAP),
        lambda: search(data, MEASURES, CAP, families=["k-anonimity (mondrian)"]),
    ):
        with pytest.raises(BadInput):
            wrong()
    assert workbench.search is search


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(30, 30), (2.5, 2.5), ("30", 30), ("30 s", 30), ("2 min", 120), ("1.5h", 5400), ("10sec", 10), ("5 minutes", 300)],
)
def test_durations_are_parsed(given, seconds):
    assert Budget.read(given) == Budget(seconds=seconds)


def test_numbers_of_evaluations_are_parsed():
    assert Budget.read("40 evaluations") == Budget(evaluations=40)
    assert (str(Budget.read("40 evaluations")), str(Budget.read("2 min"))) == ("40 evaluations", "about 2 min")
    assert math.isinf(Budget.read("1 evaluation").seconds)


@pytest.mark.parametrize("wrong", [0, -3, "", "long", "5 days", "2.5 evaluations", None, True, "nan", "-2 s"])
def test_invalid_budgets_are_refused(wrong):
    with pytest.raises(BadInput, match=r"budget = .*: use seconds"):
        Budget.read(wrong)


def test_a_deadline_is_set_on_timeout_or_cancellation():
    cancel = threading.Event()
    long, over = Deadline(1000, cancel), Deadline(0, cancel)
    assert (long.is_set(), over.is_set(), over.cancelled) == (False, True, False)
    cancel.set()
    assert long.is_set() and long.cancelled
    assert not Deadline(1000).is_set()


def family_search(losses, model=None):
    """Return the search of a family with these losses at these positions."""
    family = Family(Mondrian(), model or TCloseness(), table())
    points = {at: Point(family.recipe(at), {"P": p, "U": u}) for at, (p, u) in losses.items()}
    return FamilySearch(family, points)


def widest_gap(*searches):
    points = [point for one in searches for point in one.tried.values()]
    return find_widest_gap(Frontier(points, [P, U]), searches)


def test_the_widest_gap_is_halved_by_the_adjacent_family():
    one = family_search({0.2: (0.1, 0.9), 0.3: (0.2, 0.8), 0.7: (0.8, 0.1)})
    assert widest_gap(one) == (one, pytest.approx(0.5))


def test_the_next_gap_is_chosen_if_there_is_no_new_recipe():
    one = family_search({0.0: (0.1, 0.9), 0.001: (0.2, 0.3), 0.6: (0.9, 0.1)})
    assert widest_gap(one) == (one, pytest.approx(0.3005))


def test_a_point_next_to_another_family_is_left_to_that_family():
    near = family_search({0.2: (0.1, 0.9), 0.6: (0.15, 0.85)}, KAnonymity())
    far = family_search({0.3: (0.6, 0.2), 0.5: (0.65, 0.15)})
    assert widest_gap(near, far) == (near, 1.0), "the end of its range"
    near.tried[1.0] = Point(near.family.recipe(1.0), {"P": 0.9, "U": 0.05})
    found, place = widest_gap(near, far)
    assert found is near and place == pytest.approx(0.8)


def test_a_gap_is_measured_on_both_axes_and_similar_points_have_none():
    """The steep gap has the larger area, but half of the range of privacy would stay empty."""
    one = family_search({0.0: (0.0, 1.0), 0.2: (0.1, 0.6), 0.4: (0.2, 0.1), 0.8: (0.9, 0.05), 1.0: (1.0, 0.0)})
    assert widest_gap(one)[1] == pytest.approx(0.6)
    flat = family_search({0.0: (0.0, 1.0), 0.5: (0.999, 0.0), 1.0: (1.0, 0.0)})
    assert widest_gap(flat)[1] == pytest.approx(0.25)


def test_dominated_points_are_skipped_and_no_points_give_no_gap():
    one = family_search({0.2: (0.1, 0.9), 0.4: (0.85, 0.95), 0.8: (0.8, 0.1)})
    assert widest_gap(one)[1] == pytest.approx(0.3)
    assert find_widest_gap(Frontier([], [P, U]), []) is None
