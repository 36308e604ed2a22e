"""A partition of the records into classes, published by generalization or by bucketization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.errors import Undefined, Unsatisfiable
from workbench.base.randomness import operating_system_random
from workbench.data import engines, weights
from workbench.data.cells import Cells, cell_of_record, distinct_rows
from workbench.data.column import unused_name
from workbench.data.population import OF_VALUES
from workbench.data.published import published_runs
from workbench.data.records import published_values
from workbench.data.sensitive import Sensitive
from workbench.data.settings import level_range, released_columns
from workbench.data.table import Table
from workbench.models.classes import Classes, refuse_too_many_classes
from workbench.redaction.controlled_rounding import SMALLEST
from workbench.releases import shown as showing
from workbench.releases.base import NOTHING_STATED, About, Release, require_shown
from workbench.releases.codebook import Entry, region_entries
from workbench.releases.export import CodedColumn, ColumnValues, EngineRecords, Rows
from workbench.releases.shown import ClassCounts, counts_from_partition
from workbench.releases.side_information import (
    SideInformationRisk,
    count_side_information,
    number_combinations,
    require_records,
)
from workbench.releases.writing import file_names


@dataclass(frozen=True, eq=False, repr=False)
class Partition(Release):
    """A release by generalization: the records of a class show the same region of each quasi-identifier.

    `group` is the class of each cell. If a method splits cells, `parts` describes the pieces: entry i of `group` then
    stands for parts[1][i] records of cell parts[0][i]. `others` are the columns by which the cells are also split.
    Records of group -1 are suppressed. A class shows the smallest runs that contain its records and that the columns
    allow (`Column.regions`). A method that chooses what classes show, such as nodes of hierarchies, passes them in
    `runs`: groups x quasi-identifiers x (low, high), and in `label_levels` the lowest level whose node labels each
    quasi-identifier uses (0: its values).
    """

    table: Table
    cells: Cells
    group: np.ndarray
    unpublished_columns: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    parts: tuple[np.ndarray, np.ndarray] | None = None
    sets: frozenset[str] = frozenset()  # unordered quasi-identifiers: a class shows a set of values instead of a run
    about: About = NOTHING_STATED
    runs: np.ndarray | None = None
    label_levels: Mapping[str, int] | None = None
    exact: ClassVar[bool] = False  # quasi-identifiers are published unchanged, with the index of the class

    def __repr__(self) -> str:
        kept = self.table.records - self.suppressed
        suppressed = f", {self.suppressed:,} suppressed" if self.suppressed else ""
        return f"<{type(self).__name__} of {kept:,} records in {len(self.classes):,} classes{suppressed}>"

    @cached_property
    def suppressed(self) -> int:  # type: ignore[override]
        """The number of records that are not published."""
        return self.table.records - int(self._entries[2].sum())

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The group, cell and number of records of each published entry."""
        cell, weight = self.parts or (np.arange(len(self.cells), dtype=np.int32), self.cells.weight)
        if self.group.min() >= 0:
            return self.group, cell, weight
        kept = self.group >= 0
        return self.group[kept], cell[kept], weight[kept]

    @cached_property
    def _regions(self) -> Classes:
        """The region of each quasi-identifier that each group shows."""
        groups, (group, cell, weight) = int(self.group.max()) + 1, self._entries
        if self.runs is None:
            low, high = cell_kernels.ranges(group, cell, self.cells.quasi, groups)
            if not self.exact:
                low, high = published_runs(self.table, low, high, self.sets)
        else:
            low, high = (np.ascontiguousarray(self.runs[:, :, side], np.int32) for side in (0, 1))
        sets = {}
        for a, name in enumerate(self.table.quasi):
            size = self.table.columns[name].size
            if name in self.unpublished_columns:
                low[:, a], high[:, a] = 0, size - 1
            elif name in self.sets:
                sets[a] = cell_kernels.histogram(group, self.cells.quasi[a][cell], weight, groups, size) > 0
        sizes = np.bincount(group, weights=weight, minlength=groups).astype(np.int64)
        return Classes(
            sizes,
            {},
            published_sensitive(self),
            low,
            high,
            self.exact,
            sets,
            self.table.population,
            node_levels(self, groups),
        )

    @cached_property
    def _merged(self) -> tuple[np.ndarray, Classes]:
        """The class of each published entry, and what each class shows; groups with equal released values become one
        class."""
        group = self._entries[0]
        if self.exact:  # the number of the class is published, so equal regions remain distinct classes
            return group, self._regions
        first, number = distinct_rows(self._regions.regions())
        if len(first) == len(self._regions):
            return group, self._regions
        return number[group].astype(group.dtype), self._regions.take(first)

    @cached_property
    def classes(self) -> Classes:
        """Sizes, regions and histograms of the classes."""
        (group, shown), (_, cell, weight) = self._merged, self._entries
        refuse_too_many_classes(len(shown), self.table)
        histograms = {
            name: cell_kernels.histogram(group, self.cells.others[name][cell], weight, len(shown), len(seen))
            for name, seen in published_sensitive(self).items()
        }
        sizes = np.bincount(group, weights=weight, minlength=len(shown)).astype(np.int64)
        return replace(shown, sizes=sizes, histograms=histograms)

    @cached_property
    def group_of_entry(self) -> np.ndarray:
        """The class of each entry of `group`; the number after the last class if it is suppressed, as in
        `posterior`."""
        group, shown = self._merged
        if len(group) == len(self.group):
            return group
        found = np.full(len(self.group), len(shown), group.dtype)
        found[self.group >= 0] = group
        return found

    def without(self, removed: np.ndarray) -> Partition:
        """Return the same release with the records of some classes suppressed."""
        kept = np.ones(len(self.classes) + 1, bool)
        kept[removed], kept[-1] = False, False
        if not kept.any():
            raise Unsatisfiable("every record would be suppressed; require less of the classes")
        number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        runs = self.runs
        if runs is not None:
            low, high = self.classes.low, self.classes.high
            assert low is not None and high is not None
            runs = np.stack([low, high], axis=2)[kept[:-1]]
        return replace(self, group=number[self.group_of_entry], runs=runs)

    @cached_property
    def weighted_entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The class, cell and number of people of each entry; where cells are split, each record is an entry."""
        (_, cell, records), (group, shown) = self._entries, self._merged
        if self.table.weight is None:
            return group, cell, records
        if not self.parts:
            return group, cell, weights.people(self.table, self.others)[cell]
        kept, of_record = self.group_of_record < len(shown), cell_of_record(self.table, self.others)
        return self.group_of_record[kept], of_record[kept], weights.of_record(self.table)[kept]

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        if self.table.weight is None:
            return super().people_of_classes(sensitive)
        group, cell, people = self.weighted_entries
        if sensitive is None:
            return np.bincount(group, people, len(self.classes))[:, None]
        value, values = self.cells.others[sensitive][cell], len(self.table.sensitive[sensitive])
        return np.bincount(group.astype(np.int64) * values + value, people, len(self.classes) * values).reshape(
            -1, values
        )

    def class_counts(self, names: Sequence[str], original: bool = False) -> ClassCounts:
        if len(names) < 2 and set(names) <= {*published_sensitive(self)} and not original:
            return super().class_counts(names)
        return counts_from_partition(self, names, original)

    def rows(self) -> dict[str, Rows]:
        """Return one table of the published records in random order."""
        columns: list[tuple[ColumnValues, str | None]] = []
        for name in released_columns(self.table):
            if name in self.table.quasi and name not in self.unpublished_columns:
                columns.append((ColumnValues(name, pd.Series(self.class_labels(name))), None))
            elif name not in self.unpublished_columns:
                columns.append((ColumnValues(name, published_values(self.table, name)), name))
        return {"release": _shuffled(self, columns)}

    @property
    def _classes_of_records(self) -> engines.ClassesOfCells | engines.ClassesOfParts:
        """The class of each cell, and of each record."""
        groups = len(self.classes)

        def published(group: np.ndarray) -> np.ndarray:
            return np.where(group < groups, group, -1) if self.suppressed else group

        return engines.ClassesOfCells(
            self.table.quasi, self.cells, published(self.group_of_entry), lambda: published(self.group_of_record)
        )

    @property
    def changed_columns(self) -> dict[str, np.ndarray | None]:
        spread = {} if self.exact else {name: self.classes.spread(a) > 0 for a, name in enumerate(self.table.quasi)}
        hidden = [name for name in self.table.sensitive if self.exact or name in self.unpublished_columns]
        return {name: wide for name, wide in spread.items() if wide.any()} | dict.fromkeys(hidden)

    def side_information_risk(self, neutral: Sequence[str] | None = None) -> SideInformationRisk:
        names = tuple(self.neutral if neutral is None else neutral)
        return self.remember(("side information", names), lambda: _side_information_risk(self, names))

    def label_level(self, name: str) -> int | None:
        if name in self.unpublished_columns:
            return None
        if self.label_levels:
            return self.label_levels.get(name)
        nodes = self.runs is None and not self.exact and self.table.columns[name].shows_nodes
        return level_range(self.table, name)[0] if nodes else None

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        kept = [(a, name) for a, name in enumerate(self.table.quasi) if name not in self.unpublished_columns]
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
        return np.flatnonzero(self.group_of_record < len(self.classes))

    def shown(self, name: str, seed: int = 0) -> showing.Shown:
        require_shown(self, name)
        return showing.of_partition(self, name, seed)

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The class of each record, in the table's order: for miners and previews, never published.

        The records of a split cell are assigned to its classes at random, but always in the same way: two different
        files of one release would disclose people together. The data determine the assignment, because a seed could be
        guessed.
        """
        group = self.group_of_entry
        of_record = cell_of_record(self.table, self.others)
        if not self.parts:
            return group[of_record]
        cell, weight = self.parts
        assigned = np.empty(len(of_record), group.dtype)
        others = [*self.table.neutral, *([self.table.weight] if self.table.weight else [])]
        known = np.lexsort(
            [*(self.table.codes[name] for name in others), of_record]
        )  # independent of the order of the records
        by_chance = np.random.default_rng(self.cells.digest).permutation(len(known))
        records = known[np.lexsort([by_chance, of_record[known]])]
        in_cell_order = np.argsort(cell, kind="stable")
        assigned[records] = np.repeat(group[in_cell_order], weight[in_cell_order])
        return assigned


