"""Li & Li 2009 on the bundled Adult data: published figures compared with ours."""

from functools import cache

import numpy as np
import pytest

from workbench.data.datasets import adult
from workbench.measures import PrivacyLoss, QueryError, UtilityLoss
from workbench.methods import Keep, Mondrian, RakedBuckets, Remove
from workbench.models import DeltaDisclosure, KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.queries import Workload
from workbench.queries.populations import large_populations
from workbench.releases.base import Release

pytestmark = pytest.mark.slow

FIGURE_2 = {
    "k": [KAnonymity(k) for k in (10, 50, 100, 200, 500, 1000, 2000, 5000)],
    "l": [ProbabilisticLDiversity(v) for v in (3.0, 3.5, 4.0, 4.25, 4.5, 4.75, 5.0, 5.5)],
    "t": [TCloseness(t, distance="js") for t in (0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)],
    "delta": [DeltaDisclosure(d, absent="allowed") for d in (1.0, 1.2, 1.4, 1.5, 1.7, 1.9, 2.0, 2.1)],
    "delta, strict": [DeltaDisclosure(d) for d in (1.0, 1.2, 1.4, 1.5, 1.7, 1.9, 2.0, 2.1)],
}
PRINTED_Q = (
    *(0.0314, 0.1331, 0.1063, 0.1196, 0.1323, 0.1329, 0.0452),
    *(0.0657, 0.1225, 0.0327, 0.0512, 0.0052, 0.0216, 0.0003),
)


@cache
def table():
    return adult()


@cache
def releases(name: str, publish: str = "generalized") -> list[Release]:
    return [Mondrian(publish=publish)(table(), model) for model in FIGURE_2[name]]


@cache
def curve(name: str, publish: str = "generalized") -> np.ndarray:
    """Return P_loss and U_loss of the eight releases of a curve."""
    return np.array([(PrivacyLoss()(r).value, UtilityLoss()(r).value) for r in releases(name, publish)])


def interpolate(points: np.ndarray, privacy: np.ndarray) -> np.ndarray:
    """Interpolate the utility loss of a curve at a privacy loss."""
    return np.interp(privacy, *points[points[:, 0].argsort()].T)


def test_occupation_is_distributed_as_printed_but_for_one_value_that_is_rounded_otherwise():
    ours = table().sensitive["occupation"].prior
    order = np.argsort(-ours)
    differing = np.abs(np.sort(ours)[::-1].round(4) - np.sort(PRINTED_Q)[::-1]) > 1e-9
    assert [table().sensitive["occupation"].labels[i] for i in order[differing]] == ["Priv-house-serv"]
    assert ours[order[differing]] == pytest.approx(232 / 45_222)


def test_a_revealed_occupation_costs_what_section_5_1_says():
    seen = table().sensitive["occupation"]
    cost = dict(zip(seen.labels, PrivacyLoss().revealed(seen), strict=True))
    assert round(cost["Armed-Forces"], 3) == 0.692 == round(max(cost.values()), 3)
    assert round(cost["Craft-repair"], 3) == 0.488 == round(min(cost.values()), 3)


def test_there_are_1050_large_populations():
    assert len(large_populations(table(), 0.05)) == 1050


def test_first_special_case_all_quasi_identifiers_removed():
    release = Remove()(table())
    assert PrivacyLoss()(release).value == 0
    assert UtilityLoss()(release).value == pytest.approx(0.05, abs=0.005)


def test_second_special_case_everything_kept():
    release = Keep()(table())
    assert UtilityLoss()(release).value == pytest.approx(0, abs=1e-12)
    assert PrivacyLoss()(release).value > 0.488


def test_k_5000_costs_what_section_5_1_says():
    privacy, utility = curve("k")[-1]
    assert privacy == pytest.approx(0.086, abs=0.01)
    assert utility == pytest.approx(0.0288, abs=0.005)
    assert len(Mondrian()(table(), KAnonymity(5000)).classes) == 6


@pytest.mark.parametrize("other", ["k", "l", "delta"])
def test_figure_2a_t_closeness_loses_least_utility(other):
    ours, theirs = curve("t"), curve(other)
    common = np.linspace(max(ours[:, 0].min(), theirs[:, 0].min()), min(ours[:, 0].max(), theirs[:, 0].max()), 10)
    assert (interpolate(ours, common) < interpolate(theirs, common)).sum() >= 9


