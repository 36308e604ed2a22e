import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.base.errors import Undefined
from workbench.measures import UtilityLoss
from workbench.measures.utility.estimators import expected
from workbench.methods import Mondrian, RakedBuckets
from workbench.miners.learning import learnt
from workbench.models import TCloseness
from workbench.workloads.populations import large_populations

LEARNED = UtilityLoss(estimator="learned")


def bucketized(t):
    return Mondrian(publish="bucketized"), TCloseness(t, distance="js")


@pytest.mark.parametrize(("t", "loss"), [(0.1, 0.0030), (0.15, 0.0010)])
def test_a_researcher_who_learns_is_less_wrong_as_was_worked_out_independently(adult, t, loss):
    method, model = bucketized(t)
    release = method(adult, model)
    assert LEARNED(release).value == pytest.approx(loss, rel=0.1)
    assert LEARNED(release).value < UtilityLoss()(release).value / 2


def test_of_raked_buckets_there_is_hardly_more_to_learn(adult):
    release = RakedBuckets()(adult, TCloseness(0.1, distance="js"))
    assert LEARNED(release).value == pytest.approx(UtilityLoss()(release).value, rel=0.15)


@pytest.mark.parametrize("weights", [False, True])
def test_people_are_expected_by_what_is_believed_of_each(weights):
    method, model = bucketized(0.05)
    release = method(table(1, weights=weights), model)
    populations, found = large_populations(release.table, 0.1), learnt(release, "illness")
    told = expected(release, populations, "illness", "learned")
    for p in (0, len(populations) - 1):
        run = populations.runs[p]
        held = ((run[:, :1] <= found.quasi) & (found.quasi <= run[:, 1:])).all(axis=0)
        assert told[p] == pytest.approx((found.learning[held] * found.people[held, None]).sum(axis=0))
        assert told[p].sum() == pytest.approx(populations.support[p])


@pytest.mark.parametrize("publish", ["bucketized", "generalized"])
def test_maximum_entropy_by_raking_to_all_that_is_published_is_the_uniform_estimator(publish):
    """By iterative proportional fitting from which codes each class covers; so it is no estimator of its own."""
    data = table(3, records=300).with_roles(["town", "sex"], ["illness"])
    release = Mondrian(publish=publish)(data, TCloseness(0.2, distance="js"))
    classes, sizes = release.classes, [data.columns[name].size for name in data.quasi]
    codes = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
    inside = ((classes.low[:, None] <= codes) & (codes <= classes.high[:, None])).all(axis=2)
    people = np.repeat(inside[:, :, None].astype(float), classes.histograms["illness"].shape[1], axis=2)
    known = np.zeros((len(classes), len(codes)))  # who is where, where the release says it
    if classes.exact:
        of_cell = np.ravel_multi_index(tuple(data.cells().quasi), sizes)
        np.add.at(known, (release.group_of_entry, of_cell), data.cells().weight)
    for _ in range(50):
        if classes.exact:
            people *= (known / np.maximum(people.sum(axis=2), 1e-300))[:, :, None]
        people *= (classes.histograms["illness"] / np.maximum(people.sum(axis=1), 1e-300))[:, None]
    populations = large_populations(data, 0.1)
    held = ((populations.runs[:, None, :, 0] <= codes) & (codes <= populations.runs[:, None, :, 1])).all(axis=2)
    assert release.estimate(populations, "illness") == pytest.approx(held @ people.sum(axis=0))


def test_where_quasi_identifiers_are_generalized_there_is_nobody_to_learn_of():
    release = Mondrian()(table(), TCloseness(0.05, distance="js"))
    assert np.isfinite(UtilityLoss()(release).value)
    with pytest.raises(Undefined, match="not published unchanged"):
        LEARNED(release)
