"""Lower bounds: below every release of every method, and near the best if all are tried."""

import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench
from tests.examples import examples, seeds
from tests.methods.raking.tables import table
from tests.methods.tables import AXES, random_frame, table_of
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.base.progress import Cancelled, cancellable
from workbench.data.table import Table
from workbench.frontier import lower_bounds
from workbench.frontier.lower_bounds import (
    bound,
    bound_jointly,
    bound_per_population,
    bounded_support,
    compare_with_minimum,
    compute_lower_bounds,
    known_lower_bounds,
    maximize,
)
from workbench.frontier.recipe import variants
from workbench.measures import AverageClassSize, PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.methods.raking import atoms
from workbench.methods.raking.atoms import Atoms
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
from workbench.models.distribution_distances import jensen_shannon
from workbench.releases.exchanged import Exchanged

SLACK = 1e-9
PUBLISHED = [{"publish": one} for one in ("generalized", "bucketized")]
SETTINGS = {
    "mondrian": [*PUBLISHED, {"split": "information_gain", "target": "s"}, {"recode": "levels"}, {"strict": False}],
    "raked buckets": [{"smallest": 3}, {"smallest": 3, "publish": "dealt"}],
    "full-domain": [{}, {"suppress": 0.1}],
    "local recoding": [{}, {"suppress": 0.1}],
}
MODELS = [KAnonymity(3), DistinctLDiversity(2) & KAnonymity(2), TCloseness(0.1, distance="js")]


def methods():
    """Return every method of the catalog that has classes, in several settings."""
    for name, kind in variants("method").items():
        made = [kind(**settings) for settings in SETTINGS.get(name, [{}])]
        yield from (method for method in made if not method.draws)


def random_table(seed):
    rng = np.random.default_rng(seed)
    frame = random_frame(seed, int(rng.integers(15, 70)), int(rng.integers(2, 5)), rng.choice([0, 0.1]))
    return table_of(frame, ["whole", *rng.choice(AXES[1:], rng.integers(0, 3), replace=False)])


def releases(data, seed):
    """Yield a release of each method under a model that it can satisfy."""
    rng = np.random.default_rng(seed)
    for method in methods():
        for model in [None] if method.baseline else rng.permutation(np.array(MODELS, object)):
            try:
                yield method(data, model)
                break
            except Unsatisfiable:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(50, fast=3))
def test_no_release_of_any_method_is_below_the_bound(seed):
    data, utility = random_table(seed), UtilityLoss(min_support=0.1)
    lower, lower_exact = (compute_lower_bounds(data, exact=exact, min_support=0.1) for exact in (False, True))
    found = list(releases(data, seed))
    for release in found:
        private, lost = PrivacyLoss()(release).value, utility(release).value
        assert lower.value_at(private) <= lost + SLACK
        assert bound(data, private, min_support=0.1) <= lost + SLACK
        if release.classes.exact and not release.suppressed:
            assert lower_exact.value_at(private) <= lost + SLACK
    assert len(found) > 10


def two_groups(ill):
    """Return two groups of 30 people with given numbers of ill people."""
    frame = pd.DataFrame({"sort": np.repeat(["a", "b"], 30), "ill": "no"})
    for i, many in enumerate(ill):
        frame.loc[i * 30 : i * 30 + many - 1, "ill"] = "yes"
    return Table.from_frame(frame, quasi=["sort"], sensitive="ill")


@pytest.mark.parametrize("ill", [(25, 5), (20, 4), (29, 15)])
@pytest.mark.parametrize("part", [0.2, 0.4, 0.7])
def test_the_bound_is_near_the_best_of_all_swapped_releases(ill, part):
    data, (private, utility) = two_groups(ill), (PrivacyLoss(), UtilityLoss())
    totals, tried = data.sensitive["ill"].totals, []
    for many in range(int(totals[1]) + 1):  # how many of the first group are published as ill
        seats = np.array([[30 - many, many], totals - [30 - many, many]])
        if (seats >= 0).all():
            release = Exchanged.from_cells(data, np.arange(2, dtype=np.int32)[data.cells().quasi[0]], {"ill": seats})
            tried.append((private(release).value, utility(release).value))
    worst = max(p for p, u in tried if u < SLACK)
    limit = max(p for p, _ in tried if p <= part * worst)  # if whole records reach the limit
    best = min(u for p, u in tried if p <= limit)
    found = bound(data, limit, exact=True)
    assert best > 0 and found <= best + SLACK
    assert best <= 1.3 * found


