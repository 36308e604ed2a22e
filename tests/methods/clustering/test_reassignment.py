"""Clusters are dissolved one after another, into the cheapest of all or of the nearby clusters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices, random_frame
from workbench.methods.clustering import reassignment as module
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.prices import Prices
from workbench.methods.clustering.reassignment import dissolve_violating
from workbench.models import DistinctLDiversity, KAnonymity


def some(case, sizes):
    """Return clusters of these sizes and larger ones, record by record in the order of the entries."""
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    ends = np.minimum(np.cumsum(np.resize(sizes, len(entries))), len(entries))
    ends = np.unique(np.append(ends, len(entries)))
    return entries, Clusters.from_sizes(entries, np.arange(len(entries), dtype=np.int32), np.diff(ends, prepend=0))


@examples(60)
@given(
    frames(least=12, most=60), quasi_choices, st.sampled_from([0.0, 0.4, 1.0]),
    st.lists(st.integers(1, 7), min_size=1, max_size=5), st.sampled_from([1, 10**9]),
)  # fmt: skip
def test_each_record_goes_to_the_cheapest_cluster(frame, quasi, protection, sizes, budget):
    """The clusters include single records, each at one node of a hierarchy."""
    module.BUDGET, k = budget, max(sizes)
    case = Case(frame, quasi, ("s", "s2"))
    entries, clusters = some(case, [*sizes, k])
    order, shown, told = case.order(entries), case.shown(False, 1 - protection), case.estimability(1.0, protection)
    written = [[order[i] for i in clusters.entry[clusters.number == c]] for c in range(len(clusters))]
    wanted = oracle.dissolve_clusters(
        written,
        lambda one: len(one) >= k,
        lambda records: shown(records) + (told(records) if protection else 0),
    )
    found = dissolve_violating(
        case.table, clusters, KAnonymity(k), Prices.from_table(case.table, 1 - protection, protection, 1.0)
    )
    module.BUDGET = 10_000_000
    assert cells_of(found) == case.as_cells(wanted)


@examples(30)
@given(frames(least=30, most=80), st.integers(2, 5), st.integers(2, 8))
def test_every_record_goes_to_a_nearby_cluster(frame, k, near):
    case = Case(frame, ["whole", "word"], ("s", "s2"))
    _, clusters = some(case, [1, 2, 1, k])
    for model in (KAnonymity(k), KAnonymity(k) & DistinctLDiversity(2)):
        if clusters.satisfies(case.table, model).any():
            found = dissolve_violating(case.table, clusters, model, Prices.from_table(case.table, 0.5, 0.5, 1.0), near)
            assert np.array_equal(np.sort(found.entry), np.sort(clusters.entry))
            assert np.bincount(found.number).min() >= k and found.satisfies(case.table, model).all()


def test_clusters_that_satisfy_the_model_are_unchanged():
    case = Case(random_frame(1, 40), ["whole", "word"])
    _, clusters = some(case, [4])
    assert (
        dissolve_violating(case.table, clusters, KAnonymity(4), Prices.from_table(case.table, 1.0, 0.0, 1.0))
        is clusters
    )
