"""The population of a sample, for the number of people that each class covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.data.absent_values import OF_VALUES, AbsentValues
from workbench.data.cells import Cells, distinct_rows

if TYPE_CHECKING:
    from workbench.data.table import Table


# The people of a population that the labels of classes cover.
#
# The label of a class decides, not the values that occur in the table: a node of a hierarchy covers all of its leaves,
# including those that the data lack; `*` covers everybody; a range covers every number between its ends. Labels of
# local recoding and of clusters may overlap, so that several of them cover the same person.


@dataclass(frozen=True, eq=False)
class Coverage:
    """Regions of classes over the codes of the table and over the values that only the population has."""

    population: Population
    low: np.ndarray
    high: np.ndarray
    sets: Mapping[int, np.ndarray]
    region: np.ndarray  # classes x attributes: the row of `absent`
    absent: tuple[np.ndarray, ...]  # for each attribute: distinct regions x values that the table lacks

    @classmethod
    def from_regions(
        cls,
        population: Population,
        low: np.ndarray,
        high: np.ndarray,
        sets: Mapping[int, np.ndarray] | None = None,
        levels: np.ndarray | None = None,
        known: Mapping[int, np.ndarray] | None = None,
    ) -> Coverage:
        """Find the people whom regions of the table's codes cover by their labels.

        Parameters
        ----------
        levels
            Classes x attributes: the level from which nodes have their labels, or OF_VALUES, which is the default.
        known
            For some attributes, the absent values that each class covers: classes x absent values.
        """
        region, absent = np.zeros(low.shape, np.int32), []
        for a, values in enumerate(population.absent):
            if known and a in known:
                region[:, a] = np.arange(len(low))
                absent.append(known[a])
            elif not len(values) or (sets and a in sets):  # a set lists values of the table
                absent.append(np.zeros((1, len(values)), bool))
            else:
                level = np.full(len(low), OF_VALUES) if levels is None else levels[:, a]
                ends = np.stack([low[:, a], high[:, a], level - OF_VALUES], axis=1).astype(np.int64)
                first, region[:, a] = distinct_rows(ends)
                rows = [(int(low[i, a]), int(high[i, a]), int(level[i])) for i in first]
                absent.append(np.array([values.covered(*row) for row in rows]))
        return cls(population, low, high, sets or {}, region, tuple(absent))

    @property
    def people(self) -> np.ndarray:
        """The number of people that each class covers."""
        return self._counted[0]

    def presence(self, sizes: np.ndarray) -> Presence:
        """Return the probability that people of the population are in the table, given the sizes of the classes.

        A person covered by a class of n records that covers N people has probability n / N. For a person covered by
        several classes, the probabilities are added.
        """
        share = np.where(self.people > 0, sizes / np.maximum(self.people, 1), 0.0)
        times, people = self._counted[1], self.population.people
        uncovered = int(people[times == 0].sum())
        if times.max(initial=0) <= 1:
            return Presence(np.minimum(share, 1.0), np.minimum(share, 1.0), uncovered)
        total = np.zeros(len(people))
        for block in self._blocks:
            checkpoint()
            cell_kernels.spread(*block, share, self._regions, total)
        total, least, most = np.minimum(total, 1.0), np.ones(len(share)), np.zeros(len(share))
        for block in self._blocks:
            checkpoint()
            cell_kernels.extremes(*block, total, self._regions, least, most)
        return Presence(least, most, uncovered)

    @cached_property
    def _counted(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of people that each class covers, and the number of classes that cover each cell."""
        found, times = np.zeros(len(self.low), np.int64), np.zeros(len(self.population.people), np.int32)
        for block in self._blocks:
            checkpoint()
            cell_kernels.fitting(*block, self.population.people, self._regions, found, times)
        return found, times

    @cached_property
    def _blocks(self) -> list[tuple[int, np.ndarray, np.ndarray, int, np.ndarray]]:
        """The cells to search for the people of each class, split into blocks of bounded work.

        The search runs along the attribute with the fewest cells to look at.
        """
        works = [self._cells(a) for a in range(self.low.shape[1])]
        begin, end, outside, order = min(works, key=lambda one: int((one[1] - one[0]).sum()) + len(self.low) * one[2])
        work = np.cumsum(end - begin + outside) // cell_kernels.STEPS
        parts = np.split(np.arange(len(begin)), np.flatnonzero(np.diff(work)) + 1)
        return [(int(part[0]), begin[part], end[part], outside, order) for part in parts if len(part)]

    def _cells(self, a: int) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
        """Return the begin and end of each class's cells in the order of an attribute.

        Cells `outside` the table's values come first; their number and the order are returned, too.
        """
        order, places = self.population.order(a)
        begin = np.searchsorted(places, self.low[:, a])
        end = np.searchsorted(places, self.high[:, a], side="right")
        return begin, end, int(np.searchsorted(places, 0)), order

    @cached_property
    def _regions(self) -> tuple[np.ndarray, ...]:
        """The regions as arrays for the kernels."""
        within, held = np.full(self.low.shape[1], -1), _stacked(self.sets, len(self.low))
        within[list(self.sets)] = np.arange(len(self.sets))
        width = np.array([rows.shape[1] for rows in self.absent], np.int64)
        offset = np.append(0, np.cumsum([rows.size for rows in self.absent]))[:-1].astype(np.int64)
        absent = np.concatenate([rows.ravel() for rows in self.absent] or [np.zeros(0, bool)])
        low, high = (np.ascontiguousarray(ends, np.int32) for ends in (self.low, self.high))
        return self.population.places, low, high, within, held, self.region, absent, offset, width


