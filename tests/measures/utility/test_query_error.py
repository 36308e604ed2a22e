"""Four errors of queries, the groups they are averaged over, causes of errors, and which errors are published."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import RELEASES, Naive, queries, table
from workbench.base.errors import Undefined
from workbench.measures import QueryError
from workbench.measures.utility.query_error import STATISTICS, WorkloadErrors
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.queries import Workload
from workbench.queries.evaluator import select_records

seeds = st.integers(0, 40)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_publishing_everything_has_no_error(statistic, small):
    measured = QueryError(Workload.random(small(1), 60, 2), statistic)(Keep()(small(1)))
    assert measured.value == pytest.approx(0, abs=1e-12)
    assert measured.sentence.startswith("Over 60 queries") and measured.detail["worst"] == []


def test_removing_quasi_identifiers_has_the_normalised_error_1(small):
    measure = QueryError(Workload.random(small(1), 60, 2), "normalised")
    assert measure(Remove()(small(1))).value == pytest.approx(1)
    assert 0 < measure(Mondrian()(small(1), KAnonymity(4))).value < 1
    with pytest.raises(Undefined, match="exact without any quasi-identifier"):
        QueryError(Workload.from_texts(small(1), "disease = 'Flu'"), "normalised")(Remove()(small(1)))


@examples(20)
@given(seeds, seeds, st.sampled_from(["generalized", "bucketized", "left out"]))
def test_width_and_selection_are_means_over_queries(seed, asked, kind):
    release = RELEASES[kind](table(seed))
    workload = queries(release.table, asked, sums=False)
    least, most = release.bounds(workload)
    wide = np.mean([(b - a) / max(t, 2) for a, b, t in zip(least, most, workload.truth, strict=True)])
    assert QueryError(workload, "width", 2)(release).value == pytest.approx(wide)
    errors = []
    for returned, right, truth in zip(*select_records(release, workload), workload.truth, strict=True):
        precision, recall = right / returned if returned else 0, right / truth if truth else 0
        f = 2 * precision * recall / (precision + recall) if right else float(not returned and not truth)
        errors.append(1 - f)
    assert QueryError(workload, "selection")(release).value == pytest.approx(np.mean(errors))


def test_an_average_over_nobody_has_no_error(small):
    nobody = Workload.from_texts(small(0), ["avg(age) where age > 900", "avg(age)"])
    assert QueryError(nobody)(Remove()(small(0))).detail["error"][0] != QueryError(nobody)(Remove()(small(0))).value
    with pytest.raises(Undefined, match="is an average over no records"):
        QueryError(Workload.from_texts(small(0), "avg(age) where age > 900"))(Remove()(small(0)))


@pytest.mark.parametrize("statistic", ["relative", "width", "normalised"])
def test_a_query_without_a_true_answer_is_ignored(statistic, small):
    release, asked = Mondrian()(small(0), KAnonymity(5)), ["age >= 40", "sex = 'F' and age < 40"]
    with_it, alone = (
        QueryError(Workload.from_texts(small(0), texts), statistic)(release)
        for texts in ([*asked, "avg(age) where age > 900"], asked)
    )
    assert with_it.value == pytest.approx(alone.value) and "undefined" not in with_it.sentence
    assert with_it.sentence.removeprefix("Over 3") == alone.sentence.removeprefix("Over 2")


def test_one_query_in_the_singular(small):
    assert QueryError(Workload.from_texts(small(0), "age >= 40"))(Remove()(small(0))).sentence.startswith(
        "Over 1 query the"
    )


def test_errors_are_averaged_by_dimension_and_selectivity(small):
    texts = ["age >= 40", "age >= 50", "sex = 'F' and age < 40", "work = 'Farm'", "sum(wage) where age > 60"]
    detail = QueryError(Workload.from_texts(small(0), texts))(Mondrian()(small(0), KAnonymity(5))).detail
    errors = detail["error"]
    assert detail["by_dimension"] == pytest.approx({1: np.mean(errors[[0, 1, 3, 4]]), 2: errors[2]})
    frame = small(0).frame
    met = [
        frame["age"] >= 40,
        frame["age"] >= 50,
        (frame["sex"] == "F") & (frame["age"] < 40),
        frame["work"] == "Farm",
        frame["age"] > 60,
    ]
    shares = [float(one.mean()) for one in met]
    order = np.argsort(shares, kind="stable")
    assert np.array(detail["by_selectivity"]) == pytest.approx(np.array([(shares[q], errors[q]) for q in order]))


class ExactColumn(Naive):
    """Naive answers as if a column were published exactly."""

    def __init__(self, release, name):
        super().__init__(release)
        self.name = name

    def one(self, i, name, met, summed):
        if name == self.name and self.group[i] < len(self.release.classes):
            column = self.table.columns[name]
            code = int(self.table.codes[name][i])
            number = float(column.values[code]) if code < len(column.values) and summed else 1.0
            return float(met[code]) * number
        return super().one(i, name, met, summed)


@pytest.mark.parametrize("kind", ["generalized", "sets", "one removed", "ill removed", "left out", "bucketized"])
@examples(8)
@given(seed=seeds, asked=seeds, level=st.sampled_from([0, 1]))
def test_the_cause_of_an_error_is_the_column_that_would_reduce_it_most(kind, seed, asked, level):
    release = RELEASES[kind](table(seed, False, level))
    workload = queries(release.table, asked, count=6, sums=False)
    for wrong in WorkloadErrors(release, workload).worst():
        errors = {None: wrong.error}
        for name in workload.columns:
            if workload.condition(wrong.query, name) is not None:
                told = ExactColumn(release, name).answer(workload, wrong.query)
                errors[name] = abs(told - workload.truth[wrong.query]) / max(workload.truth[wrong.query], 1)
        assert wrong.then == pytest.approx(min(errors.values()), abs=1e-9)
        assert errors[wrong.column] == pytest.approx(wrong.then, abs=1e-9)


def test_errors_of_few_queries_or_small_answers_are_not_published(adult):
    release = Mondrian()(adult, KAnonymity(50))
    few = [f"age >= {age}" for age in range(20, 60)]
    for workload in (few[:1], few, 200 * few[:1], Workload.random(adult, 200, selectivity=1e-3, dimension=6)):
        measure = QueryError(workload)
        value, sentence = measure.publish(measure(release), release, 10)
        assert value is None and "not published" in sentence
        assert measure.publish(measure(release), release, 1)[0] is not None
    for statistic in STATISTICS:
        measure = QueryError(statistic=statistic)
        found = measure(release)
        value, sentence = measure.publish(found, release, 10)
        assert value >= found.value and sentence.endswith(".") and sentence != found.sentence
        assert value == pytest.approx(float(f"{value:.2g}"))


def test_a_workload_is_named_or_given_and_is_a_setting(adult):
    table = adult.with_settings(workloads={"mine": {"random": {"count": 30}}})
    by_name, given = QueryError("mine"), QueryError(Workload.random(table, 30))
    release = Mondrian()(table, KAnonymity(50))
    assert by_name(release).value == given(release).value
    assert by_name.to_dict()["workload"] == "mine" and given.to_dict()["workload"] == {"random": {"count": 30}}
    assert QueryError(**{k: v for k, v in given.to_dict().items() if k != "name"}) == given
    assert len({by_name.key, given.key, QueryError().key}) == 3
