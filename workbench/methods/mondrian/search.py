"""Mondrian's search, from the whole table to classes; to serve a workload several times, by several rules.

What serves a workload cut by cut may serve it worse in the end than cuts at medians do. So the classes of the rules
that cut at medians are made too. Where these are not far worse, two more searches follow: one for cuts that are worth
more, and the best rule, left only where a cut mends half of a class. The classes that answer the workload best are
taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods import allowance
from workbench.methods.mondrian.cut_tree import classes_by_known_cuts
from workbench.methods.mondrian.least_error import LeastError, least
from workbench.methods.mondrian.leaving_out import LeavingOut
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.splits import Nodes, Splitter, Widest, grow
from workbench.methods.mondrian.splitters import rules, serving, splitter_of
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods.mondrian.mondrian import Mondrian

ENOUGH = 2 / 3  # of the error of the best rule: where cuts that serve leave no more, they are not searched for again
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
        splitter = splitter_of(method, table, entries, model, levels)
        known = None
        if isinstance(splitter, Widest) and not method.suppress:
            known = classes_by_known_cuts(table, splitter, model)
        return grown(splitter) if known is None else known
    first, more = serving(method, table, entries, model, levels)
    others = [*rules(method, table, entries, model, levels, first.asked.often)]
    groups = [grown(first), *(grown(one) for one in others)]
    wrong = [first.wrong(group) for group in groups]
    rule = least(wrong[1:])
    if wrong[0] > ENOUGH * wrong[1 + rule]:
        groups += [grown(one) for one in (more, LeastError(first.cuts, others[rule], HALF))]
        wrong += [first.wrong(group) for group in groups[-2:]]
    return groups[least(wrong)]