def published_sensitive(release: Release) -> dict[str, Sensitive]:
    """Return the sensitive columns that are published."""
    table, unpublished = release.table, release.unpublished_columns
    return {name: seen for name, seen in table.sensitive.items() if name not in unpublished}


def node_levels(release: Partition, groups: int) -> np.ndarray:
    """Return the lowest level of the nodes of each quasi-identifier in each group; the highest level if it is
    unpublished."""
    found = np.full((groups, len(release.table.quasi)), OF_VALUES)
    for a, name in enumerate(release.table.quasi):
        if name in release.unpublished_columns:
            found[:, a] = len(release.table.columns[name].released_at) - 1
        elif (level := release.label_level(name)) is not None:
            found[:, a] = level
    return found


def _shuffled(release: Partition, columns: Sequence[tuple[ColumnValues, str | None]]) -> Rows:
    """Return the records in random order, in columns that each follow a column of the table or the class (None)."""
    names, classes = [name for _, name in columns], release._classes_of_records
    held = EngineRecords(release.table.model_view, names, classes)
    return Rows([column for column, _ in columns], lambda: held.engine.shuffled(names, classes), held)


def _side_information_risk(release: Partition, neutral: Sequence[str]) -> SideInformationRisk:
    table = release.table
    require_records(table)
    group = release.group_of_record
    in_class = group < len(release.classes)  # suppressed records disclose nothing
    group, known = group[in_class], number_combinations(table, neutral)[in_class]
    kept = release.published_records
    sensitive = {
        name: table.model_view.codes[name][kept] if release.about.is_truthful else release.shown(name).labels
        for name in published_sensitive(release)
    }
    if release.exact:  # neutral columns are in the file of the quasi-identifiers, sensitive values in others
        same = number_combinations(table, table.quasi)[in_class]
        return count_side_information(neutral, same, known, sensitive, classes=group)
    return count_side_information(neutral, group, known, sensitive)


