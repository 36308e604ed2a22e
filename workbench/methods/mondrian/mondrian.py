"""Mondrian (LeFevre, DeWitt & Ramakrishnan 2006): halve classes, attribute by attribute, as long as the model holds."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import BadInput
from workbench.base.variants import parameter
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods import Method, allowance, suppress
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.leaving_out import LeavingOut
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.relaxed import dealt
from workbench.methods.mondrian.splits import Nodes, Splitter, Widest, grow
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.partition import Bucketized, Partition


@dataclass(frozen=True)
class Mondrian(Method):
    split: str = parameter(
        "widest",
        "which attribute is cut: the widest, or the one that tells most",
        choices=("widest", "information_gain"),
    )
    target: str | None = parameter(None, "the column that information gain is about", column=True)
    cuts: str = parameter("all", "information gain: try every cut, or each attribute's best", choices=("all", "best"))
    strict: bool = parameter(
        True, "equal values stay together; relaxed deals them to both halves", choices=(True, False)
    )
    publish: str = parameter("generalized", "how classes are published", choices=("generalized", "bucketized"))
    suppress: float = suppress()
    recode: str = parameter(
        "regions",
        "what a class shows: the smallest ranges that hold its records, or nodes of the hierarchies",
        choices=("regions", "levels"),
        optional=True,
    )
    name = "mondrian"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.split == "information_gain") != (self.target is not None):
            raise BadInput("mondrian: split = information_gain goes with a target column, split = widest with none")
        if self.split == "information_gain" and not self.strict:
            raise BadInput("mondrian: without strict the records at a median are dealt; so only with split = widest")
        if self.recode == "levels" and not self.strict:
            raise BadInput("mondrian: recode = levels goes with strict: equal values are one node, and stay together")

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        others = () if self.target is None or table.roles[self.target] != "neutral" else (self.target,)
        cells = table.cells(others)
        parts, entries = None, cells
        if not self.strict:
            table.engine.require_memory("a relaxed Mondrian deals records one by one", "use the strict one")
            entries, cell = dealt(cells, seed)
            parts = (cell, entries.weight)
        levels = Levels.of(table, exact=self.publish == "bucketized") if self.recode == "levels" else None
        splitter, nodes = self._splitter(table, entries, model, levels), Nodes.root(table, entries)
        if levels is not None:
            nodes = levels.begin(nodes, entries, None if self.suppress else model)
        dearer = None
        if model and self.suppress:
            dearer = LeavingOut(table, splitter, model, allowance(table, self.suppress))
        group = grow(nodes, splitter, model, dearer)
        if self.publish == "bucketized":
            return Bucketized(table, cells, group, others=others, parts=parts)
        shown = levels.shown(cells, group) if levels else {}
        return Partition(table, cells, group, others=others, parts=parts, **shown)

    def _splitter(self, table: Table, entries: Cells, model: Model | None, levels: Levels | None) -> Splitter:
        """What chooses the cuts."""
        if self.target is None:
            return WidestNode(table, entries, model, levels) if levels else Widest(table, entries, model, self.strict)
        if levels:
            return GainOfChildren(table, entries, model, levels, self.target, self.cuts)
        return InformationGainSplitter(table, entries, model, self.target, self.cuts)
