import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.base.errors import Undefined
from workbench.measures import QueryError, UtilityLoss
from workbench.measures.utility.estimators import with_estimator
from workbench.methods import Mondrian, RakedBuckets, RandomizedResponse
from workbench.miners.adversary import learned_beliefs
from workbench.models import TCloseness
from workbench.queries import Workload
from workbench.queries.populations import large_populations

LEARNED, ENTROPY = UtilityLoss(estimator="learned"), UtilityLoss(estimator="entropy")
TWO = ("entropy", "uniform")


def bucketized(t):
    return Mondrian(publish="bucketized"), TCloseness(t, distance="js")


@pytest.mark.slow
@pytest.mark.parametrize(("t", "loss"), [(0.1, 0.0030), (0.15, 0.0010)])
def test_a_learning_researcher_has_smaller_errors_as_computed_independently(adult, t, loss):
    method, model = bucketized(t)
    release = method(adult, model)
    assert LEARNED(release).value == pytest.approx(loss, rel=0.1)
    assert "Learning took about" in LEARNED(release).sentence
    assert LEARNED(release).value < UtilityLoss()(release).value / 2


@pytest.mark.slow
def test_raked_buckets_leave_hardly_more_to_learn(adult):
    release = RakedBuckets()(adult, TCloseness(0.1, distance="js"))
    assert LEARNED(release).value == pytest.approx(UtilityLoss()(release).value, rel=0.15)


@pytest.mark.parametrize("weights", [False, True])
def test_estimates_are_sums_of_beliefs_about_people(weights):
    method, model = bucketized(0.05)
    release = method(table(1, weights=weights), model)
    populations, found = large_populations(release.table, 0.1), learned_beliefs(release, "illness")
    told = with_estimator(release, ["illness"], "learned").estimate(populations, "illness")
    for p in (0, len(populations) - 1):
        run = populations.runs[p]
        held = ((run[:, :1] <= found.quasi) & (found.quasi <= run[:, 1:])).all(axis=0)
        assert told[p] == pytest.approx((found.learning[held] * found.people[held, None]).sum(axis=0))
        assert told[p].sum() == pytest.approx(populations.support[p])


@pytest.mark.parametrize("publish", ["bucketized", "generalized"])
@pytest.mark.parametrize("gone", [[], [1, 4]])
def test_maximum_entropy_is_the_limit_of_raking_to_everything_published(publish, gone):
    """Compare with iterative proportional fitting to the codes that each class covers and to the totals."""
    data = table(3, records=300).with_roles(["town", "sex"], ["illness"])
    release = Mondrian(publish=publish)(data, TCloseness(0.2, distance="js")).without(np.array(gone, int))
    classes, sizes = release.classes, [data.columns[name].size for name in data.quasi]
    codes = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
    inside = ((classes.low[:, None] <= codes) & (codes <= classes.high[:, None])).all(axis=2)
    inside = np.vstack([inside, np.ones(len(codes))])  # suppressed people may be anywhere
    people = np.repeat(inside[:, :, None], classes.histograms["illness"].shape[1], axis=2)
    known = np.zeros((len(classes) + 1, len(codes)))  # people whose class is published
    if classes.exact:
        of_cell = np.ravel_multi_index(tuple(data.cells().quasi), sizes)
        np.add.at(known, (release.group_of_entry, of_cell), data.cells().weight)
    for _ in range(200):
        if classes.exact:
            people[:-1] *= (known[:-1] / np.maximum(people[:-1].sum(axis=2), 1e-300))[:, :, None]
        people[:-1] *= (classes.histograms["illness"] / np.maximum(people[:-1].sum(axis=1), 1e-300))[:, None]
        lacking = data.sensitive["illness"].totals - people[:-1].sum(axis=(0, 1))
        people[-1] *= lacking.clip(0) / np.maximum(people[-1].sum(axis=0), 1e-300)
    populations = large_populations(data, 0.1)
    held = ((populations.runs[:, None, :, 0] <= codes) & (codes <= populations.runs[:, None, :, 1])).all(axis=2)
    found, uniform = (with_estimator(release, ["illness"], which).estimate(populations, "illness") for which in TWO)
    assert found == pytest.approx(held @ people.sum(axis=0))
    assert (np.abs(found - uniform).max() > 0.5) == bool(gone)
    asked = Workload.from_texts(data, ["illness = 'flu'", "illness = 'flu' and town = 'Bow'", "town = 'Bow'"])
    flu, bow = (
        data.sensitive["illness"].labels.index("flu"),
        codes[:, 0] == data.columns["town"].values.tolist().index("Bow"),
    )
    expected = [people[:, :, flu].sum(), people[:, bow, flu].sum(), people[:, bow].sum()]
    measure = QueryError(asked, estimator="entropy")
    assert measure(release).detail["told"] == pytest.approx(expected)
    words = "what the classes lack" if gone else "no record is suppressed"
    assert words in ENTROPY(release).sentence and words in measure(release).sentence


@pytest.mark.parametrize("publish", ["exchanged", "dealt"])
def test_queries_are_answered_from_beliefs(publish):
    """Record by record, with its values of the other columns."""
    data = table(1, ("illness", "wage")).with_roles(["age", "town"], ["illness"])
    release = RakedBuckets(publish)(data, TCloseness(0.05, distance="js"))
    asked = Workload.from_texts(data, ["illness = 'flu' and age >= 40", "illness = 'flu' and sex = 'f'", "age >= 40"])
    flu, found = data.sensitive["illness"].labels.index("flu"), learned_beliefs(release, "illness")
    believed, people = found.learning[found.of_record, flu], data.frame
    old, women = (people["age"] >= 40).to_numpy(), (people["sex"] == "f").to_numpy()
    told = QueryError(asked, estimator="learned")(release).detail["told"]
    assert told == pytest.approx([believed[old].sum(), believed[women].sum(), old.sum()])


def test_swapped_values_are_not_raked_and_bounds_use_no_estimate():
    noisy, asked = RandomizedResponse(1.0)(table()), Workload.from_texts(table(), "illness = 'flu'")
    for measure in (ENTROPY, QueryError(asked, estimator="entropy")):
        with pytest.raises(Undefined, match="changed at random"):
            measure(noisy)
    with pytest.raises(Undefined, match="width uses no estimate"):
        QueryError(asked, "width", estimator="learned")(Mondrian()(table(), TCloseness(0.1, distance="js")))


def test_learning_is_undefined_for_generalized_quasi_identifiers():
    release = Mondrian()(table(), TCloseness(0.05, distance="js"))
    assert np.isfinite(UtilityLoss()(release).value)
    with pytest.raises(Undefined, match="not published unchanged"):
        LEARNED(release)
