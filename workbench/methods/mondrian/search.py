"""Mondrian's search, from the whole table to classes; for a workload it is repeated with several rules.

The best single cuts for a workload may lead to a worse partition than cuts at medians. So the rules that cut at medians
are tried too. If they are not much worse, two more searches follow: one for cuts that are worth more, and one by the
best rule that deviates only for cuts that halve the error of a class. The partition with the smallest error wins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods import allowance
from workbench.methods.mondrian.least_error import LeastError, first_minimum
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.splits import Nodes, Splitter, grow
from workbench.methods.mondrian.splitters import cuts_per_column, median_splitters, splitter_of, workload_splitters
from workbench.methods.mondrian.suppressing_splits import SuppressingSplits
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods.mondrian.mondrian import Mondrian

ENOUGH = 2 / 3  # share of the best rule's error; if cuts for the workload are below it, no further search is made
HALF = 0.5  # the error reduction that a cut needs to replace the best rule's cut


def classes_of_entries(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None
) -> np.ndarray:
    """Return the class of each entry; -1 if it is suppressed."""
    begun = Nodes.root(table, entries)
    beginning = levels or (Levels.per_column(table) if cuts_per_column(method) else None)
    if beginning is not None:
        begun = beginning.begin(begun, entries, None if method.suppress else model)

    def grown(splitter: Splitter) -> np.ndarray:
        suppressing_split = None
        if model and method.suppress:
            suppressing_split = SuppressingSplits(table, splitter, model, allowance(table, method.suppress))
        return grow(replace(begun, order=begun.order.copy()), splitter, model, suppressing_split)

    if method.workload is None:
        return grown(splitter_of(method, table, entries, model, levels))
    first, more = workload_splitters(method, table, entries, model, levels)
    others = [*median_splitters(method, table, entries, model, levels, first.asked.often)]
    groups = [grown(first), *(grown(one) for one in others)]
    wrong = [first.error(group) for group in groups]
    rule = first_minimum(wrong[1:])
    if wrong[0] > ENOUGH * wrong[1 + rule]:
        groups += [grown(one) for one in (more, LeastError(first.cuts, others[rule], HALF))]
        wrong += [first.error(group) for group in groups[-2:]]
    return groups[first_minimum(wrong)]
