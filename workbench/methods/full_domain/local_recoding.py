"""Local recoding (after Prasser et al. 2017): full-domain generalization, repeated on the remaining records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.data.settings import level_range, weights_of_quasi
from workbench.data.table import Table
from workbench.measures.utility.geometric_loss import share_of_others
from workbench.methods import Method, allowance, suppress
from workbench.methods.full_domain.lattice import Lattice, Rows
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.partition import Partition

UNEVEN = 1.5  # exponent: one large loss counts more than two half as large


def nodes_by_loss(lattice: Lattice, ends: bool = False) -> np.ndarray:
    """Return the levels of every node, by increasing loss of a release of all records.

    With `ends`, only nodes with each column at its lowest or highest level are included.
    """
    table, lost = lattice.table, np.zeros(len(lattice))
    for a, name in enumerate(table.quasi):
        column = table.columns[name]
        runs = [lattice.bounds(a, j)[nodes] for j, nodes in enumerate(lattice.nodes[a])]
        counts = [column.leaves(run[:, 0], run[:, 1], lattice.ranges[a][0]) @ column.totals for run in runs]
        shares = np.array(counts) / column.whole / table.records
        each = weights_of_quasi(table)[a] * share_of_others(shares, column.whole) ** UNEVEN
        lost += each[lattice.levels[:, a]]
    ordered = lattice.levels[np.argsort(lost, kind="stable")]
    if not ends:
        return ordered
    low, high = ([allowed[side] for allowed in lattice.ranges] for side in (0, -1))
    return ordered[((ordered == low) | (ordered == high)).all(axis=1)]


def releasable_classes(lattice: Lattice, model: Model | None, rows: Rows, levels: np.ndarray, spare: int) -> np.ndarray:
    """Return the class of each row at these levels, numbered from 0; -1 for rows that are left for later nodes.

    No class is released if the remaining records could then neither be suppressed nor satisfy the model at the highest
    levels.
    """
    classes, of_row = lattice.group_rows(rows, levels)
    if model is None:
        return of_row
    held, sizes = lattice.satisfies(model, classes, levels), lattice.classes(classes).sizes
    if not held.all() and held.any() and sizes[~held].sum() > spare:
        left = ~held[of_row]
        rest, _ = lattice.group_rows(Rows(rows.codes[left], rows.counts[left]), lattice.highest)
        held &= lattice.satisfies(model, rest, lattice.highest).all()
    return np.where(held, np.cumsum(held) - 1, -1)[of_row]


@dataclass(frozen=True)
class LocalRecoding(Method):
    """Tries combinations of levels by increasing loss.

    Classes that satisfy the model are released at these levels; the other records are left for later combinations. The
    last remaining records can always be one more class, so no record is suppressed unless `suppress` allows it.
    """

    recode: str = parameter(
        "levels",
        "levels to use: any, or only single values, which are published unchanged or suppressed",
        choices=("levels", "single values"),
        optional=True,
    )
    suppress: float = suppress()
    name = "local recoding"
    title = "Local recoding (after Prasser et al. 2017)"
    summary = "full-domain generalization, repeated on the remaining records"
    overlapping = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        lattice, spare = (
            Lattice.from_table(table, model is not None and model.needs_sensitive),
            allowance(table, self.suppress),
        )
        rows, here = lattice.cells, np.arange(len(lattice.cells.codes))
        group, shown, found = np.full(len(here), -1, np.int32), [np.zeros((0, len(table.quasi), 2), np.int32)], 0
        for number, levels in enumerate(nodes_by_loss(lattice, ends=self.recode == "single values")):
            if not len(here):
                break
            checkpoint(f"{len(here):,} kinds of records left, {number:,} of {len(lattice):,} combinations of levels")
            number_of = releasable_classes(lattice, model, rows, levels, spare)
            left, (_, first) = number_of < 0, np.unique(number_of, return_index=True)
            if left.all():
                continue
            group[here[~left]] = number_of[~left] + found
            shown.append(lattice.shown(levels, lattice.codes_at(rows.codes[first[int(left.any()) :]], levels)))
            found += len(shown[-1])
            rows, here = Rows(rows.codes[left], rows.counts[left]), here[left]
        if not found:
            raise Unsatisfiable(f"{self} cannot satisfy {model} on this table: every record would be suppressed")
        over = int(lattice.classes(rows).sizes.sum())
        if over > spare:
            raise Unsatisfiable(
                f"{self} cannot satisfy {model} on this table: {over:,} records remain at the highest levels; "
                "increase suppress, allow higher levels, or relax the model"
            )
        lowest = {name: level_range(table, name)[0] for name in table.quasi}
        cells, group = table.cells(), group[lattice.row_of_cell]
        return Partition(table, cells, group, runs=np.concatenate(shown), label_levels=lowest)
