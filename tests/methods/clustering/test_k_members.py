"""The search of k-member clustering compared with its pseudocode."""

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case, cells_of
from tests.methods.tables import frames, quasi_choices
from workbench.methods.clustering.clusters import Entries, Prices
from workbench.methods.clustering.k_member import k_members
from workbench.models import KAnonymity


@examples(60)
@given(frames(least=3, most=45), quasi_choices, st.integers(1, 9), st.integers(0, 3))
def test_clusters_are_those_of_the_pseudocode(frame, quasi, k, seed):
    case = Case(frame, quasi)
    entries = Entries.of_cells(case.table, case.table.cells(), seed)
    shown = Prices.from_table(case.table, 1.0, 0.0, 0.5, by_height=True)
    k = min(k, len(frame))
    found = k_members(case.table, entries, shown, shown, KAnonymity(k))
    cost = case.shown(by_height=True)
    assert cells_of(found) == case.as_cells(oracle.k_member(case.order(entries), k, cost, cost))


@examples(40)
@given(frames(least=3, most=35), quasi_choices, st.integers(1, 9), st.sampled_from([0.3, 0.8, 1.0]))
def test_clusters_for_protection_are_those_of_the_pseudocode(frame, quasi, k, r):
    case = Case(frame, quasi, ("s", "s2"))
    entries = Entries.of_cells(case.table, case.table.cells(), 0)
    shown, paid = Prices.from_table(case.table, 1.0, 0.0, r, by_height=True), Prices.from_table(case.table, 0.0, 1.0, r)
    k = min(k, len(frame))
    found = k_members(case.table, entries, paid, shown, KAnonymity(k))
    expected = oracle.k_member(case.order(entries), k, case.estimability(r), case.shown(by_height=True))
    assert cells_of(found) == case.as_cells(expected)
