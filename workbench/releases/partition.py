"""A partition of the records, published in one of two ways: by generalization, or by bucketization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from workbench.base import counting
from workbench.base.randomness import operating_system_random
from workbench.base.thresholds import SMALLEST
from workbench.data import engines
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import spare
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.base import Release
from workbench.releases.codebook import Entry, entries
from workbench.releases.export import Coded, Named, Rows
from workbench.releases.giveaways import Beside, beside, known_by


@dataclass(frozen=True, eq=False, repr=False)
class Partition(Release):
    """Published by generalization: records of a class show the same region of each quasi-identifier.

    `group` is the class of each cell. A method that cuts through cells says so in `parts`: entry i of `group` then
    stands for parts[1][i] records of cell parts[0][i]. `others` are the columns that the cells were asked to hold.
    """

    table: Table
    cells: Cells
    group: np.ndarray
    removed: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    parts: tuple[np.ndarray, np.ndarray] | None = None
    guarantee: str = ""
    exact: ClassVar[bool] = False  # quasi-identifiers are published as they are, beside the number of the class

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.table.records:,} records in {len(self.classes):,} classes>"

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Cell and records of each entry of `group`."""
        return self.parts or (np.arange(len(self.cells), dtype=np.int32), self.cells.weight)

    @cached_property
    def _merged(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The class of each entry, with each class's runs."""
        low, high = counting.ranges(self.group, self._entries[0], self.cells.quasi, int(self.group.max()) + 1)
        for a, name in enumerate(self.table.quasi):
            if name in self.removed:
                low[:, a], high[:, a] = 0, self.table.columns[name].size - 1
        return self._distinct(low, high)

    def _distinct(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Classes with equal released values are one class."""
        first, number = distinct_rows(np.concatenate([low, high], axis=1))
        if len(first) == len(low):
            return self.group, low, high
        return number[self.group].astype(self.group.dtype), low[first], high[first]

    @cached_property
    def classes(self) -> Classes:
        """Sizes, runs and histograms of the classes."""
        (group, low, high), (cell, weight) = self._merged, self._entries
        histograms = {
            name: counting.histogram(group, self.cells.others[name][cell], weight, len(low), len(seen))
            for name, seen in self._published().items()
        }
        sizes = np.bincount(group, weights=weight, minlength=len(low)).astype(np.int64)
        return Classes(sizes, histograms, self._published(), low, high, exact=self.exact)

    def _published(self) -> dict[str, Sensitive]:
        return {name: seen for name, seen in self.table.sensitive.items() if name not in self.removed}

    def rows(self) -> dict[str, Rows]:
        """One table: record by record in random order."""
        columns: list[tuple[Named, str | None]] = []
        for name in self.table.names:
            if name in self.table.quasi and name not in self.removed:
                columns.append((Named(name, pd.Series(self.class_labels(name))), None))
            elif name not in self.removed:
                columns.append((Named(name, self.table.published(name)), name))
        return {"release": self._shuffled(columns)}

    def _shuffled(self, columns: Sequence[tuple[Named, str | None]]) -> Rows:
        """The records in random order, in columns that each follow a column of the table or the class (None)."""
        classes = engines.Partition(self.table.quasi, self.cells, self._merged[0], lambda: self.group_of_record)
        names = [name for _, name in columns]
        return Rows([column for column, _ in columns], lambda: self.table.seen.shuffled(names, classes))

    @property
    def blurred(self) -> dict[str, np.ndarray]:
        """Which columns are not published as they are, and for which records."""
        self._require_records()
        classes, table, blurred = self.classes, self.table, dict[str, np.ndarray]()
        for a, name in enumerate(table.quasi):
            wide = classes.low[:, a] < classes.high[:, a]  # type: ignore[index]
            if not self.exact and wide.any():
                blurred[name] = wide[self.group_of_record]
        hidden = [name for name in table.sensitive if self.exact or name in self.removed]
        return blurred | dict.fromkeys(hidden, np.ones(table.records, bool))

    def beside_those(self, neutral: Sequence[str]) -> Beside:
        """What is found by who knows some neutral columns of everybody, too."""
        self._require_records()
        table, group, known = self.table, self.group_of_record, known_by(self.table, neutral)
        sensitive = {name: table.sensitive_codes(name) for name in self._published()}
        if self.exact:  # neutral columns lie beside the exact quasi-identifiers, sensitive values elsewhere
            return beside(neutral, known_by(table, table.quasi), known, sensitive, told_by=group)
        return beside(neutral, group, known, sensitive)

    def _require_records(self) -> None:
        """Raise BadInput where what neutral columns tell cannot be found."""
        self.table.engine.require_memory(
            "what neutral columns tell beside a release is found record by record",
            "leave the neutral columns out, or allow giveaways if what they tell is known",
        )

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """What each label stands for; nothing where all values are published as they are."""
        low, high = self.classes.low, self.classes.high
        assert low is not None and high is not None
        if self.exact:
            return []
        found, wide = [], False
        for a, name in enumerate(self.table.quasi):
            if name not in self.removed:
                wide = wide or bool((low[:, a] < high[:, a]).any())
                found += entries(self.table.columns[name], low[:, a], high[:, a], self.class_labels(name), smallest)
        return found if wide else []

    @property
    def group_of_cell(self) -> np.ndarray | None:
        """The class of each of the table's cells, where none is cut through."""
        return None if self.parts or self.others else self._merged[0]

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The class of each record, in the table's order: for miners and previews, never published.

        Where a cell is cut through its records are dealt: always in the same way, since two files of one release that
        differ give people away together; and by the data themselves, since a seed could be guessed.
        """
        group, _, _ = self._merged
        of_record = self.table.cell_of_record(self.others)
        if not self.parts:
            return group[of_record]
        cell, weight = self.parts
        dealt = np.empty(len(of_record), group.dtype)
        neutral = [self.table.codes[name] for name in self.table.neutral]
        known = np.lexsort([*neutral, of_record])  # in whatever order the records stand
        by_chance = np.random.default_rng(self.cells.digest).permutation(len(known))
        records = known[np.lexsort([by_chance, of_record[known]])]
        in_cell_order = np.argsort(cell, kind="stable")
        dealt[records] = np.repeat(group[in_cell_order], weight[in_cell_order])
        return dealt


@dataclass(frozen=True, eq=False, repr=False)
class Bucketized(Partition):
    """Exact quasi-identifiers with a class id, and the sensitive values of each class in a table of their own."""

    exact = True

    def _distinct(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.group, low, high  # the class id is published, so equal runs stay apart

    def _expected(self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray) -> np.ndarray:
        belief = histogram / self.classes.sizes[:, None]
        cell, weight = self._entries
        quasi = np.ascontiguousarray(self.cells.quasi[:, cell])
        return counting.reach(runs, quasi, weight, self.group, belief, same)

    def frame(self) -> pd.DataFrame:
        """One row a record, its sensitive values dealt anew inside its class: what a reader can put together."""
        tables, (of_class, count) = self.tables(), self._added
        records = tables.pop(self._records).sort_values(of_class, ignore_index=True)
        for name, counted in tables.items():
            values = counted.loc[counted.index.repeat(counted[count])]
            records[name] = values.sample(frac=1, random_state=operating_system_random()).sort_values(
                of_class, kind="stable", ignore_index=True
            )[name]
        return records.sample(frac=1, random_state=operating_system_random(), ignore_index=True)

    @property
    def _added(self) -> tuple[str, str]:
        """The names of the columns that bucketization adds, `class` and `count` where the data leave them free."""
        return spare("class", self.table.names), spare("count", self.table.names)

    @property
    def _records(self) -> str:
        return spare("records", self.table.sensitive)

    @property
    def files(self) -> tuple[str, ...]:
        """The records, and the sensitive columns."""
        return (self._records, *self._published())

    def rows(self) -> dict[str, Rows]:
        """The records without their sensitive values, and per sensitive column how often each class has each value."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        plain = [n for n in self.table.names if n not in self.table.sensitive and n not in self.removed]
        columns: list[tuple[Named, str | None]] = [(Named(name, self.table.published(name)), name) for name in plain]
        columns.append((Named(self._added[0], number), None))
        counted = {name: Rows.shuffled(self._counted(name, number)) for name in self._published()}
        return {self._records: self._shuffled(columns), **counted}

    def _counted(self, name: str, number: pd.Series) -> list[Coded]:
        """class, value, count."""
        histogram = self.classes.histograms[name]
        group, value = np.nonzero(histogram)
        of_class, count = self._added
        counts = Coded(count, pd.Series(histogram[group, value]), np.arange(len(group)))
        return [Coded(of_class, number, group), Coded(name, self.table.sensitive_values(name), value), counts]
