"""Sizes, regions and sensitive histograms of many classes at once: all that a model needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import TooMany, Undefined
from workbench.data.sensitive import Sensitive

LARGEST = 2**30  # bytes of the classes of a release; measures temporarily need several times as much

if TYPE_CHECKING:  # these load the whole engine, and the dashboard's first picture waits for this module
    from workbench.data.population import Coverage, Population
    from workbench.data.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Classes:
    """Arrays over classes; `low` and `high` are the first and last code of each class per quasi-identifier.

    If the region of a class is not a run of codes, `sets` contains, by the index of the quasi-identifier, a boolean
    array classes x codes of the codes in the region; `low` and `high` are then its smallest and largest code. While a
    method searches for classes their regions are unknown, and `low` and `high` are None.
    """

    sizes: np.ndarray
    histograms: dict[str, np.ndarray]
    sensitive: Mapping[str, Sensitive]
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    exact: bool = False  # quasi-identifiers are published unchanged, together with the index of the class
    sets: Mapping[int, np.ndarray] = field(default_factory=dict)
    population: Population | None = None  # the people from whom the records were sampled, if known
    levels: np.ndarray | None = None
    absent: Mapping[int, np.ndarray] = field(default_factory=dict)  # values not in the table that the labels cover

    def __len__(self) -> int:
        return len(self.sizes)

    def population_matches(self) -> np.ndarray:
        """Return for each class the number of people in the population whom its label covers."""
        return self.coverage.people

    @cached_property
    def coverage(self) -> Coverage:
        """The people of the population covered by the labels of the classes."""
        if self.low is None or self.high is None:
            raise Undefined(
                "the regions of classes are not known during the search; use full-domain, or mondrian with "
                "split = widest and recode = regions"
            )
        if self.population is None:
            raise Undefined("the table has no population; name the file that lists it")
        if self.exact:
            raise Undefined("quasi-identifiers are published unchanged, so population matches per class are undefined")
        return self.population.coverage(self.low, self.high, self.sets, self.levels, self.absent)

    def distributions(self, name: str) -> np.ndarray:
        """Return P, the distribution of a sensitive column in each class."""
        return self.histograms[name] / self.sizes[:, None]

    def regions(self, axes: Sequence[int] | None = None) -> np.ndarray:
        """Return one row per class that is equal for equal regions, on some quasi-identifiers or on all."""
        assert self.low is not None and self.high is not None  # known for a finished release
        chosen = list(range(self.low.shape[1]) if axes is None else axes)
        packed = [np.packbits(self.sets[a], axis=1) for a in chosen if a in self.sets]
        return np.concatenate([self.low[:, chosen], self.high[:, chosen], *packed], axis=1)

    def spread(self, a: int) -> np.ndarray:
        """Return for each class the number of codes of a quasi-identifier in its region, minus one."""
        assert self.low is not None and self.high is not None
        return self.sets[a].sum(axis=1) - 1 if a in self.sets else self.high[:, a] - self.low[:, a]

    def take(self, chosen: np.ndarray) -> Classes:
        """Return the chosen classes."""
        return replace(
            self,
            sizes=self.sizes[chosen],
            histograms={name: counts[chosen] for name, counts in self.histograms.items()},
            low=None if self.low is None else self.low[chosen],
            high=None if self.high is None else self.high[chosen],
            sets={a: held[chosen] for a, held in self.sets.items()},
            levels=None if self.levels is None else self.levels[chosen],
            absent={a: covered[chosen] for a, covered in self.absent.items()},
        )

    def merged(self, number: np.ndarray) -> Classes:
        """Return the classes with those of the same number merged."""
        groups = int(number.max()) + 1
        added = {name: np.zeros((groups, h.shape[1]), h.dtype) for name, h in self.histograms.items()}
        for name, counts in self.histograms.items():
            np.add.at(added[name], number, counts)
        low = high = None
        if self.low is not None and self.high is not None:
            low = np.full((groups, self.low.shape[1]), np.iinfo(np.int32).max, np.int32)
            high = np.full_like(low, -1)
            np.minimum.at(low, number, self.low)
            np.maximum.at(high, number, self.high)
        sizes = np.bincount(number, weights=self.sizes, minlength=groups).astype(np.int64)
        sets = {a: np.zeros((groups, held.shape[1]), bool) for a, held in self.sets.items()}
        for a, held in self.sets.items():
            np.logical_or.at(sets[a], number, held)
        levels = None if self.levels is None else self.levels[np.unique(number, return_index=True)[1]]
        return replace(self, sizes=sizes, histograms=added, low=low, high=high, sets=sets, levels=levels)


def max_classes_in_memory(table: Table) -> int:
    """Return how many classes fit in memory, with their sensitive values."""
    return LARGEST // (8 * (1 + len(table.quasi) + sum(map(len, table.sensitive.values()))))


def refuse_too_many_classes(count: int, table: Table) -> None:
    """Raise TooMany if this many classes do not fit in memory."""
    if count > max_classes_in_memory(table):
        values = sum(map(len, table.sensitive.values()))
        raise TooMany(
            f"{count:,} classes or more with {values:,} sensitive values do not fit in memory; request larger "
            "classes, for example by a larger k, or declare a level for a sensitive column with many values"
        )


def whole_table(table: Table) -> Classes:
    """Return the whole table as one class."""
    histograms = {name: seen.totals[None, :] for name, seen in table.sensitive.items()}
    columns = [table.columns[name] for name in table.quasi]
    last = np.array([[column.size - 1 for column in columns]], np.int32)
    highest = np.array([[len(column.released_at) - 1 for column in columns]])
    return Classes(
        np.array([table.records]), histograms, table.sensitive, np.zeros_like(last), last,
        population=table.population, levels=highest,
    )  # fmt: skip
