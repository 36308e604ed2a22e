"""Mondrian's search, from the whole table to classes; to serve a workload several times, by several rules.

What serves a workload cut by cut may serve it worse in the end than cuts at medians do. So it is served by several
searches: cuts that are worth a little or more; the rules that cut at medians; and the best of these rules, left only
where a cut mends half of a class. The classes that answer the workload best are taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods import allowance
from workbench.methods.mondrian.least_error import LeastError, least
from workbench.methods.mondrian.leaving_out import LeavingOut
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.splits import Nodes, Splitter, grow
from workbench.methods.mondrian.splitters import rules, serving, splitter_of
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods.mondrian.mondrian import Mondrian

HALF = 0.5  # what a cut mends at least where else the best rule cuts


def classes_of_entries(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None
) -> np.ndarray:
    """The class of each entry: -1 where it is left out."""
    begun = Nodes.root(table, entries)
    if levels is not None:
        begun = levels.begin(begun, entries, None if method.suppress else model)

    def grown(splitter: Splitter) -> np.ndarray:
        dearer = None
        if model and method.suppress:
            dearer = LeavingOut(table, splitter, model, allowance(table, method.suppress))
        return grow(replace(begun, order=begun.order.copy()), splitter, model, dearer)

    if method.workload is None:
        return grown(splitter_of(method, table, entries, model, levels))
    serve = serving(method, table, entries, model, levels)
    others = [*rules(method, table, entries, model, levels, serve[0].asked.often)]
    tried: list[Splitter] = [*serve, *others]
    groups = [grown(one) for one in tried]
    wrong = [serve[0].wrong(group) for group in groups]
    best = LeastError(serve[0].cuts, others[least(wrong[len(serve) :])], HALF)
    groups.append(grown(best))
    return groups[least([*wrong, best.wrong(groups[-1])])]