@pytest.mark.parametrize("name", ["k", "l", "t", "delta"])
def test_figure_2a_has_eight_points_a_curve_with_less_loss_than_removing_everything(name):
    points = curve(name)
    assert len(points) == 8
    assert (points[:, 1] < UtilityLoss()(Remove()(table())).value).all()
    assert (points[:, 1] < 0.0403).all()  # printed: below 0.04 at all 32 points; ours but for delta = 1.0, .0402
    assert (points[:, 1] >= 0.04).sum() == (name == "delta")


def test_figure_2a_the_rightmost_points_of_l_diversity():
    points = curve("l")
    assert points[0, 0] == pytest.approx(0.493, abs=0.0005)  # printed: above 0.488 for l = 3 and l = 3.5
    assert points[1, 0] == pytest.approx(0.412, abs=0.0005)  # ours is not, for l = 3.5


def test_figure_2a_the_recommended_points_are_on_the_lower_left_of_every_other_curve():
    for privacy, utility in curve("t")[:3]:
        for other in ("k", "l", "delta"):
            beaten = (curve(other)[:, 0] <= privacy) & (curve(other)[:, 1] <= utility)
            assert not beaten.any()


def test_semantic_privacy_in_figure_2_reads_as_delta_disclosure_on_the_values_present():
    strict, lax = curve("delta, strict")[:, 0], curve("delta")[:, 0]
    assert strict.min() > 0.015 and strict.max() < 0.085  # the figure spans 0 to 0.5
    assert lax.min() > 0.015 and 0.45 < lax.max() < 0.51


@pytest.mark.parametrize("absent", ["breaks", "allowed"])
def test_one_class_when_delta_is_below_1_comes_out_in_neither_reading(absent):
    assert len(Mondrian()(table(), DeltaDisclosure(0.8, absent=absent)).classes) > 1


@pytest.mark.parametrize("name", ["l", "t"])
def test_figure_2b_bucketization_loses_less_utility_at_every_parameter(name):
    generalized, bucketized = curve(name), curve(name, "bucketized")
    assert bucketized[:, 0] == pytest.approx(generalized[:, 0])
    assert (bucketized[:, 1] < generalized[:, 1]).all()


def below(points: np.ndarray, low: float, high: float) -> float:
    """Return the area under the staircase of points between two privacy losses."""
    private, lost = points[points[:, 0].argsort()].T
    inside = np.concatenate([[low], private[(private > low) & (private < high)], [high]])
    least = [lost[private <= edge].min() for edge in inside[:-1]]
    return float(np.diff(inside) @ least)


@pytest.mark.parametrize("publish", ["exchanged", pytest.param("dealt", marks=pytest.mark.exhaustive)])
def test_raked_buckets_have_at_most_a_quarter_of_the_area_of_figure_2b(publish):
    """The area is over the range of the figure, from the minimum to the maximum loss of its curves on t."""
    figure = np.concatenate([curve("t", "bucketized"), curve("l", "bucketized"), curve("k", "bucketized")])
    low, high = curve("t", "bucketized")[[0, -1], 0]
    made = [RakedBuckets(publish=publish)(table(), TCloseness(t, distance="js")) for t in (low, 0.1, 0.15)]
    raked = np.array([(PrivacyLoss()(one).value, UtilityLoss()(one).value) for one in made])
    assert below(raked, low, high) <= below(figure, low, high) / 4


# figure 3: 1,000 random queries, qd = 4 and sel = 0.05 unless said


def errors(publish: str = "bucketized", name: str = "t", **settings) -> np.ndarray:
    """Return the average relative error of each release of a curve, in per cent."""
    measure = QueryError(Workload.random(table(), **settings))
    return np.array([100 * measure(one).value for one in releases(name, publish)])


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_figure_3a_has_the_order_of_figure_2a(publish):
    points = {
        name: np.column_stack([curve(name, publish)[:, 0], errors(publish, name)]) for name in ("k", "l", "t", "delta")
    }
    for other in ("k", "l", "delta"):
        ours, theirs = points["t"], points[other]
        common = np.linspace(max(ours[:, 0].min(), theirs[:, 0].min()), min(ours[:, 0].max(), theirs[:, 0].max()), 10)
        assert (interpolate(ours, common) < interpolate(theirs, common)).sum() >= 9  # all ten