def test_at_0_every_difference_between_populations_is_lost():
    data = table()
    everything = workbench.methods.Remove()(data)
    assert PrivacyLoss()(everything).value == 0
    assert bound(data, 0) == pytest.approx(UtilityLoss()(everything).value)
    assert bound(data, 1e-6) == pytest.approx(bound(data, 0), rel=0.02)


def test_the_bound_falls_with_t_and_is_larger_for_exact_quasi_identifiers():
    data = table(1)
    lower, exact = compute_lower_bounds(data), compute_lower_bounds(data, exact=True)
    at = np.linspace(0.001, 0.2, 40)
    for one in (lower, exact):
        found = [one.value_at(t) for t in at]
        assert found == sorted(found, reverse=True) and found[0] > 0
    assert all(lower.value_at(t) <= exact.value_at(t) for t in at)
    assert compute_lower_bounds(data, exact=True).value_at(0.05) <= bound(data, 0.05, exact=True) * 1.05
    assert bound(data, 0.69) == 0


def test_the_worst_of_several_sensitive_columns_counts():
    both, each = table(1, ("illness", "wage")), [table(1, (name,)) for name in ("illness", "wage")]
    assert bound(both, 0.02) == pytest.approx(max(bound(one, 0.02) for one in each))


def test_the_bound_is_deterministic():
    assert bound(table(4), 0.03, exact=True) == bound(table(4), 0.03, exact=True)
    assert workbench.frontier.bound(table(4), 0.03) == bound(table(4), 0.03)


def test_raked_buckets_are_within_a_small_factor_of_the_bound():
    data = table(2)
    release = RakedBuckets()(data, TCloseness(0.02, distance="js"))
    mondrian = Mondrian(publish="bucketized")(data, TCloseness(0.02, distance="js"))
    possible = bound(data, PrivacyLoss()(release).value, exact=True)
    assert possible <= UtilityLoss()(release).value < 2 * possible
    assert UtilityLoss()(mondrian).value > 2 * bound(data, 0.02, exact=True)


@pytest.mark.slow
def test_the_bound_on_adult_is_as_high_as_recorded(adult):
    for t, together, apart in ((0.05, 0.00480, 0.00229), (0.1, 0.00059, 0.00024)):
        assert bound(adult, t, exact=True) >= together
        assert bound(adult, t) == pytest.approx(apart, rel=0.03)


def test_the_distance_of_a_release_from_a_known_bound_is_reported():
    data = table(2)
    raked, median = (one(data, TCloseness(0.05, distance="js")) for one in (RakedBuckets(), Mondrian()))
    for release, exact, whose in (
        (raked, True, "a release with exact quasi-identifiers"),
        (median, False, "any release in classes"),
    ):
        private, lost = PrivacyLoss()(release).value, UtilityLoss()(release).value
        assert (
            compare_with_minimum(release, private, lost, 0.05) == "" and known_lower_bounds(data, exact=exact) is None
        )
        times = lost / compute_lower_bounds(data, exact=exact).value_at(private)
        text = compare_with_minimum(release, private, lost, 0.05)
        assert f"times the certified minimum for {whose} at this privacy loss" in text
        assert float(text.split()[2]) == pytest.approx(times, rel=0.01) and times > 1


def test_no_distance_is_reported_for_a_flat_file_which_may_be_nearer_by_chance():
    data = table(2)
    flat = RakedBuckets(files="flat")(data, TCloseness(0.05, distance="js"))
    compute_lower_bounds(data, exact=True)
    assert compare_with_minimum(flat, PrivacyLoss()(flat).value, UtilityLoss()(flat).value, 0.05) == ""


@pytest.mark.parametrize("t", ["0.1", None, True, -0.1, 2])
def test_other_distances_than_divergences_are_refused(t):
    with pytest.raises(BadInput, match="must be a number between 0 and 1"):
        bound(table(2), t)


@pytest.mark.slow
def test_every_method_declares_whether_its_classes_are_exact():
    data, kinds, seen = table(2), variants("method").values(), []
    for kind in (one for one in kinds if one.supports_models and not one.baseline):
        published = kind.parameters().get("publish")
        for made in [kind(publish=one) for one in published.choices] if published else [kind()]:
            assert made(data, KAnonymity(5) & TCloseness(0.2, distance="js")).classes.exact == made.exact, made
            seen.append(made.exact)
    assert set(seen) == {True, False}


def test_the_bound_assumes_an_attacker_who_uses_each_class_by_itself():
    assert bounded_support(PrivacyLoss(), UtilityLoss(min_support=0.2)) == 0.2
    assert bounded_support(PrivacyLoss(adversary="learning"), UtilityLoss()) is None
    assert bounded_support(PrivacyLoss(), UtilityLoss(distance="variation")) is None
    assert bounded_support(PrivacyLoss(), AverageClassSize()) is None


