"""Which splitter the settings of Mondrian ask for, and which of them go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.base.errors import BadInput, said
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods.mondrian.heuristics import Preferred, by_repetition, in_order
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.splits import Splitter, Widest
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods.mondrian.mondrian import Mondrian

# each way to choose the attribute, and the setting that it alone needs
GOES_WITH = {"widest": None, "information_gain": "target", "most_repeated": None, "fewest": None, "order": "order"}

NEEDED = {"target": "a target column", "order": "an order of columns"}


def require_together(method: Mondrian) -> None:
    """Raise BadInput for settings that do not go together."""
    for split, needed in GOES_WITH.items():
        given = needed is not None and getattr(method, needed) is not None
        if needed is not None and given != (method.split == split):
            cure = f", not with split = {method.split}: leave it out" if given else ": name one"
            raise BadInput(f"mondrian: split = {split} goes with {NEEDED[needed]}{cure}")
    if method.split == "information_gain" and not method.strict:
        raise BadInput(
            "mondrian: without strict the records at a median are dealt; so not with split = information_gain"
        )
    if method.recode == "levels" and not method.strict:
        raise BadInput("mondrian: recode = levels goes with strict: equal values are one node, and stay together")


def require_quasi(table: Table, names: Sequence[str]) -> None:
    """Raise BadInput where an order names what is not cut."""
    for name in names:
        if name not in table.quasi:
            there = ", ".join(table.quasi)
            raise BadInput(f"mondrian: order names {said(name)}, which is no quasi-identifier; they are {there}")


def splitter_of(method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None) -> Splitter:
    """What chooses the cuts."""
    if method.target is not None:
        if levels:
            return GainOfChildren(table, entries, model, levels, method.target, method.cuts)
        return InformationGainSplitter(table, entries, model, method.target, method.cuts)
    widest = WidestNode(table, entries, model, levels) if levels else Widest(table, entries, model, method.strict)
    if method.order is not None:
        return Preferred(widest, in_order(table, method.order))
    if method.split in ("most_repeated", "fewest"):
        return Preferred(widest, by_repetition(table, entries, levels, method.split == "most_repeated"))
    return widest
