"""Mondrian (LeFevre, DeWitt & Ramakrishnan 2006): halve classes, attribute by attribute, as long as the model holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.variants import parameter
from workbench.data.cells import Cells
from workbench.data.table import MANY_VALUES, Table
from workbench.methods import Method, allowance, suppress
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.leaving_out import LeavingOut
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
    name = "mondrian"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.split == "information_gain") != (self.target is not None):
            raise BadInput("mondrian: split = information_gain goes with a target column, split = widest with none")
        if self.split == "information_gain" and not self.strict:
            raise BadInput("mondrian: without strict the records at a median are dealt; so only with split = widest")

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        others = () if self.target is None or table.roles[self.target] != "neutral" else (self.target,)
        cells = table.cells(others)
        parts, entries = None, cells
        if not self.strict:
            table.engine.require_memory("a relaxed Mondrian deals records one by one", "use the strict one")
            entries, cell = _dealt(cells, seed)
            parts = (cell, entries.weight)
        if self.target is not None and table.columns[self.target].size > MANY_VALUES:
            raise BadInput(
                f"mondrian: target {self.target!r} has {table.columns[self.target].size:,} values, more than "
                f"{MANY_VALUES:,}; information gain is about few: choose another, or make a column of groups"
            )
        splitter: Splitter = Widest(table, entries, model, self.strict)
        if self.target is not None:
            splitter = InformationGainSplitter(table, entries, model, self.target, self.cuts)
        dearer = (
            LeavingOut(table, splitter, model, allowance(table, self.suppress)) if model and self.suppress else None
        )
        group = grow(Nodes.root(table, entries), splitter, model, dearer)
        kind = Bucketized if self.publish == "bucketized" else Partition
        return kind(table, cells, group, others=others, parts=parts)


def _dealt(cells: Cells, seed: int) -> tuple[Cells, np.ndarray]:
    """One entry a record, in random order, so that equal values at a cut are dealt by chance.

    Cells stand in the order of their sensitive values too. Whoever could replay the deal from the seed alone would
    know which ranks of them went to which class, so the data, which only the analyst has, are part of the seed.
    """
    rng = np.random.default_rng([seed, cells.digest])
    cell = np.repeat(np.arange(len(cells), dtype=np.int32), cells.weight)
    cell = cell[rng.permutation(len(cell))]
    others = {name: codes[cell] for name, codes in cells.others.items()}
    return Cells(np.ascontiguousarray(cells.quasi[:, cell]), others, np.ones(len(cell), np.int64)), cell
