"""The population that the records were drawn from: how many of its people fit what a class shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import step
from workbench.data.cells import Cells
from workbench.data.column import Column
from workbench.data.hierarchies.matching import keys

if TYPE_CHECKING:
    from workbench.data.table import Table

NOWHERE = -1  # of a value that fits no class


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Cells over the quasi-identifiers of a table. `places` (cells x attributes) are twice the table's codes, and one
    more where a number or a date lies between a code's value and the next; the cells ascend on the attribute `by`.

    What the table has no value for fits no class: text that is none of its values, numbers beyond its least and
    greatest. So no class seems to fit more people than it does.
    """

    places: np.ndarray
    people: np.ndarray
    by: int
    records: int
    lacking: int = 0  # records of the table that are not in the population

    @classmethod
    def of(cls, given: Table, table: Table) -> Population:
        """The records of one table as they fit the classes of another."""
        given.engine.require_few(table.quasi, given.columns, "give a population with fewer or coarser columns")
        found = given.engine.collapse(table.quasi, ())
        maps = [_places(given.columns[name], table.columns[name]) for name in table.quasi]
        places = np.stack([there[codes] for there, codes in zip(maps, found.quasi, strict=True)], axis=1)
        by = int(np.argmax([len(np.unique(axis)) for axis in places.T]))
        order = np.argsort(places[:, by], kind="stable")
        bare = cls(np.ascontiguousarray(places[order], np.int32), found.weight[order], by, given.records)
        cells = (one.collapse(table.quasi, ()) for one in table.engine.slices(table.quasi, table.columns))
        lacking = map(bare._lacking, [table.cells()] if table.engine.cells_fit else cells)
        return cls(bare.places, bare.people, by, bare.records, sum(lacking))

    def fitting(self, low: np.ndarray, high: np.ndarray, sets: Mapping[int, np.ndarray] | None = None) -> np.ndarray:
        """How many people fit each region: classes x attributes of the least and greatest code, or sets of codes."""
        begin = np.searchsorted(self.places[:, self.by], 2 * low[:, self.by])
        end = np.searchsorted(self.places[:, self.by], 2 * high[:, self.by], side="right")
        within, held = np.full(low.shape[1], -1), _stacked(sets or {}, len(low))
        within[list(sets or {})] = np.arange(len(held))
        found = np.zeros(len(low), np.int64)
        work = np.cumsum(np.maximum(end - begin, 0)) // cell_kernels.STEPS
        for block in np.split(np.arange(len(low)), np.flatnonzero(np.diff(work)) + 1):
            step()
            found[block] = cell_kernels.fitting(
                begin[block], end[block], self.places, self.people, low[block], high[block], within, held[:, block]
            )
        return found

    def _lacking(self, cells: Cells) -> int:
        """How many of these records have no person of their own: more of them are alike than in the population."""
        first, number = np.unique(cells.quasi.T, axis=0, return_inverse=True)
        have = np.bincount(number.ravel(), weights=cells.weight)
        codes = np.ascontiguousarray(first, np.int32)
        return int(np.maximum(have - self.fitting(codes, codes), 0).sum())


def _places(column: Column, of: Column) -> np.ndarray:
    """Where each code of a column lies among the codes of another of its kind."""
    last = 2 * (of.size - 1) if of.missing else NOWHERE
    missing = [last] if column.missing else []
    mine, known = keys(column), keys(of)
    if of.kind == "text" or not known:
        there = {key: 2 * code for code, key in enumerate(known)}
        return np.array([*(there.get(key, NOWHERE) for key in mine), *missing], np.int64)
    values, among = np.array(mine), np.array(known)
    code = np.searchsorted(among, values, side="right") - 1
    places = 2 * code + (among[np.maximum(code, 0)] != values)
    return np.append(np.where((values < among[0]) | (values > among[-1]), NOWHERE, places), missing).astype(np.int64)


def _stacked(sets: Mapping[int, np.ndarray], classes: int) -> np.ndarray:
    """Sets of codes in one array: sets x classes x codes."""
    most = max((held.shape[1] for held in sets.values()), default=1)
    stacked = np.zeros((len(sets), classes, most), bool)
    for i, held in enumerate(sets.values()):
        stacked[i, :, : held.shape[1]] = held
    return stacked
