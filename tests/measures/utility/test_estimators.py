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


def test_where_quasi_identifiers_are_generalized_there_is_nobody_to_learn_of():
    release = Mondrian()(table(), TCloseness(0.05, distance="js"))
    assert np.isfinite(UtilityLoss()(release).value)
    with pytest.raises(Undefined, match="not published unchanged"):
        LEARNED(release)
