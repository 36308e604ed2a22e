"""Threshold clustering as a method: its properties, its thresholds, its weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle, promises
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices, random_frame, table_of
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.variants import catalog, from_dict
from workbench.frontier.recipe import combinations, parse_method
from workbench.measures import GroupProtection, GroupUtility
from workbench.methods import Method, ThresholdClustering
from workbench.methods.clustering import threshold_clustering as module
from workbench.methods.clustering.clusters import WHOLE, Entries
from workbench.methods.clustering.threshold_clustering import clustered, prices, within
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness

WEIGHTS = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)]


@examples(40)
@given(
    frames(least=12, most=60),
    quasi_choices, st.integers(1, 5), st.sampled_from(WEIGHTS), st.sampled_from([None, 10, 25]),
    st.sampled_from([None, 2]), st.sampled_from(["generalized", "bucketized"]), st.integers(0, 9),
)  # fmt: skip
def test_every_cluster_has_k_records_and_satisfies_the_model(frame, quasi, k, weights, size, near, publish, seed):
    table = table_of(frame, quasi, ("s", "s2"))
    method = ThresholdClustering(*weights, size=size, near=near, publish=publish)
    for model in (KAnonymity(k), KAnonymity(k) & DistinctLDiversity(2), KAnonymity(k) & TCloseness(0.4)):
        try:
            promises.check(method, table, model, k, seed)
        except Unsatisfiable as refused:
            assert "delta" in str(refused)  # no cluster satisfies the model: reported, not leaked


def test_thresholds_are_chosen_once_and_given_ones_are_used():
    table, model = table_of(random_frame(2, 200), ["whole", "word"]), KAnonymity(5)
    chosen = ThresholdClustering(size=25).chosen(table, model)
    assert 0 < chosen.delta < 1 and chosen.part_delta > 0 and chosen.size == 25
    assert chosen.chosen(table, model) is chosen
    assert ThresholdClustering(delta=0.4).chosen(table, model) == ThresholdClustering(delta=0.4)
    assert ThresholdClustering(delta=0.5, size=25).chosen(table, model).delta == 0.5
    assert promises.regions(chosen(table, model)) == promises.regions(ThresholdClustering(size=25)(table, model))


def test_weights_trade_protection_for_utility():
    table, model = table_of(random_frame(8, 400, values=6), ["whole", "word", "real"]), KAnonymity(5)
    releases = [ThresholdClustering(u, 1 - u, r=1.0)(table, model) for u in (1, 0.5, 0)]
    shown, told = ([m(one).value for one in releases] for m in (GroupUtility(), GroupProtection(1.0)))
    assert shown[0] < 1.05 * shown[1] < shown[2] and told[2] <= told[1]


def test_weights_are_relative():
    table, model = table_of(random_frame(2, 120), ["whole", "word"]), KAnonymity(4)
    releases = [ThresholdClustering(w, w, delta=0.5)(table, model) for w in (0.25, 1)]
    assert promises.regions(releases[0]) == promises.regions(releases[1])
    with pytest.raises(BadInput, match="both 0"):
        ThresholdClustering(0, 0)


def test_a_threshold_that_no_cluster_reaches_is_reported():
    table = table_of(random_frame(2, 60), ["whole", "word"])
    with pytest.raises(Unsatisfiable, match=r"no cluster within delta = 0.01 satisfies k-anonymity, k = 5"):
        ThresholdClustering(delta=0.01)(table, KAnonymity(5))


def test_optional_numbers_are_parsed_and_printed():
    plain = ThresholdClustering()
    assert plain.to_dict() == {"name": plain.name, "utility": 0.5, "protection": 0.5, "r": 0.5}
    given = ThresholdClustering(delta=0.25, size=40)
    assert from_dict("method", catalog("workbench.methods", Method), given.to_dict()) == given
    assert parse_method(str(given)) == given and parse_method(str(plain)) == plain
    assert parse_method("threshold clustering, delta=none, size=40") == ThresholdClustering(size=40)
    several = combinations("method", {"name": plain.name, "delta": [None, 0.3], "size": [20, 40.0]})
    assert [(one.delta, one.size) for one in several] == [(None, 20), (None, 40), (0.3, 20), (0.3, 40)]
    for wrong, why in (({"delta": 1.5}, "at most 1"), ({"size": 2.5}, "whole number"), ({"size": "x"}, "a number")):
        with pytest.raises(BadInput, match=why):
            ThresholdClustering(**wrong)


# Clusters within a threshold compared with algorithm 1.

SEARCH_WEIGHTS = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.8, 0.2)]


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
    frames(least=3, most=40), quasi_choices, st.integers(1, 6), st.sampled_from(SEARCH_WEIGHTS), st.floats(0.05, 0.9),
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
    found = within(case.table, entries, starts, paid, 0.01, model, limited=False)
    assert found.satisfies(case.table, model).all() and np.bincount(found.number).min() >= 5 and len(found) > 3
