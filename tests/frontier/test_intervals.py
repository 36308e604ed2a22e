"""Intervals cover the figures of other samples and seeds, and are as wide as chance makes them."""

import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table
from workbench.base.errors import BadInput
from workbench.base.result_cache import ResultCache
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.intervals import describe_intervals, describe_sample, with_intervals
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import Achieved, AverageClassSize, PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.models import KAnonymity, TCloseness

MEASURES = [PrivacyLoss(), UtilityLoss()]


def test_intervals_over_records_have_the_width_of_a_difference_of_shares():
    """Half of 1,000 women and a fifth of 1,000 men have flu, and the loss is half the difference. Another sample
    differs from this one by the square root of 2 times the deviation of one."""
    rng, records = np.random.default_rng(1), 2000
    sex = np.repeat(["f", "m"], records // 2)
    flu = rng.permuted(np.repeat([[1, 0], [1, 0]], [500, 500], axis=1), axis=1).ravel() * (
        (sex == "f") | (rng.random(records) < 0.4)
    )
    frame = pd.DataFrame({"sex": sex, "ill": np.where(flu, "flu", "none")})
    given = Table.from_frame(frame, ["sex"], "ill")
    measures = [PrivacyLoss(distance="variation"), UtilityLoss()]
    swept = sweep(given, [Recipe(Mondrian(), KAnonymity(500))], measures, baselines=False)
    (point,), key = with_intervals(given, swept, times=100).measured, measures[0].key
    women, men = (flu[sex == one].mean() for one in ("f", "m"))
    assert point.values[key] == pytest.approx((women - men) / 2)
    deviation = np.sqrt((women * (1 - women) + men * (1 - men)) / 1000) / 2
    assert np.ptp(point.intervals[key]) == pytest.approx(2 * 1.96 * np.sqrt(2) * deviation, rel=0.3)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "records"), [(10, 1000), (100, 1500), (400, 1000)])
def test_intervals_of_worst_case_figures_cover_fresh_samples(k, records):
    """The bootstrap alone covers too few: repeated records form classes of their own."""
    recipe, measures = [Recipe(Mondrian(), KAnonymity(k))], [PrivacyLoss(), Achieved(model="t-closeness")]
    fresh = [
        sweep(table(1000 + seed, records=records), recipe, measures, baselines=False).measured[0].values
        for seed in range(30)
    ]
    covered = {measure.key: [] for measure in measures}
    for seed in range(6):
        given = table(seed, records=records)
        (point,) = with_intervals(given, sweep(given, recipe, measures, baselines=False)).measured
        for key, (low, high) in point.intervals.items():
            assert low <= point.values[key] <= high
            covered[key].append(np.mean([low <= values[key] <= high for values in fresh]))
    for shares in covered.values():
        assert len(shares) >= 5 and np.mean(shares) >= (0.85 if k < 400 else 0.7), "at 400 the bootstrap is used"


def test_a_worst_case_figure_that_differs_in_half_samples_has_no_interval():
    """The 12 people of one town are ill; half of them are too few for a class, so the loss disappears."""
    frame = pd.DataFrame({"town": ["Ash"] * 12 + ["Bow"] * 400})
    frame["ill"] = np.where(frame["town"] == "Ash", "yes", "no")
    given = Table.from_frame(frame, ["town"], "ill")
    swept = sweep(given, [Recipe(Mondrian(), KAnonymity(12))], [PrivacyLoss(), UtilityLoss(min_support=0.02)])
    found = with_intervals(given, swept, times=6)
    assert swept.measured[0].values["P_loss"] > 0.5 and "P_loss" not in found.measured[0].intervals
    assert "worst-case" in describe_intervals("records") and "worst-case" not in describe_intervals("seeds")


def test_the_figures_of_a_sample_name_its_population():
    given = table()
    said = describe_sample(given.sample(100))
    assert (
        f"a random sample of 100 of {given.records:,} records" in said
        and "estimate the figures of a release of all records" in said
    )
    assert describe_sample(given) == ""


@pytest.fixture(scope="module")
def swept():
    given = table()
    recipes = [
        Recipe(Mondrian(), KAnonymity(50)),
        Recipe(RakedBuckets(smallest=10), TCloseness(0.1, distance="js")),
        Recipe(RakedBuckets(smallest=10, rho=1.0), TCloseness(0.1, distance="js")),
    ]
    return given, sweep(given, recipes, MEASURES)


def test_figures_that_do_not_depend_on_the_seed_have_no_interval_over_seeds(swept):
    given, frontier = swept
    found = with_intervals(given, frontier, "seeds", times=6)
    mondrian, _, noisy, *baselines = found.measured
    assert not mondrian.intervals and not any(one.intervals for one in baselines)
    low, high = noisy.intervals["U_loss"]
    assert low <= noisy.values["U_loss"] <= high and low < high, "each run draws again"
    assert [point.values for point in found.measured] == [point.values for point in frontier.measured]
    assert (found.points["U_loss low"] < found.points["U_loss high"]).tolist() == [False, False, True, False, False]


@pytest.mark.slow
def test_intervals_over_records_rerun_every_recipe_on_other_samples(swept):
    given, frontier = swept
    told = []
    found = with_intervals(given, frontier, times=8, progress=lambda *done: told.append(done))
    assert told == [(n, 8) for n in range(1, 9)]
    for point in found.measured[:3]:
        low, high = point.intervals["P_loss"]
        assert low <= point.values["P_loss"] <= high
    again = with_intervals(given, frontier, times=8).measured
    assert again[0].intervals == found.measured[0].intervals, "the samples are reproducible"


def test_intervals_over_learning_span_from_separate_classes_to_a_learning_attacker(swept, tmp_path):
    """Both ends are figures of one release, also of a random one in the store."""
    given, store = table(), Store(tmp_path)
    recipes = [point.recipe for point in swept[1].measured[:3]]
    frontier, told = sweep(given, recipes, MEASURES, store), []
    again = replace(given, remember=ResultCache())  # like in another process
    found = with_intervals(again, frontier, "learning", store=store, progress=lambda *done: told.append(done))
    assert [done for done, of in told] == [1, 2, 3] and {of for done, of in told} == {3}
    for point in found.measured[:3]:
        release = point.recipe.release(given, store)
        learnt = PrivacyLoss(adversary="learning")(release).value
        assert point.intervals["P_loss"] == (point.values["P_loss"], learnt)
    generalized, exchanged, noisy, *baselines = found.measured
    assert "U_loss" not in generalized.intervals, "generalized releases give no learning attacker"
    assert not any(one.intervals for one in baselines)
    for point in (exchanged, noisy):
        learnt = UtilityLoss(estimator="learned")(point.recipe.release(given, store)).value
        assert point.intervals["U_loss"] == tuple(sorted([point.values["U_loss"], learnt]))
    nobody = Frontier(frontier.measured, [AverageClassSize()])
    assert with_intervals(given, nobody, "learning") is nobody, "sizes do not depend on learning"


def test_cancelled_intervals_leave_the_points_unchanged(swept):
    given, frontier = swept
    cancel = threading.Event()
    cancel.set()
    assert with_intervals(given, frontier, cancel=cancel) is frontier
    assert with_intervals(given, frontier, "learning", cancel=cancel) is frontier


@pytest.mark.parametrize(
    ("over", "times", "why"), [("people", 5, "records"), ("seeds", 1, "from 2"), ("seeds", True, "from")]
)
def test_invalid_requests_are_refused(swept, over, times, why):
    with pytest.raises(BadInput, match=why):
        with_intervals(*swept, over, times)
