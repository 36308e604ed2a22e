"""What local recoding asks at every node: in which order nodes come, and which classes may be released there."""

from __future__ import annotations

import numpy as np

from workbench.measures.utility.geometric_loss import beyond_one
from workbench.methods.full_domain.lattice import Lattice, Rows
from workbench.models import Model

UNEVEN = 1.5  # a column that loses much counts for more than two that lose half of it


def in_order(lattice: Lattice, ends: bool = False) -> np.ndarray:
    """The levels of every node, those first that lose least where all records are released at them; of nodes at the
    ends alone, where each column is at its lowest level or at its highest."""
    table, lost = lattice.table, np.zeros(len(lattice))
    for a, name in enumerate(table.quasi):
        column = table.columns[name]
        runs = [lattice.bounds(a, j)[nodes] for j, nodes in enumerate(lattice.nodes[a])]
        counts = [column.leaves(run[:, 0], run[:, 1], lattice.ranges[a][0]) @ column.totals for run in runs]
        shares = np.array(counts) / column.whole / table.records
        each = table.weights_of_quasi[a] * beyond_one(shares, column.whole) ** UNEVEN
        lost += each[lattice.levels[:, a]]
    ordered = lattice.levels[np.argsort(lost, kind="stable")]
    if not ends:
        return ordered
    low, high = ([allowed[side] for allowed in lattice.ranges] for side in (0, -1))
    return ordered[((ordered == low) | (ordered == high)).all(axis=1)]


def releasable(lattice: Lattice, model: Model | None, rows: Rows, levels: np.ndarray, spare: int) -> np.ndarray:
    """The class of each row at these levels, numbered from 0, and -1 for the rows that are left over.

    None is released where what is left over could neither be left out nor keep the model at the highest levels.
    """
    classes, of_row = lattice.grouped(rows, levels)
    if model is None:
        return of_row
    held, sizes = lattice.judged(model, classes, levels), lattice.classes(classes).sizes
    if not held.all() and held.any() and sizes[~held].sum() > spare:
        left = ~held[of_row]
        rest, _ = lattice.grouped(Rows(rows.codes[left], rows.counts[left]), lattice.highest)
        held &= lattice.judged(model, rest, lattice.highest).all()
    return np.where(held, np.cumsum(held) - 1, -1)[of_row]
