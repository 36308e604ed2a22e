"""Sizes, runs and sensitive histograms of many classes at once: all that a model sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import TooMany, Undefined
from workbench.data.sensitive import Sensitive

LARGEST = 2**30  # bytes of the classes of a release; measures need some times as much for a while

if TYPE_CHECKING:  # it loads the whole engine, and a dashboard's first picture waits for this file
    from workbench.data.population import Population
    from workbench.data.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Classes:
    """Arrays over classes; `low` and `high` are the codes of each class's run per quasi-identifier.

    Where the region of a class is no run, `sets` has the number of that quasi-identifier: classes x codes, which of
    them the class may have; `low` and `high` are then the least and the greatest. While a method looks for classes
    their regions are not known yet, and left out.
    """

    sizes: np.ndarray
    histograms: dict[str, np.ndarray]
    sensitive: Mapping[str, Sensitive]
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    exact: bool = False  # quasi-identifiers are published unchanged, beside the number of the class
    sets: Mapping[int, np.ndarray] = field(default_factory=dict)
    population: Population | None = None  # the people that the records were drawn from, where they are known

    def __len__(self) -> int:
        return len(self.sizes)

    def fitting(self) -> np.ndarray:
        """How many people of the population fit what each class shows."""
        if self.low is None or self.high is None:
            raise Undefined(
                "what classes show is not known while they are looked for; use full-domain, or mondrian with "
                "split = widest and recode = regions"
            )
        if self.population is None:
            raise Undefined("the table has no population beside it; name the file that lists it")
        if self.exact:
            raise Undefined("quasi-identifiers are published unchanged, so whom one fits is no matter of its class")
        return self.population.fitting(self.low, self.high, self.sets)

    def distributions(self, name: str) -> np.ndarray:
        """P, the distribution of a sensitive column in each class."""
        return self.histograms[name] / self.sizes[:, None]

    def regions(self, axes: Sequence[int] | None = None) -> np.ndarray:
        """A row a class, of some quasi-identifiers or of all: equal where their regions are."""
        assert self.low is not None and self.high is not None  # of a finished release they are known
        chosen = list(range(self.low.shape[1]) if axes is None else axes)
        packed = [np.packbits(self.sets[a], axis=1) for a in chosen if a in self.sets]
        return np.concatenate([self.low[:, chosen], self.high[:, chosen], *packed], axis=1)

    def spread(self, a: int) -> np.ndarray:
        """How many codes each class may have of a quasi-identifier, beyond the first."""
        assert self.low is not None and self.high is not None
        return self.sets[a].sum(axis=1) - 1 if a in self.sets else self.high[:, a] - self.low[:, a]

    def take(self, chosen: np.ndarray) -> Classes:
        """Some of the classes."""
        return replace(
            self,
            sizes=self.sizes[chosen],
            histograms={name: counts[chosen] for name, counts in self.histograms.items()},
            low=None if self.low is None else self.low[chosen],
            high=None if self.high is None else self.high[chosen],
            sets={a: held[chosen] for a, held in self.sets.items()},
        )

    def merged(self, number: np.ndarray) -> Classes:
        """Classes with the same number become one."""
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
        return replace(self, sizes=sizes, histograms=added, low=low, high=high, sets=sets)


def most_classes(table: Table) -> int:
    """How many fit into memory, with their sensitive values."""
    return LARGEST // (8 * (1 + len(table.quasi) + sum(map(len, table.sensitive.values()))))


def refuse_many(count: int, table: Table) -> None:
    """Raise TooMany where so many do not."""
    if count > most_classes(table):
        values = sum(map(len, table.sensitive.values()))
        raise TooMany(
            f"{count:,} classes or more with {values:,} sensitive values are more than fit into memory; ask for larger "
            "classes, such as a larger k, or declare a level for a sensitive column of many values"
        )


def whole_table(table: Table) -> Classes:
    """The whole table as one class."""
    histograms = {name: seen.totals[None, :] for name, seen in table.sensitive.items()}
    last = np.array([[table.columns[name].size - 1 for name in table.quasi]], np.int32)
    ends = np.zeros_like(last), last
    return Classes(np.array([table.records]), histograms, table.sensitive, *ends, population=table.population)
