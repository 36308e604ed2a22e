"""The tree of regions finds the cluster that looking at all of them finds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices
from workbench.methods.clustering import placing as module
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.placing import placed
from workbench.methods.clustering.prices import Prices


@settings(max_examples=60)
@given(
    frames(least=12, most=60), quasi_choices, st.booleans(), st.sampled_from([0.0, 0.4, 1.0]), st.integers(2, 9),
    st.sampled_from([2, 3, 32]), st.sampled_from([1, 10**9]),
)  # fmt: skip
def test_each_record_goes_to_the_cheapest_cluster(frame, quasi, each, protection, count, together, budget):
    module.TOGETHER, module.BUDGET = max(together, 2), budget
    case = Case(frame, quasi, ("s", "s2"))
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    order, half = case.order(entries), len(entries) // 2
    count = min(count, half)
    number = (np.arange(half) % count).astype(np.int32)
    shown, told = case.shown(False, 1 - protection), case.told(1.0, protection)
    clusters = [[order[i] for i in range(half) if number[i] == c] for c in range(count)]
    oracle.place_each(
        order[half:], clusters, each, lambda records: shown(records) + (told(records) if protection else 0)
    )
    prices = Prices.of(case.table, 1 - protection, protection, 1.0)
    found = Clusters(entries, np.arange(half, dtype=np.int32), number)
    found = placed(case.table, found, np.arange(half, len(order), dtype=np.int32), prices, each)
    module.TOGETHER, module.BUDGET = 32, 10_000_000
    assert cells_of(found) == case.as_cells(clusters)


def test_nobody_left_is_nothing_to_do(small):
    table = small(0)
    entries = Entries.of_records(table, table.cells(), 0)
    found = Clusters(entries, np.arange(len(entries), dtype=np.int32), np.zeros(len(entries), np.int32))
    assert placed(table, found, np.zeros(0, np.int32), Prices.of(table, 1.0, 0.0, 1.0), True) is found
