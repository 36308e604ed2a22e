"""Raked and plain buckets: those with the smaller loss are published."""

from itertools import pairwise

import numpy as np
import pytest

from tests.methods.raking.tables import table, with_values
from workbench.measures import UtilityLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.raked_buckets import utility_loss
from workbench.models import KAnonymity, TCloseness
from workbench.releases.exchanged import as_one_file

PLAIN = Mondrian(publish="bucketized")
KINDS = {
    "exchanged": RakedBuckets(),
    "dealt": RakedBuckets(publish="dealt"),
    "flat": RakedBuckets(files="flat"),
    "dealt and flat": RakedBuckets(publish="dealt", files="flat"),
    "given size": RakedBuckets(smallest=30),
}
NOISE = 1e-12  # of sums of floating-point numbers in another order
SHAPES = np.random.default_rng(0)
TABLES = [
    (int(values), int(records), seed)
    for seed, (values, records) in enumerate(
        zip(np.geomspace(2, 700, 30), SHAPES.permutation(np.geomspace(300, 5000, 30)), strict=True)
    )
]


def js(t):
    return TCloseness(t, distance="js")


@pytest.mark.slow
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_compared_loss_is_that_of_the_measure(kind, weights):
    data = table(1, weights=weights, missing=0.05)
    for release in (KINDS[kind](data, js(0.1)), PLAIN(data, js(0.1))):
        assert utility_loss(release, Atoms.from_table(data, 0.05)) == pytest.approx(
            UtilityLoss()(release).value, rel=1e-9
        )


def refute_worse(values, records, seed, kind, t):
    """Compare a release with plain buckets in as many files."""
    data = with_values(values, records, seed)
    found, plain = KINDS[kind](data, js(t)), PLAIN(data, js(t))
    if "flat" in kind:
        plain = as_one_file(plain, 0)
    assert found.audit(js(t)).holds
    assert UtilityLoss()(found).value <= UtilityLoss()(plain).value + NOISE


@pytest.mark.slow
@pytest.mark.parametrize(("values", "records", "seed"), TABLES)
def test_the_loss_of_raked_buckets_never_exceeds_that_of_plain_ones(values, records, seed):
    refute_worse(values, records, seed, "exchanged", (0.05, 0.1, 0.2)[seed % 3])


@pytest.mark.exhaustive
@pytest.mark.parametrize("t", [0.02, 0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("values", "records", "seed"), TABLES)
def test_no_kind_of_raked_buckets_has_a_larger_loss_than_plain_ones(values, records, seed, kind, t):
    refute_worse(values, records, seed, kind, t)


@pytest.mark.parametrize("kind", ["exchanged", "dealt and flat"])
def test_plain_buckets_are_published_and_reported_if_raked_ones_have_a_larger_loss(kind):
    """487 records with 139 values: rounding to whole records loses more than any bucket gains."""
    data, model = with_values(139, 487, 21), js(0.2) & KAnonymity(20)
    release, plain = KINDS[kind](data, model), PLAIN(data, model)
    assert (
        release.about.is_truthful
        and (release.classes.histograms["illness"] == plain.classes.histograms["illness"]).all()
    )
    assert "plain buckets (Mondrian, median cuts) are published in place of raked ones" in release.about.notices[0]
    assert ("rows" in release.about.warning or "row" in release.about.warning) == ("flat" in kind)


def test_plain_buckets_are_never_published_with_noise():
    """Plain buckets follow from exact counts, which the noise's guarantee does not cover; so does a comparison."""
    data = with_values(139, 487, 21)
    release = RakedBuckets(rho=0.3)(data, js(0.2))
    assert release.about.guarantee and not release.about.is_truthful
    assert not any("plain buckets" in one for one in release.about.notices)


@pytest.mark.slow
@pytest.mark.parametrize("records", [3000, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_the_loss_does_not_rise_with_t_on_a_column_of_300_values(records):
    data = with_values(300, records, 7)
    losses = [UtilityLoss()(RakedBuckets()(data, js(t))).value for t in (0.02, 0.05, 0.1, 0.2, 0.4)]
    assert all(after <= 1.02 * before for before, after in pairwise(losses)), losses
    assert losses[-1] < losses[0] / 4, losses