class Presence(NamedTuple):
    """The minimum and maximum presence of the people covered by each class, and the number of uncovered people."""

    least: np.ndarray
    most: np.ndarray
    uncovered: int


def _stacked(sets: Mapping[int, np.ndarray], classes: int) -> np.ndarray:
    """Return sets of codes as one array: sets x classes x codes."""
    most = max((held.shape[1] for held in sets.values()), default=1)
    stacked = np.zeros((len(sets), classes, most), bool)
    for i, held in enumerate(sets.values()):
        stacked[i, :, : held.shape[1]] = held
    return stacked


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Cells over the quasi-identifiers of a table.

    `places` (cells x attributes) has the table's code of a value, or -1 - i for absent value i.
    """

    places: np.ndarray
    people: np.ndarray
    records: int
    absent: tuple[AbsentValues, ...] = ()
    lacking: int = 0  # records of the table that are not in the population
    _orders: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    @classmethod
    def from_tables(cls, given: Table, table: Table) -> Population:
        """Count the cells of a population in terms of the table's codes."""
        given.engine.require_combinations_fit(
            table.quasi, given.columns, "use a population with fewer or coarser columns"
        )
        found, absent = given.engine.collapse(table.quasi, ()), AbsentValues.from_tables(given, table)
        places = np.stack([one.places[codes] for one, codes in zip(absent, found.quasi, strict=True)], axis=1)
        bare = cls(np.ascontiguousarray(places, np.int32), found.weight, given.records, absent)
        cells = (one.collapse(table.quasi, ()) for one in table.engine.slices(table.quasi, table.columns))
        lacking = map(bare._lacking, [table.cells()] if table.engine.cells_fit else cells)
        return replace(bare, lacking=sum(lacking))

    def order(self, a: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the cells sorted by an attribute, and their places on it."""
        if a not in self._orders:
            order = np.argsort(self.places[:, a], kind="stable")
            self._orders[a] = order, self.places[order, a]
        return self._orders[a]

    def coverage(
        self,
        low: np.ndarray,
        high: np.ndarray,
        sets: Mapping[int, np.ndarray] | None = None,
        levels: np.ndarray | None = None,
        known: Mapping[int, np.ndarray] | None = None,
    ) -> Coverage:
        """Find the people whom regions of the table's codes cover; parameters as in `Coverage.from_regions`."""
        return Coverage.from_regions(self, low, high, sets, levels, known)

    def fitting(self, low: np.ndarray, high: np.ndarray, sets: Mapping[int, np.ndarray] | None = None) -> np.ndarray:
        """Return the number of people in the population whom the label of each region covers."""
        return self.coverage(low, high, sets).people

    def _lacking(self, cells: Cells) -> int:
        """Count the records in excess of the population, where more records than people share the same values."""
        first, number = np.unique(cells.quasi.T, axis=0, return_inverse=True)
        have = np.bincount(number.ravel(), weights=cells.weight)
        codes = np.ascontiguousarray(first, np.int32)
        return int(np.maximum(have - self.fitting(codes, codes), 0).sum())
