"""Pre-partitioning compared with algorithm 2."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import oracle
from tests.methods.clustering.tables import Case
from tests.methods.tables import AXES, frames, random_frame
from workbench import Table
from workbench.measures.privacy.s_diversity import contributions
from workbench.methods.clustering import prepartition as module
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.prepartition import group_points, prepartition


@examples(60)
@given(
    frames(least=4, most=80), st.lists(st.sampled_from(AXES), min_size=1, max_size=3, unique=True), st.integers(1, 9),
    st.booleans(), st.sampled_from([None, 0.5, 0.9, 1.3]),
)  # fmt: skip
def test_parts_are_those_of_the_pseudocode(frame, quasi, size, raw, most):
    case = Case(frame, quasi, ("s", "s2"))
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    order = case.order(entries)
    found, starts = prepartition(case.table, entries, size, "raw" if raw else "normalised", 1.0, most)
    told = case.estimability(1.0, weight=2.0)  # twice the mean over two columns
    kept = (lambda part: True) if most is None else (lambda part: told(part) <= most * oracle.WHOLE + 4)
    expected = oracle.parts(order, case.axes, size, raw, kept)
    cell = case.table.cell_of_record()
    got = [sorted(found.cell[a:b].tolist()) for a, b in pairwise(starts.tolist())]
    assert got == [sorted(cell[part].tolist()) for part in expected]


def test_a_large_part_is_halved_whatever_its_values(monkeypatch):
    frame = random_frame(0, 200)
    case = Case(frame, ["whole", "real"])
    entries = Entries.of_records(case.table, case.table.cells(), 0)
    assert len(prepartition(case.table, entries, 5, "normalised", 1.0, 0.0)[1]) == 2
    monkeypatch.setattr(module, "LARGEST", 50)
    assert np.diff(prepartition(case.table, entries, 5, "normalised", 1.0, 0.0)[1]).max() <= 50


@pytest.mark.slow
def test_equal_records_are_halved_in_their_order(monkeypatch):
    """A part of a million equal records would take quadratic time to cluster."""
    monkeypatch.setattr(module, "LARGEST", 50)
    frame = pd.DataFrame({"a": [1] * 230 + [5] * 30 + [9] * 120, "s": list("xy") * 190})
    table = Table.from_frame(frame, ["a"], "s")
    entries = Entries.of_records(table, table.cells(), 0)
    found, starts = prepartition(table, entries, 10, "normalised", 1.0, None)
    assert np.diff(starts).max() < 100 and np.diff(starts).min() >= 10
    assert np.array_equal(np.sort(found.cell), np.sort(entries.cell)) and starts[-1] == 380
    assert prepartition(table, entries, 300, "normalised", 1.0, None)[1].tolist() == [0, 380], (
        "no part has fewer records than requested"
    )
    part = group_points(table, np.zeros((1000, 1), int), 10)
    assert np.bincount(part).tolist() == [10] * 100


@pytest.mark.slow
def test_nearby_points_are_in_one_part():
    table = Table.from_frame(pd.DataFrame({"a": range(100), "s": list("xy") * 50}), ["a"], "s")
    part = group_points(table, np.arange(100)[:, None], 10)
    assert (np.diff(part) >= 0).all() and np.bincount(part).min() >= 10 and np.bincount(part).max() < 20


def test_important_columns_are_halved_first():
    case = Case(random_frame(2, 200), ["whole", "real"])
    spread = []
    for table in (case.table, case.table.with_importance({"real": 50})):
        entries, starts = prepartition(table, Entries.of_records(table, table.cells(), 0), 20, "normalised", 1.0, None)
        real = table.quasi.index("real")
        spread.append(np.mean([np.ptp(entries.codes[real, a:b]) for a, b in pairwise(starts.tolist())]))
    assert spread[1] < 0.6 * spread[0]


@pytest.mark.parametrize("name", ["s", "s2"])
def test_contributions_are_those_of_the_measure(name):
    table = Case(random_frame(4, 40), ["whole"], ("s", "s2")).table
    assert np.diag(contributions(table, name, 1.0)).tolist() == [1.0] * len(table.sensitive[name])
