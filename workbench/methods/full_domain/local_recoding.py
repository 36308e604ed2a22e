"""Local recoding (after Prasser et al. 2017): full-domain generalization, again and again of the records left over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.base.progress import step
from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods import Method, allowance, suppress
from workbench.methods.full_domain.lattice import Lattice, Rows
from workbench.methods.full_domain.leftovers import in_order, releasable
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.partition import Partition


@dataclass(frozen=True)
class LocalRecoding(Method):
    """Combinations of levels are taken one after the other, those that lose least first: classes that keep the model
    are released at these levels, and the other records are left to the combinations that follow.

    What is left over can always be one class more, so that nobody is left out, unless `suppress` allows it.
    """

    recode: str = parameter(
        "levels",
        "at which levels: any, or single values kept as they are or suppressed",
        choices=("levels", "single values"),
        optional=True,
    )
    suppress: float = suppress()
    name = "local recoding"
    overlapping = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        lattice, spare = Lattice.of(table, model is not None and model.needs_sensitive), allowance(table, self.suppress)
        rows, here = lattice.cells, np.arange(len(lattice.cells.codes))
        group, shown, found = np.full(len(here), -1, np.int32), [np.zeros((0, len(table.quasi), 2), np.int32)], 0
        for number, levels in enumerate(in_order(lattice, ends=self.recode == "single values")):
            if not len(here):
                break
            step(f"{len(here):,} kinds of records left, {number:,} of {len(lattice):,} combinations of levels")
            number_of = releasable(lattice, model, rows, levels, spare)
            left, (_, first) = number_of < 0, np.unique(number_of, return_index=True)
            if left.all():
                continue
            group[here[~left]] = number_of[~left] + found
            shown.append(lattice.shown(levels, lattice.codes_at(rows.codes[first[int(left.any()) :]], levels)))
            found += len(shown[-1])
            rows, here = Rows(rows.codes[left], rows.counts[left]), here[left]
        if not found:
            raise Unsatisfiable(f"{self} cannot keep {model} on this table: every record would be left out")
        over = int(lattice.classes(rows).sizes.sum())
        if over > spare:
            raise Unsatisfiable(
                f"{self} cannot keep {model} on this table: {over:,} records are left over at the highest levels; "
                "let more be left out, allow higher levels, or ask less of the classes"
            )
        lowest = {name: table.level_range(name)[0] for name in table.quasi}
        cells, group = table.cells(), group[lattice.row_of_cell]
        return Partition(table, cells, group, runs=np.concatenate(shown), label_levels=lowest)
