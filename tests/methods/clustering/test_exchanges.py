"""The t-closeness-aware variant compared with its pseudocode."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices
from workbench.methods.clustering import microaggregation as module
from workbench.methods.clustering.clusters import Entries
from workbench.methods.clustering.microaggregation import Exchanges, mdav
from workbench.models import TCloseness


def from_everybody(columns):
    """Return the largest variation distance over the sensitive columns."""

    def far(records):
        found = []
        for values in columns:
            whole, here = Counter(values), Counter(values[i] for i in records)
            found.append(sum(abs(here[v] / len(records) - n / len(values)) for v, n in whole.items()) / 2)
        return round(max(found), 12)

    return far


@examples(60)
@given(
    frames(least=6, most=45), quasi_choices, st.integers(2, 6), st.sampled_from([0.05, 0.2, 0.4]), st.integers(1, 64)
)
def test_clusters_are_those_of_the_pseudocode(frame, quasi, k, t, ahead):
    case = Case(frame, quasi, ("s", "s2"))
    entries = Entries.of_cells(case.table, case.table.cells(), 0)
    far = from_everybody([case.frame[name].fillna("missing").tolist() for name in case.sensitive])
    expected = oracle.aware(case.order(entries), k, oracle.Space(case.axes, case.leaves), far, t + 1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AHEAD", ahead)
        found = mdav(case.table, entries, k, Exchanges(case.table, entries, TCloseness(t), k), to_the_end=True)
    assert cells_of(found) == case.as_cells(expected)