def test_the_computation_can_be_cancelled():
    cancel, data = threading.Event(), table(5)
    cancel.set()
    with pytest.raises(Cancelled), cancellable(cancel):
        bound(data, 0.05)
    assert bound(data, 0.05) > 0


def test_the_error_of_a_missing_bound_gives_the_reason(monkeypatch):
    with pytest.raises(BadInput, match="between 0 and 1"):
        bound(table(), -0.1)
    with pytest.raises(Undefined, match="weights"):
        bound(table(weights=True), 0.1)
    with pytest.raises(Undefined, match="no sensitive column"):
        bound(table().with_roles(["age"]), 0.1)
    with pytest.raises(Undefined, match="min_support"):
        bound(table(), 0.1, min_support=0.999)
    monkeypatch.setattr(atoms, "MEMBERS", 500)
    with pytest.raises(Undefined, match="exact=False"):
        bound(table(6), 0.05, exact=True)
    assert bound(table(6), 0.05) > 0


# Certificates, compared with grid searches for the same convex programs.


def simplex(values, parts):
    """Return a grid of all distributions."""
    axes = np.meshgrid(*[np.arange(parts + 1)] * (values - 1), indexing="ij")
    first = np.stack([one.ravel() for one in axes], axis=1)
    first = first[first.sum(axis=1) <= parts]
    return np.column_stack([first, parts - first.sum(axis=1)]) / parts


@pytest.mark.parametrize("t", [0.005, 0.02, 0.05, 0.1])
def test_the_bound_per_population_equals_that_of_a_grid_search(t):
    data = table(1, ("wage",))
    seen, truth = data.sensitive["wage"], Atoms.from_table(data, 0.05).truth["wage"]
    every = simplex(3, 300)
    inside = every[jensen_shannon(every, seen.prior) <= t]
    searched = np.mean([jensen_shannon(inside, one).min() for one in truth])
    found = bound_per_population(truth, seen, t).value_at(t)
    assert found <= searched
    assert searched == pytest.approx(found, rel=0.02, abs=2e-5)  # the grid is coarse if the truth is in the ball


@pytest.mark.parametrize("t", [0.01, 0.03, 0.08])
def test_the_joint_bound_is_above_the_separate_bounds_and_below_any_release(t):
    data = table(2, ("illness",))
    atoms, seen = Atoms.from_table(data, 0.05), data.sensitive["illness"]
    line = bound_jointly(atoms, seen, t)
    assert bound_per_population(atoms.truth["illness"], seen, t).value_at(t) <= line.value_at(t) * 1.05
    rng, loss = np.random.default_rng(0), []
    for _ in range(50):
        beliefs = rng.dirichlet(np.ones(len(seen)), len(atoms))
        far = jensen_shannon(beliefs, seen.prior)[:, None]
        beliefs = seen.prior + (beliefs - seen.prior) * np.minimum(1, t / far)  # the divergence is convex
        assert (jensen_shannon(beliefs, seen.prior) <= t + 1e-12).all()
        shares = atoms.sums(atoms.people[:, None] * beliefs) / atoms.held
        loss.append(jensen_shannon(atoms.truth["illness"], shares).mean())
    assert line.value_at(t) <= min(loss)


def test_a_line_is_a_lower_bound_for_every_t():
    data = table(3, ("illness",))
    atoms, seen = Atoms.from_table(data, 0.05), data.sensitive["illness"]
    for of_t in (
        lambda t: bound_jointly(atoms, seen, t),
        lambda t: bound_per_population(atoms.truth["illness"], seen, t),
    ):
        lines = {t: of_t(t) for t in (0.01, 0.03, 0.06)}
        for t, best in lines.items():
            assert all(other.value_at(t) <= best.value_at(t) * 1.05 + 1e-6 for other in lines.values())


def test_the_bound_is_0_if_the_truth_satisfies_the_limit():
    data = table(0, ("illness",))
    atoms = Atoms.from_table(data, 0.05)
    assert bound_per_population(atoms.truth["illness"], data.sensitive["illness"], 0.69).value_at(0.69) == 0
    assert bound_jointly(atoms, data.sensitive["illness"], 0.69).value_at(0.69) == pytest.approx(0, abs=1e-6)


def quadratic(seed, size=30):
    """Return the maximizer of a badly scaled concave function, and the function."""
    rng = np.random.default_rng(seed)
    top, root = rng.normal(size=size), rng.normal(size=(size, size)) * 10 ** rng.uniform(-1, 0.5, size)
    curvature = root.T @ root + 0.1 * np.eye(size)
    return top, lambda place: (-0.5 * (place - top) @ curvature @ (place - top), -curvature @ (place - top))


