"""Answers of a release compared with record-by-record computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import RELEASES, Naive, queries, table
from tests.releases.toys import Perturb
from workbench.base.errors import BadInput, Undefined
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.queries.evaluator import select_records
from workbench.queries.query import Query
from workbench.queries.workload import Workload
from workbench.releases.foreign import foreign

seeds = st.integers(0, 40)
OURS = [kind for kind in RELEASES if kind != "foreign"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", OURS)
@examples(12)
@given(seed=seeds, asked=seeds, weighted=st.booleans(), level=st.sampled_from([0, 1]))
def test_answers_are_those_of_the_records_one_by_one(kind, seed, asked, weighted, level):
    release = RELEASES[kind](table(seed, weighted, level))
    workload, naive = queries(release.table, asked), Naive(release)
    expected = [naive.answer(workload, q) for q in range(len(workload))]
    assert release.count(workload) == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@examples(20)
@given(seed=seeds, asked=seeds)
def test_a_foreign_release_answers_as_its_own_records_do(seed, asked):
    release = RELEASES["foreign"](table(seed))
    ours = Mondrian()(release.table, KAnonymity(3))
    workload, naive = queries(release.table, asked, sensitive=1), Naive(ours, hidden=["job"])
    expected = [naive.answer(workload, q) for q in range(len(workload))]
    assert release.count(workload) == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@examples(20)
@given(seed=seeds, asked=seeds, weighted=st.booleans())
def test_unchanged_data_give_true_answers(seed, asked, weighted):
    release = RELEASES["kept"](table(seed, weighted))
    asking = release.table
    workload = queries(asking, asked)
    if asking.weight:
        assert asking.weight not in workload.columns
    assert release.count(workload) == pytest.approx(workload.truth, rel=1e-12, abs=1e-12, nan_ok=True)


def test_columns_that_a_file_does_not_link_are_undefined():
    release = RELEASES["foreign"](table(0))
    met = {name: np.ones(release.table.columns[name].size, bool) for name in ("ill", "wage")}
    with pytest.raises(Undefined, match=r"does not show ill, wage jointly with the quasi-identifiers"):
        release.count(Workload.from_queries(release.table, [Query("", "count", None, met)]))


def test_other_columns_of_a_file_are_undefined():
    asking = table(0)
    release = foreign(Mondrian()(asking, KAnonymity(3)).frame().astype(str), original=asking)
    met = {"job": np.ones(asking.columns["job"].size, bool)}
    with pytest.raises(Undefined, match="this release has no records with values of job"):
        release.count(Workload.from_queries(asking, [Query("", "count", None, met)]))


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_the_other_engine_gives_the_same_answers(publish):
    frame, found = table(1).frame, []
    for engine in ("memory", "duckdb"):
        asking = Table.read(frame, ["age", "dose", "city"], ["ill", "wage"], engine=engine)
        release = Mondrian(publish=publish)(asking, KAnonymity(4))
        workload = queries(asking, 5)
        answers = (workload.truth, release.count(workload), *release.bounds(workload))
        counts = workload.aggregate == 0
        found.append(np.stack([*answers, *(one * counts for one in select_records(release, workload))]))
    assert found[0] == pytest.approx(found[1], nan_ok=True)


def test_a_release_without_classes_has_no_answers_yet():
    with pytest.raises(Undefined, match="no classes"):
        Perturb()(table(0)).count(queries(table(0), 0))


def test_a_workload_of_another_table_is_converted(adult):
    again = adult.with_settings(workloads={})
    workload, release = Workload.random(adult, 50), Mondrian()(again, KAnonymity(50))
    assert np.array_equal(release.count(workload), release.count(Workload.random(again, 50)))


@pytest.mark.parametrize("given", ["age > 3", ["age > 3"], None])
def test_other_arguments_than_workloads_are_refused(given, adult):
    release = Mondrian()(adult, KAnonymity(500))
    for ask in (release.count, release.bounds):
        with pytest.raises(BadInput, match="is not a workload; make one, such as Workload"):
            ask(given)
