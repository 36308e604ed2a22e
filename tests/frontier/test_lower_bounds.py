"""Lower bounds: below every release of every method, and near the best if all are tried."""

import threading

import numpy as np
import pandas as pd
import pytest

import workbench
from tests.examples import seeds
from tests.methods.raking.tables import table
from tests.methods.tables import AXES, random_frame, table_of
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.base.progress import Cancelled, cancellable
from workbench.data.table import Table
from workbench.frontier.grid import variants
from workbench.frontier.lower_bounds import (
    bound,
    bounded_support,
    compare_with_minimum,
    compute_lower_bounds,
    known_lower_bounds,
)
from workbench.measures import AverageClassSize, PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.methods.raking import atoms
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
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
