"""Microaggregation as a method: its properties, with and without awareness of t."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle, promises
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices, random_frame, table_of
from workbench.base.errors import BadInput
from workbench.measures import GroupUtility
from workbench.methods import Microaggregation, Mondrian
from workbench.methods.clustering.clusters import Entries
from workbench.methods.clustering.microaggregation import Remaining, mdav
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness


@examples(40)
@given(frames(least=12, most=60), quasi_choices, st.integers(1, 8), st.sampled_from([0.1, 0.3]), st.integers(0, 9))
def test_every_cluster_has_k_records_and_satisfies_the_model(frame, quasi, k, t, seed):
    table = table_of(frame, quasi, ("s", "s2"))
    promises.check(Microaggregation(), table, KAnonymity(k), k, seed)
    promises.check(Microaggregation(publish="bucketized"), table, KAnonymity(k) & DistinctLDiversity(2), k, seed)
    for aware in (False, True):
        promises.check(Microaggregation(aware), table, KAnonymity(k) & TCloseness(t), k, seed)


def test_the_loss_is_below_that_of_mondrian():
    table, model = table_of(random_frame(5, 400, values=6), ["whole", "word", "real"]), KAnonymity(5)
    losses = [GroupUtility("records")(method(table, model)).value for method in (Microaggregation(), Mondrian())]
    assert losses[0] < losses[1]


def test_swapping_records_leaves_more_clusters_unmerged():
    table = table_of(random_frame(4, 300, values=3), ["whole", "real"])
    model = KAnonymity(10) & TCloseness(0.15)
    assert len(Microaggregation(aware=True)(table, model).classes) > len(Microaggregation()(table, model).classes)


def test_awareness_needs_t_and_each_record_is_a_cluster_without_a_model(small):
    with pytest.raises(BadInput, match="aware needs t-closeness"):
        Microaggregation(aware=True)(small(0), KAnonymity(3))
    assert GroupUtility(floor="subtracted")(Microaggregation()(small(0))).value == 0


# The search of MDAV compared with its pseudocode.


@examples(60)
@given(frames(least=3, most=60), quasi_choices, st.integers(1, 7), st.integers(1, 3))
def test_clusters_are_those_of_the_pseudocode(frame, quasi, k, l):
    case = Case(frame, quasi)
    entries = Entries.of_cells(case.table, case.table.cells(), 0)

    def until(remaining: Remaining, around: int) -> np.ndarray:
        cluster = remaining.take(k)
        while remaining.records and len(set(entries.values["s"][cluster])) < l:
            cluster = np.append(cluster, remaining.take(1))
        return cluster

    values = case.frame["s"].fillna("missing").tolist()
    space = oracle.Space(case.axes, case.leaves)
    expected = oracle.mdav(case.order(entries), k, space, lambda records: len({values[i] for i in records}) >= l)
    assert cells_of(mdav(case.table, entries, k, until, to_the_end=False)) == case.as_cells(expected)