@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_of_a_quadratic_function_is_found(seed):
    top, value = quadratic(seed)
    found = maximize(value, np.zeros(len(top)), 400)
    assert found == pytest.approx(top, abs=1e-3)


def test_steps_stay_in_the_domain_of_the_function():
    heights = []

    def value(place):
        if (place >= 1).any():
            return -np.inf, place
        heights.append(float(np.log(1 - place).sum() + 3 * place.sum()))
        return heights[-1], 3 - 1 / (1 - place)

    found = maximize(value, np.full(4, -5.0), 60)
    assert found == pytest.approx(np.full(4, 2 / 3), abs=1e-4)


def test_more_steps_are_never_worse():
    _, value = quadratic(5)
    begin = np.zeros(30)
    heights = [value(maximize(value, begin, steps))[0] for steps in (0, 1, 3, 10, 30)]
    assert heights == sorted(heights) and heights[0] < heights[-1]


def test_maximization_can_be_cancelled():
    cancel = threading.Event()
    cancel.set()
    _, value = quadratic(0)
    with pytest.raises(Cancelled), cancellable(cancel):
        maximize(value, np.zeros(30), 10)


# The minimum of linear functions over the ball, compared with a search of the whole simplex.


def minimize(slope, prior, t, price=0.0):
    rows = len(slope)
    steep, fixed, rate = np.ones((3, rows))
    reached = np.empty(slope.shape)
    lower_bounds.minimize_linear_over_ball(slope, prior, t, np.full(rows, price), steep, reached, fixed, rate)
    return fixed, rate, reached


def js(p, q):
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.nansum(p * np.log(p / middle), axis=-1) + np.nansum(q * np.log(q / middle), axis=-1)) / 2


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1], [0.6, 0.3, 0.1], [1 / 3, 1 / 3, 1 / 3]])
@pytest.mark.parametrize("t", [0.001, 0.05, 0.3, 0.69])
def test_the_minimum_equals_that_of_a_grid_search(prior, t):
    prior = np.array(prior)
    every = simplex(len(prior), 2000 if len(prior) == 2 else 200)
    inside = every[js(every, prior) <= t]
    slope = np.random.default_rng(len(prior)).normal(size=(20, len(prior)))
    fixed, rate, reached = minimize(slope, prior, t)
    searched = (slope @ inside.T).min(axis=1)
    assert (fixed - rate * t <= searched + 1e-9).all()
    assert (reached.sum(axis=1) == pytest.approx(1, abs=1e-6)) and (js(reached, prior) <= t * (1 + 1e-6)).all()
    assert fixed - rate * t == pytest.approx((slope * reached).sum(axis=1), abs=1e-6)  # the minimizer has this value


weights = st.lists(st.floats(0.001, 1), min_size=2, max_size=6)


@examples(200)
@given(weights, st.floats(1e-6, 0.69), st.integers(0, 10**6), st.floats(0, 3), st.floats(-9, 3))
def test_the_minimum_is_a_lower_bound_for_every_t(prior, t, seed, price, size):
    rng = np.random.default_rng(seed)
    prior = np.array(prior) / sum(prior)
    slope = rng.normal(size=(5, len(prior))) * 10**size
    fixed, rate, _ = minimize(slope, prior, t, price)
    others = rng.dirichlet(np.full(len(prior), 0.5), 200)
    others = np.concatenate([others, prior + (others - prior) * rng.random((200, 1))])
    allowed = slope @ others.T - (fixed[:, None] - rate[:, None] * js(others, prior))
    assert (allowed >= -1e-9 * 10**size).all()
    assert (rate >= 0).all()


def test_the_price_of_t_is_at_least_the_requested_price():
    slope, prior = np.array([[0.0, 1.0], [3.0, 1.0]]), np.array([0.4, 0.6])
    _, free, _ = minimize(slope, prior, 0.05)
    _, rate, reached = minimize(slope, prior, 0.05, price=50.0)
    assert (free < 50).all() and rate == pytest.approx([50, 50])
    assert (js(reached, prior) < 0.05).all()


def test_the_minimum_of_a_constant_function_is_its_value():
    fixed, rate, reached = minimize(np.array([[2.5, 2.5, 2.5]]), np.array([0.2, 0.3, 0.5]), 0.1)
    assert (fixed[0], rate[0]) == (2.5, 0) and reached[0] == pytest.approx([0.2, 0.3, 0.5])
