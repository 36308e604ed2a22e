"""A partition of the records, published in one of two ways: by generalization, or by bucketization."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.errors import Unsatisfiable
from workbench.base.randomness import operating_system_random
from workbench.base.small_counts import SMALLEST
from workbench.data import engines, weights
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import spare
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models.classes import Classes, refuse_many
from workbench.releases import shown as showing
from workbench.releases.base import Release
from workbench.releases.codebook import Entry, region_entries
from workbench.releases.export import Coded, Held, Named, Rows
from workbench.releases.giveaways import Beside, beside, known_by
from workbench.releases.joint import Joint, of_partition
from workbench.releases.labels import region_labels

RECORDS = "records"  # what the file of a bucketized release is called that has a row a record


@dataclass(frozen=True, eq=False, repr=False)
class Partition(Release):
    """Published by generalization: records of a class show the same region of each quasi-identifier.

    `group` is the class of each cell. A method that cuts through cells says so in `parts`: entry i of `group` then
    stands for parts[1][i] records of cell parts[0][i]. `others` are the columns that the cells were asked to hold.
    Records of group -1 are left out. A class shows the smallest runs that hold its records; where a method publishes
    larger ones, such as nodes of hierarchies, `runs` has them: groups x quasi-identifiers x (low, high), and
    `label_levels` the level from which on the nodes of each quasi-identifier have their labels (0: its values).
    """

    table: Table
    cells: Cells
    group: np.ndarray
    removed: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    parts: tuple[np.ndarray, np.ndarray] | None = None
    sets: frozenset[str] = frozenset()  # quasi-identifiers without an order, of which a class shows its values, no run
    guarantee: str = ""
    runs: np.ndarray | None = None
    label_levels: Mapping[str, int] | None = None
    exact: ClassVar[bool] = False  # quasi-identifiers are published unchanged, beside the number of the class

    def __repr__(self) -> str:
        kept = self.table.records - self.left_out
        gone = f", {self.left_out:,} left out" if self.left_out else ""
        return f"<{type(self).__name__} of {kept:,} records in {len(self.classes):,} classes{gone}>"

    @cached_property
    def left_out(self) -> int:  # type: ignore[override]
        """The records that are not published."""
        return self.table.records - int(self._entries[2].sum())

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Group, cell and records of each entry that is published."""
        cell, weight = self.parts or (np.arange(len(self.cells), dtype=np.int32), self.cells.weight)
        if self.group.min() >= 0:
            return self.group, cell, weight
        kept = self.group >= 0
        return self.group[kept], cell[kept], weight[kept]

    @cached_property
    def _regions(self) -> Classes:
        """What each group shows of each quasi-identifier."""
        groups, (group, cell, weight) = int(self.group.max()) + 1, self._entries
        if self.runs is None:
            low, high = cell_kernels.ranges(group, cell, self.cells.quasi, groups)
        else:
            low, high = (np.ascontiguousarray(self.runs[:, :, side], np.int32) for side in (0, 1))
        sets = {}
        for a, name in enumerate(self.table.quasi):
            size = self.table.columns[name].size
            if name in self.removed:
                low[:, a], high[:, a] = 0, size - 1
            elif name in self.sets:
                sets[a] = cell_kernels.histogram(group, self.cells.quasi[a][cell], weight, groups, size) > 0
        sizes = np.bincount(group, weights=weight, minlength=groups).astype(np.int64)
        return Classes(sizes, {}, self._published(), low, high, self.exact, sets, self.table.population)

    @cached_property
    def _merged(self) -> tuple[np.ndarray, Classes]:
        """The class of each entry that is published, and what each class shows: classes with equal released values are
        one class."""
        group = self._entries[0]
        if self.exact:  # the number of the class is published, so equal regions stay apart
            return group, self._regions
        first, number = distinct_rows(self._regions.regions())
        if len(first) == len(self._regions):
            return group, self._regions
        return number[group].astype(group.dtype), self._regions.take(first)

    @cached_property
    def classes(self) -> Classes:
        """Sizes, regions and histograms of the classes."""
        (group, shown), (_, cell, weight) = self._merged, self._entries
        refuse_many(len(shown), self.table)
        histograms = {
            name: cell_kernels.histogram(group, self.cells.others[name][cell], weight, len(shown), len(seen))
            for name, seen in self._published().items()
        }
        sizes = np.bincount(group, weights=weight, minlength=len(shown)).astype(np.int64)
        return replace(shown, sizes=sizes, histograms=histograms)

    @cached_property
    def group_of_entry(self) -> np.ndarray:
        """The class of each entry of `group`; behind the last class where it is left out, as in `posterior`."""
        group, shown = self._merged
        if len(group) == len(self.group):
            return group
        found = np.full(len(self.group), len(shown), group.dtype)
        found[self.group >= 0] = group
        return found

    def without(self, gone: np.ndarray) -> Partition:
        """The same release with the records of some classes left out."""
        kept = np.ones(len(self.classes) + 1, bool)
        kept[gone], kept[-1] = False, False
        if not kept.any():
            raise Unsatisfiable("every record would be left out; ask less of the classes")
        number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        runs = self.runs
        if runs is not None:
            low, high = self.classes.low, self.classes.high
            assert low is not None and high is not None
            runs = np.stack([low, high], axis=2)[kept[:-1]]
        return replace(self, group=number[self.group_of_entry], runs=runs)

    @cached_property
    def weighed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Class, cell and people of each entry; where cells are cut through, each record is an entry of its own."""
        (_, cell, records), (group, shown) = self._entries, self._merged
        if self.table.weight is None:
            return group, cell, records
        if not self.parts:
            return group, cell, weights.people(self.table, self.others)[cell]
        kept, of_record = self.group_of_record < len(shown), self.table.cell_of_record(self.others)
        return self.group_of_record[kept], of_record[kept], weights.of_record(self.table)[kept]

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """The people of each class, one column a value of the sensitive one."""
        if self.table.weight is None:
            return super().people_of_classes(sensitive)
        group, cell, people = self.weighed
        if sensitive is None:
            return np.bincount(group, people, len(self.classes))[:, None]
        value, values = self.cells.others[sensitive][cell], len(self.table.sensitive[sensitive])
        return np.bincount(group.astype(np.int64) * values + value, people, len(self.classes) * values).reshape(
            -1, values
        )

    def joint(self, names: Sequence[str], original: bool = False) -> Joint:
        """The published records by class and by columns that are told of each record unchanged; where `original`, by
        the original codes of any columns."""
        if len(names) < 2 and set(names) <= {*self._published()} and not original:
            return super().joint(names)
        return of_partition(self, names, original)

    def _published(self) -> dict[str, Sensitive]:
        return {name: seen for name, seen in self.table.sensitive.items() if name not in self.removed}

    def rows(self) -> dict[str, Rows]:
        """One table: record by record in random order, without those that are left out."""
        columns: list[tuple[Named, str | None]] = []
        for name in self.table.released:
            if name in self.table.quasi and name not in self.removed:
                columns.append((Named(name, pd.Series(self.class_labels(name))), None))
            elif name not in self.removed:
                columns.append((Named(name, self.table.published(name)), name))
        return {"release": self._shuffled(columns)}

    def _shuffled(self, columns: Sequence[tuple[Named, str | None]]) -> Rows:
        """The records in random order, in columns that each follow a column of the table or the class (None)."""
        names, classes = [name for _, name in columns], self._classes_of_records
        held = Held(self.table.seen, names, classes)
        return Rows([column for column, _ in columns], lambda: held.engine.shuffled(names, classes), held)

    @property
    def _classes_of_records(self) -> engines.ClassesOfCells | engines.ClassesOfParts:
        """The class of each cell, and of each record."""
        groups = len(self.classes)

        def published(group: np.ndarray) -> np.ndarray:
            return np.where(group < groups, group, -1) if self.left_out else group

        return engines.ClassesOfCells(
            self.table.quasi, self.cells, published(self.group_of_entry), lambda: published(self.group_of_record)
        )

    @property
    def blurred(self) -> dict[str, np.ndarray]:
        """Which columns are not published unchanged, and for which records."""
        self._require_records()
        wide = {name: np.append(one, True)[self.group_of_record] for name, one in self._wide().items()}
        return wide | dict.fromkeys(self._hidden(), np.ones(self.table.records, bool))

    def untouched(self, names: Iterable[str]) -> list[str]:
        """Those of the columns that are published as every record has them."""
        changed = {*self.removed, *self._wide(), *self._hidden()}
        return [name for name in names if name not in changed]

    def _wide(self) -> dict[str, np.ndarray]:
        """The quasi-identifiers that are not published unchanged, and for which classes."""
        spread = {} if self.exact else {name: self.classes.spread(a) > 0 for a, name in enumerate(self.table.quasi)}
        return {name: wide for name, wide in spread.items() if wide.any()}

    def _hidden(self) -> list[str]:
        """The sensitive columns that no record shows."""
        return [name for name in self.table.sensitive if self.exact or name in self.removed]

    def beside_those(self, neutral: Sequence[str]) -> Beside:
        """What is found by who knows some neutral columns of everybody, too."""
        self._require_records()
        table, group = self.table, self.group_of_record
        there = group < len(self.classes)  # nothing is told of those that are left out
        group, known = group[there], known_by(table, neutral)[there]
        sensitive = {name: self._sensitive_of_records(name) for name in self._published()}
        if self.exact:  # neutral columns lie beside the exact quasi-identifiers, sensitive values elsewhere
            return beside(neutral, known_by(table, table.quasi)[there], known, sensitive, told_by=group)
        return beside(neutral, group, known, sensitive)

    def _sensitive_of_records(self, name: str) -> np.ndarray:
        """The sensitive value of each published record, as the release has it."""
        return self.table.sensitive_codes(name)[self.published_records]

    def _require_records(self) -> None:
        """Raise BadInput where what neutral columns tell cannot be found."""
        self.table.engine.require_memory(
            "what neutral columns tell beside a release is found record by record",
            "leave the neutral columns out, or allow giveaways if what they tell is known",
        )

    def class_labels(self, name: str) -> np.ndarray:
        """The released value of a quasi-identifier in each class; not to be written to."""
        if name not in self._labels:
            a, column = self._axis(name), self.table.columns[name]
            found = region_labels(column, self.classes, a, self.label_level(name))
            found.flags.writeable = False
            self._labels[name] = found
        return self._labels[name]

    @cached_property
    def _labels(self) -> dict[str, np.ndarray]:
        """The labels that were asked for: a file, its codebook and a page have the same."""
        return {}

    def label_level(self, name: str) -> int | None:
        """The level from which on nodes of a quasi-identifier have their labels; None where labels are of values."""
        return self.label_levels.get(name) if self.label_levels and name not in self.removed else None

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """What each label stands for; nothing where all values are published unchanged."""
        kept = [(a, name) for a, name in enumerate(self.table.quasi) if name not in self.removed]
        if self.exact or not any(self.classes.spread(a).any() for a, _ in kept):
            return []
        return [
            entry
            for a, name in kept
            for entry in region_entries(
                self.table.columns[name], self.classes, a, self.class_labels(name), smallest, self.label_level(name)
            )
        ]

    @cached_property
    def published_records(self) -> np.ndarray:
        """The records of the table that are published, ascending: for miners and attacks, never published."""
        return np.flatnonzero(self.group_of_record < len(self.classes))

    def _shown(self, name: str, seed: int) -> showing.Shown:
        return showing.of_partition(self, name, seed)

    @property
    def group_of_cell(self) -> np.ndarray | None:
        """The class of each of the table's cells, where none is cut through."""
        return None if self.parts or self.others else self.group_of_entry

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The class of each record, in the table's order: for miners and previews, never published.

        Where a cell is cut through its records are dealt: always in the same way, since two files of one release that
        differ give people away together; and by the data themselves, since a seed could be guessed.
        """
        group = self.group_of_entry
        of_record = self.table.cell_of_record(self.others)
        if not self.parts:
            return group[of_record]
        cell, weight = self.parts
        dealt = np.empty(len(of_record), group.dtype)
        apart = [*self.table.neutral, *([self.table.weight] if self.table.weight else [])]
        known = np.lexsort([*(self.table.codes[name] for name in apart), of_record])  # in whatever order records stand
        by_chance = np.random.default_rng(self.cells.digest).permutation(len(known))
        records = known[np.lexsort([by_chance, of_record[known]])]
        in_cell_order = np.argsort(cell, kind="stable")
        dealt[records] = np.repeat(group[in_cell_order], weight[in_cell_order])
        return dealt


@dataclass(frozen=True, eq=False, repr=False)
class Bucketized(Partition):
    """Exact quasi-identifiers with a class id, and the sensitive values of each class in a table of their own."""

    exact = True

    def _expected(self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray, whole: bool = False) -> np.ndarray:
        """People per population and value: those that are in it, each with the values of its class."""
        sizes = histogram.sum(axis=1, keepdims=True)
        belief = histogram / np.where(sizes > 0, sizes, 1)
        group, cell, weight = self._entries if whole else self.weighed
        quasi = np.ascontiguousarray(self.cells.quasi[:, cell])
        return cell_kernels.reach(runs, quasi, weight, group, belief, same)

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
        return spare(RECORDS, self.table.sensitive)

    @property
    def files(self) -> tuple[str, ...]:
        """The records, and the sensitive columns."""
        return (self._records, *self._published())

    def rows(self) -> dict[str, Rows]:
        """The records without their sensitive values, and per sensitive column how often each class has each value."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        plain = [n for n in self.table.released if n not in self.table.sensitive and n not in self.removed]
        columns: list[tuple[Named, str | None]] = [(Named(name, self.table.published(name)), name) for name in plain]
        columns.append((Named(self._added[0], number), None))
        counted = {name: Rows.shuffled(self._counts(name, number)) for name in self._published()}
        return {self._records: self._shuffled(columns), **counted}

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """Where values were exchanged: that they were, and what is promised of them."""
        said = "; ".join(filter(None, (self.caution, self.guarantee)))
        return [Entry(name, said, "", "", missing=False, drawn=True) for name in self._published() if self.caution]

    def _counts(self, name: str, number: pd.Series) -> list[Coded]:
        """class, value, count."""
        histogram = self.classes.histograms[name]
        group, value = np.nonzero(histogram)
        of_class, count = self._added
        counts = Coded(count, pd.Series(histogram[group, value]), np.arange(len(group)))
        return [Coded(of_class, number, group), Coded(name, self.table.published(name), value), counts]
