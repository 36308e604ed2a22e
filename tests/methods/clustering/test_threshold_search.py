"""Clusters within a threshold compared with algorithm 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices, random_frame
from workbench.base.errors import Unsatisfiable
from workbench.methods import ThresholdClustering
from workbench.methods.clustering import threshold_search as module
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.prices import WHOLE
from workbench.methods.clustering.threshold_search import clustered, prices, within
from workbench.models import KAnonymity

WEIGHTS = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.8, 0.2)]


def expected(case, order, k, method, delta):
    weights = method.utility + method.protection
    shown = case.shown(by_height=False, weight=method.utility / weights)
    told = case.estimability(method.r, method.protection / weights)
    limit = round(delta * WHOLE) + len(case.quasi) + (len(case.sensitive) if method.protection else 0)

    def cost(records):
        return (shown(records) if method.utility else 0) + (told(records) if method.protection else 0)

    found = oracle.threshold(order, limit, cost)
    accepted = any(len(cluster) >= k for cluster in found)
    return oracle.dissolve_clusters(found, lambda cluster: len(cluster) >= k, cost) if accepted else []


@examples(80)
@given(
    frames(least=3, most=40), quasi_choices, st.integers(1, 6), st.sampled_from(WEIGHTS), st.floats(0.05, 0.9),
    st.sampled_from([0.5, 1.0]), st.booleans(),
)  # fmt: skip
def test_clusters_are_those_of_the_pseudocode(frame, quasi, k, weights, delta, r, one_by_one):
    case, method = Case(frame, quasi, ("s", "s2")), ThresholdClustering(*weights, r=r)
    table = case.table
    entries = Entries.of_cells(table, table.cells(), 0)
    module.SMALL = 0 if one_by_one else 4096
    order, costs, starts = case.order(entries), prices(table, method), np.array([0, len(entries)])
    wanted = expected(case, order, k, method, delta)
    if wanted:
        found = within(table, entries, starts, costs, delta, KAnonymity(k))
        assert cells_of(found) == case.as_cells(wanted)
    else:
        with pytest.raises(Unsatisfiable, match="use a larger delta"):
            within(table, entries, starts, costs, delta, KAnonymity(k))
    module.SMALL = 4096


def test_large_and_small_parts_contain_the_same_records():
    case = Case(random_frame(3, 300), ["whole", "word"])
    model, method = KAnonymity(3), ThresholdClustering(1, 0, delta=0.3, size=20, part_delta=1)
    plain = clustered(case.table, method, model, 0)
    module.SMALL = 30
    mixed = clustered(case.table, method, model, 0)
    module.SMALL = 4096
    assert np.bincount(mixed.number).min() >= 3 and len(mixed.number) == 300
    assert sum((cells_of(plain) & cells_of(mixed)).values()) > len(plain) // 3


def test_only_utility_counts_without_a_sensitive_column():
    case = Case(random_frame(1, 60), ["whole", "word"])
    bare = case.table.with_roles(["whole", "word"])
    assert prices(bare, ThresholdClustering()).scale.size == 0
    assert len(clustered(bare, ThresholdClustering(delta=0.4), KAnonymity(3), 0)) > 1
    with pytest.raises(Unsatisfiable, match="set utility above 0"):
        prices(bare, ThresholdClustering(0, 1))


def test_a_proposed_delta_does_not_make_clustering_fail():
    """Samples have duplicates, so their clusters may reach k records although no cluster of the table does."""
    case = Case(random_frame(1, 60), ["whole", "word", "real"])
    method, model = ThresholdClustering(1, 0, delta=0.01), KAnonymity(5)
    with pytest.raises(Unsatisfiable, match="no cluster within delta"):
        clustered(case.table, method, model, 0)
    entries = Entries.of_cells(case.table, case.table.cells(), 0)
    starts, paid = np.array([0, len(entries)]), prices(case.table, method)
    found = within(case.table, entries, starts, paid, 0.01, model, asked=False)
    assert found.satisfies(case.table, model).all() and np.bincount(found.number).min() >= 5 and len(found) > 3