def test_figure_3b_error_falls_with_selectivity_at_every_t():
    found = np.array([errors(selectivity=sel) for sel in (0.02, 0.05, 0.1, 0.2)])
    assert (np.diff(found, axis=0) < 0).all()
    assert found[:, 2] == pytest.approx([5.66, 3.37, 1.64, 0.72], abs=0.01)  # t = .15


def test_figure_3c_error_falls_with_dimension_from_two_on():
    found = np.array([errors(dimension=qd) for qd in range(1, 7)])
    assert (np.diff(found[1:], axis=0) < 0).all()
    assert ((found[0] > found[1]) == [True] * 4 + [False] * 4).all()  # up to t = .2 from qd = 1 on, as in the paper
    assert found[:, 2] == pytest.approx([6.28, 5.35, 3.89, 3.37, 2.32, 2.00], abs=0.01)  # t = .15


@pytest.mark.parametrize(
    ("median", "qd", "apart", "mean", "least", "most"),
    [
        ("lower", 1, 5.0, 5.76, 4.99, 6.7),
        ("lower", 6, 1.7, 2.05, 1.9, 2.2),
        ("even", 1, 5.0, 5.35, 4.6, 6.1),
        ("even", 6, 1.7, 1.745, 1.6, 1.9),
    ],
)
def test_figure_3c_at_t_15_beside_what_was_computed_apart(median, qd, apart, mean, least, most):
    """Means of ten draws: both within .5 where the values at the median go to the half that makes both more even.

    Tried as well, at qd = 1 and 6, with a computation that shares no code with the engine (its draws give 5.63 and
    2.00 for the default). Both within .5: always below the upper median (5.08, 1.96), ranges of codes instead of sets
    of values on quasi-identifiers (5.48, 1.65), on age and education alone (5.20, 1.86), and 5.27, 1.95 with a cyclic
    range on the occupation. Not so: ranges on all columns (5.52, 1.60), on age alone (5.62, 2.13); values in
    alphabetical order (5.99, 2.87); widths by distinct values (5.62, 2.04), not normalised (8.75, 2.20); no cut where
    the median is the highest value (8.54, 2.97). With queries drawn otherwise on the default's classes (three draws,
    6.00 and 2.06 as usual): sizes rounded to the nearest (7.81, 4.00) or down (14.16, 5.91), by chance (12.26, 5.48);
    declared values (7.01, 1.96); attributes with replacement (5.40, 2.46); an occupation by the share of qd
    conditions (53.52, 2.67), or one alone (53.52, 25.68). With other classes: t in total variation (16.79, 5.96) or
    along the hierarchy (14.52, 5.06), t = .1 (8.56, 2.95) and .2 (3.86, 1.51), relaxed (7.13, 2.32), on levels (7.73,
    3.90), the most repeated first (5.29, 2.03, within .5), 46,033 records in alphabetical order (6.13, 2.83). A guard
    changes none of those without small answers.
    """
    one = Mondrian(publish="bucketized", median=median)(table(), TCloseness(0.15, distance="js"))
    draws = [100 * QueryError(Workload.random(table(), dimension=qd, seed=seed))(one).value for seed in range(10)]
    assert np.mean(draws) == pytest.approx(mean, abs=0.01)
    assert least <= min(draws) and max(draws) <= most
    assert (abs(np.mean(draws) - apart) < 0.5) == ((median, qd) != ("lower", 1))


def test_even_halves_are_no_convention_for_the_whole_paper():
    """k = 5000: printed .086 and .0288."""
    coarse = Mondrian(median="even")(table(), KAnonymity(5000))
    assert len(coarse.classes) == 7
    assert PrivacyLoss()(coarse).value == pytest.approx(0.0666, abs=0.0001)
    assert UtilityLoss()(coarse).value == pytest.approx(0.0276, abs=0.0001)


def test_read_literally_nearly_all_queries_are_empty_at_dimension_4():
    empty = [int((Workload.random(table(), dimension=qd, rule="literal").truth == 0).sum()) for qd in (1, 2, 4, 6)]
    assert empty == [83, 299, 845, 996]  # another draw, elsewhere: 863 at qd = 4
    assert (Workload.random(table()).truth > 0).all()


def test_by_rounding_up_one_condition_meets_more_records_than_two():
    one, two = (np.median(Workload.random(table(), dimension=qd).truth) for qd in (1, 2))
    assert one > 1.2 * two
