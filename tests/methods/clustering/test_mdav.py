"""The search of MDAV compared with its pseudocode."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.mdav import Remaining, mdav


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