def group_of_cell(release: Release) -> np.ndarray | None:
    """Return the group in `posterior` of each of the table's cells; None if the records of a cell may be in several
    groups, or cells do not fit in memory."""
    if not isinstance(release, Partition) or release.parts or release.others or not len(release.group):
        return None
    return release.group_of_entry


def suppress_classes(release: Release, removed: np.ndarray) -> Partition:
    """Return the same release with the records of some classes suppressed."""
    if not isinstance(release, Partition):
        raise Undefined("no record of this kind of release can be suppressed")
    return release.without(removed)


@dataclass(frozen=True, eq=False, repr=False)
class Bucketized(Partition):
    """A release by bucketization: exact quasi-identifiers with a class id, and each class's sensitive values in another
    table."""

    exact = True

    def expected_people(
        self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray, whole: bool = False
    ) -> np.ndarray:
        """Return people per population and value: the members of the population, each with the values of its class."""
        sizes = histogram.sum(axis=1, keepdims=True)
        belief = histogram / np.where(sizes > 0, sizes, 1)
        group, cell, weight = self._entries if whole else self.weighted_entries
        quasi = np.ascontiguousarray(self.cells.quasi[:, cell])
        return cell_kernels.reach(runs, quasi, weight, group, belief, same)

    def frame(self) -> pd.DataFrame:
        """Return one row per record, with sensitive values assigned at random inside its class, as a recipient could
        join them."""
        tables, (of_class, count) = self.tables(), self._added
        records = tables.pop(file_names(self)[0]).sort_values(of_class, ignore_index=True)
        for name, counted in tables.items():
            values = counted.loc[counted.index.repeat(counted[count])]
            records[name] = values.sample(frac=1, random_state=operating_system_random()).sort_values(
                of_class, kind="stable", ignore_index=True
            )[name]
        return records.sample(frac=1, random_state=operating_system_random(), ignore_index=True)

    @property
    def _added(self) -> tuple[str, str]:
        """The names of the columns that bucketization adds: `class` and `count`, unless the data use these names."""
        return unused_name("class", self.table.names), unused_name("count", self.table.names)

    def rows(self) -> dict[str, Rows]:
        """Return the records without their sensitive values, and the counts of each sensitive column's values per
        class."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        plain = [
            n
            for n in released_columns(self.table)
            if n not in self.table.sensitive and n not in self.unpublished_columns
        ]
        columns: list[tuple[ColumnValues, str | None]] = [
            (ColumnValues(name, published_values(self.table, name)), name) for name in plain
        ]
        columns.append((ColumnValues(self._added[0], number), None))
        counted = {name: Rows.shuffled(self._counts(name, number)) for name in published_sensitive(self)}
        return {file_names(self)[0]: _shuffled(self, columns), **counted}

    @property
    def layout(self) -> dict[str, Any]:  # type: ignore[override]
        return {"kind": "buckets", "class": self._added[0], "count": self._added[1], "true": self.about.is_truthful}

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """Return, if values were swapped, an entry for each sensitive column with the warning and the guarantee."""
        sentence = "; ".join(filter(None, (self.about.warning, self.about.guarantee)))
        return [
            Entry(name, sentence, "", "", missing=False, drawn=True)
            for name in published_sensitive(self)
            if self.about.warning
        ]

    def _counts(self, name: str, number: pd.Series) -> list[CodedColumn]:
        """Return the columns class, value and count."""
        histogram = self.classes.histograms[name]
        group, value = np.nonzero(histogram)
        of_class, count = self._added
        counts = CodedColumn(count, pd.Series(histogram[group, value]), np.arange(len(group)))
        return [
            CodedColumn(of_class, number, group),
            CodedColumn(name, published_values(self.table, name), value),
            counts,
        ]
