"""The lattice: every node once, merged from finer ones or counted from the records, with its published regions."""

from math import prod

import numpy as np
import pandas as pd
import pytest

from tests.methods.full_domain.lattices import table_of
from workbench import BadInput, Table
from workbench.data.hierarchies.builders import Intervals
from workbench.methods.full_domain import lattice as module
from workbench.methods.full_domain.lattice import Lattice


def as_set(rows):
    return {(*shown, *counted) for shown, counted in zip(rows.codes.tolist(), rows.counts.tolist(), strict=True)}


@pytest.mark.parametrize("seed", range(30))
def test_a_merged_node_equals_the_node_counted_from_the_records(seed):
    """Also if levels do not nest."""
    table, _, _ = table_of(seed)
    found = Lattice.from_table(table, True)
    assert len(found) == len(found.levels) == len({tuple(levels) for levels in found.levels.tolist()})
    assert len(found) == prod(len(table.columns[name].released_at) for name in table.quasi)
    for levels, rows in zip(found.levels, found.walk(), strict=True):
        anew, number = found.group_rows(found.cells, levels)
        assert as_set(rows) == as_set(anew)
        assert np.array_equal(anew.codes[number], found.codes_at(found.cells.codes, levels))
        assert found.classes(rows).sizes.sum() == table.records
        shown = found.shown(levels, anew.codes)
        for a, name in enumerate(table.quasi):
            node = table.columns[name].released_at[levels[a]]
            for (low, high), code in zip(shown[:, a].tolist(), anew.codes[:, a].tolist(), strict=True):
                assert np.flatnonzero(node == code).tolist() == list(range(low, high + 1))


@pytest.mark.parametrize("seed", range(10))
def test_only_allowed_levels_are_visited(seed):
    table, _, _ = table_of(seed)
    allowed = {name: [1, len(table.columns[name].released_at) - 1] for name in table.quasi[:1]}
    every, found = Lattice.from_table(table, True), Lattice.from_table(table.with_settings(level_ranges=allowed), True)
    wanted = [as_set(rows) for levels, rows in zip(every.levels, every.walk(), strict=True) if levels[0] > 0]
    assert [as_set(rows) for rows in found.walk()] == wanted
    assert found.levels[:, 0].min() == 1 and len(found) < len(every)


def test_nesting_of_levels_is_detected():
    frame = pd.DataFrame({"age": range(20, 60), "ill": ["yes", "no"] * 20})
    for widths, nested in (((5, 10), True), ((10, 15), False)):
        table = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=widths)})
        assert Lattice.from_table(table, False).nested == nested


def test_the_highest_node_is_one_class():
    found = Lattice.from_table(table_of(3)[0], False)
    assert len(found.group_rows(found.cells, found.highest)[0].codes) == 1


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    with pytest.raises(BadInput, match="combinations of levels, more than 3; allow fewer levels of some columns"):
        Lattice.from_table(table_of(0)[0], False)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_rows_are_grouped_as_pandas_groups_them(seed, dtype, monkeypatch):
    monkeypatch.setattr(module, "STEPS", 7)
    rng = np.random.default_rng(seed)
    rows, axes = int(rng.integers(0, 60)), int(rng.integers(1, 5))
    codes = rng.integers(0, 6, (rows, axes)).astype(dtype)
    nodes = np.sort(rng.integers(0, 4, (axes, 6)), axis=1).astype(dtype)
    counts = rng.integers(0, 5, (rows, 3)).astype(np.int32)
    shown, added, number = module.group_rows(codes, nodes, counts)
    there = [tuple(row) for row in nodes[np.arange(axes), codes]]
    assert [tuple(row) for row in shown] == list(dict.fromkeys(there))
    assert [tuple(shown[i]) for i in number] == there
    expected = pd.DataFrame(counts).groupby(number).sum().to_numpy() if rows else np.zeros((0, 3))
    assert np.array_equal(added, expected)
