"""A partition of which only the classes fit in memory; its cells are processed part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import TooMany, Undefined
from workbench.base.figures import join_names
from workbench.data import engines
from workbench.data.cells import Cells, distinct_rows, locate, row_keys
from workbench.data.engines import ClassesOfCells, ClassesOfParts, Cut, Cutting, Engine, RemoteEngine, Runs
from workbench.data.published import published_runs
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models.classes import Classes, max_classes_in_memory, refuse_too_many_classes, whole_table
from workbench.queries.populations import atoms
from workbench.releases.partition import Bucketized, Partition, node_levels, published_sensitive
from workbench.releases.shown import ClassCounts

NONE = Cells(np.zeros((0, 0), np.int32), {}, np.zeros(0, np.int64))


class Part(NamedTuple):
    """Records between two codes of some quasi-identifiers, with their classes numbered from left to right.

    Holds the class of each cell, or no cells if all of them form one class.
    """

    runs: Runs
    classes: Classes
    cells: Cells | None = None
    group: np.ndarray = NONE.weight

    @property
    def records(self) -> int:
        return int(self.classes.sizes.sum())

    @classmethod
    def from_cells(cls, runs: Runs, cells: Cells, group: np.ndarray, sensitive: Mapping[str, Sensitive]) -> Part:
        """Build the classes of these cells."""
        count = int(group.max()) + 1
        low, high = cell_kernels.ranges(group, np.arange(len(group), dtype=np.int32), cells.quasi, count)
        histograms = {
            name: cell_kernels.histogram(group, cells.others[name], cells.weight, count, len(seen))
            for name, seen in sensitive.items()
        }
        sizes = np.bincount(group, weights=cells.weight, minlength=count).astype(np.int64)
        return cls(runs, Classes(sizes, histograms, sensitive, low, high), cells, group)


Parts = Callable[[], Iterator[Part]]  # yields the same parts on each call


@dataclass(frozen=True, eq=False, repr=False)
class InParts(Partition):
    """A generalized release in which all records with identical quasi-identifiers are in one class."""

    found: Classes | None = None
    again: Parts = lambda: iter(())
    cutting: Cutting | None = None

    @classmethod
    def from_parts(
        cls,
        table: Table,
        parts: Parts,
        unpublished_columns: frozenset[str] = frozenset(),
        there: tuple[Classes, Cutting] | None = None,
    ) -> InParts:
        """Build the release of these parts, of which the engine may have split some.

        Raise TooMany if the classes do not fit in memory.
        """
        if there is None:
            classes, cutting = _cut_here(table, parts), None
        else:
            classes, cutting = there
        classes = replace(classes, population=table.population)
        return cls(table, NONE, NONE.weight, unpublished_columns, found=classes, again=parts, cutting=cutting)

    @cached_property
    def classes(self) -> Classes:
        """Sizes, regions and histograms of the classes."""
        return self._numbered_classes[1]

    @cached_property
    def _numbered_classes(self) -> tuple[np.ndarray, Classes]:
        """The published number of each class of the parts, and the classes; classes with equal regions are merged."""
        assert self.found is not None
        published = published_sensitive(self)
        histograms = {name: self.found.histograms[name] for name in published}
        found = replace(self.found, histograms=histograms, sensitive=published, exact=self.exact)
        if self.exact:
            return np.arange(len(found)), found
        assert found.low is not None and found.high is not None
        low, high = published_runs(self.table, found.low, found.high)
        found = replace(found, low=low, high=high, levels=node_levels(self, len(found)))
        first, number = distinct_rows(found.regions())
        return number, found if len(first) == len(found) else found.merged(number)

    @cached_property
    def suppressed(self) -> int:  # type: ignore[override]
        return 0

    @cached_property
    def group_of_entry(self) -> np.ndarray:
        """Raise TooMany: the class of each cell is not in memory."""
        raise TooMany("the cells of this release do not fit in memory")

    def without(self, removed: np.ndarray) -> Partition:
        raise Undefined("no class can be suppressed if cells do not fit in memory")

    @property
    def _classes_of_records(self) -> ClassesOfParts:
        numbered, classes = self._numbered_classes
        cutting = self.cutting if len(numbered) == len(classes) else None  # the engine numbers the classes of parts
        return ClassesOfParts(self._of_parts, classes.sizes, classes.histograms, cutting)

    def _of_parts(self) -> Iterator[tuple[Engine, ClassesOfCells | int]]:
        number = self._numbered_classes[0].astype(np.int32)
        for first, part in self._numbered():
            here = _within(self.table.model_view, part)
            if part.cells is None:
                yield here, int(number[first])
            else:
                yield here, ClassesOfCells(self.table.quasi, part.cells, number[part.group + first], _nowhere)

    def _numbered(self) -> Iterator[tuple[int, Part]]:
        """Yield the parts, each with the number of its first class."""
        first = 0
        for part in self.again():
            yield first, part
            first += len(part.classes)

    def class_counts(self, names: Sequence[str], original: bool = False) -> ClassCounts:
        """Count the records by class and some columns; with `original`, by the original codes of sensitive columns."""
        if not names:
            return super().class_counts([])
        if len(names) == 1 and names[0] in published_sensitive(self) and not original:
            return super().class_counts(names)
        engine, found, rows = self.table.engine if original else self.table.model_view, [], 0
        for first, part in self._numbered():
            one = _counts_of_part(_within(engine, part), part, first, self.table.quasi, names)
            one = one._replace(group=self._numbered_classes[0][one.group])
            rows += len(one.group)
            if rows > engines.MOST:
                raise TooMany(
                    f"more than {engines.MOST:,} combinations of {join_names(names)} in classes do not fit in "
                    "memory; use fewer columns at a time"
                )
            found.append(one)
        codes = {name: np.concatenate([one.codes[name] for one in found]) for name in names}
        return ClassCounts(
            np.concatenate([one.group for one in found]), codes, np.concatenate([one.people for one in found])
        )


@dataclass(frozen=True, eq=False, repr=False)
class BucketizedInParts(InParts, Bucketized):
    """Bucketized; for a class that is a whole part, records are counted between the bounds of the populations."""

    exact = True

    def expected_people(
        self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray, whole: bool = False
    ) -> np.ndarray:
        belief, found = histogram / histogram.sum(axis=1, keepdims=True), np.zeros((len(runs), histogram.shape[1]))
        sizes = [self.table.columns[name].size for name in self.table.quasi]
        for first, part in self._numbered():
            cells, group, ranges = part.cells, part.group, runs
            if cells is None:
                maps = [atoms(runs[:, a], size) for a, size in enumerate(sizes)]
                coarse = _within(self.table.model_view, part).mapped(dict(zip(self.table.quasi, maps, strict=True)))
                cells = coarse.collapse(self.table.quasi, ())
                group = np.zeros(len(cells), np.int32)
                ranges = np.stack([place[runs[:, a]] for a, place in enumerate(maps)], axis=1).astype(np.int32)
            here = np.ascontiguousarray(belief[first : first + len(part.classes)])
            found += cell_kernels.reach(ranges, cells.quasi, cells.weight, group, here, same)
        return found


def whole(table: Table) -> Part:
    """Return the whole table as one class."""
    return Part({}, whole_table(table))


def _nowhere() -> np.ndarray:
    raise TooMany("the records are not in memory")


def _within(engine: Engine, part: Part) -> RemoteEngine:
    assert isinstance(engine, RemoteEngine)  # where the records are in memory, all cells are
    return engine.within(part.runs, part.records)


def _counts_of_part(
    engine: RemoteEngine, part: Part, first: int, quasi: Sequence[str], names: Sequence[str]
) -> ClassCounts:
    """Count the records of a part by class and some columns."""
    columns = [*names] if part.cells is None else [*dict.fromkeys([*quasi, *names])]
    counted = engine.collapse(columns, [])
    codes = dict(zip(columns, counted.quasi, strict=True))
    group = np.zeros(len(counted), np.int32)
    if part.cells is not None:
        group = part.group[locate([*part.cells.quasi], [codes[name] for name in quasi])]
    rows = [group, *(codes[name] for name in names)]
    (key,), _ = row_keys([int(row.max()) + 1 for row in rows], [len(group)], rows)
    _, kept, number = np.unique(key, return_index=True, return_inverse=True)
    people = np.bincount(number, counted.weight).astype(np.int64)
    return ClassCounts(group[kept] + first, {name: codes[name][kept] for name in names}, people)


def _cut_here(table: Table, parts: Parts) -> Classes:
    """Return the classes of all parts in order."""
    found = []
    for part in parts():
        found.append(part.classes)
        refuse_too_many_classes(sum(map(len, found)), table)
    return _unchanged(_joined(found), table)


def _unchanged(classes: Classes, table: Table) -> Classes:
    """Return the classes if they have all records of each sensitive value; otherwise the records have changed on
    disk."""
    if any((classes.histograms[name].sum(axis=0) != seen.totals).any() for name, seen in table.sensitive.items()):
        assert isinstance(table.model_view, RemoteEngine)
        raise table.model_view.changed()
    return classes


def cut_there(
    table: Table, cuts: Cut | int, finish: Callable[[Cells], Part], sizes: np.ndarray, whole: Mapping[int, Classes]
) -> tuple[Classes, Cutting] | None:
    """Let the engine split a tree of parts itself; None if it cannot.

    Return the classes, and how the engine finds them again. `sizes` has the number of records of each part, and `whole`
    the parts that form one class.
    """
    engine, names, lengths = table.model_view, [*table.sensitive], [*map(len, table.sensitive.values())]
    assert isinstance(engine, RemoteEngine)
    is_whole = np.isin(np.arange(len(sizes)), [*whole])
    cutting = Cutting(cuts, table.quasi, names, finish, is_whole, np.zeros(len(sizes), np.int64))
    found = engine.classes_there(cutting, max_classes_in_memory(table))
    if found is None:
        return None
    refuse_too_many_classes(len(found), table)
    part, size = found["part"].to_numpy(), found["size"].to_numpy()
    if (np.bincount(part, size, len(sizes)) != np.where(is_whole, 0, sizes)).any():
        raise engine.changed()
    low, high, counts = (
        found[name].combine_chunks().flatten().to_numpy().reshape(len(found), -1) for name in ("low", "high", "counts")
    )
    ends = np.cumsum([0, *lengths])
    histograms = {name: counts[:, a:b] for name, a, b in zip(names, ends, ends[1:], strict=False)}
    cut = Classes(size, histograms, table.sensitive, low, high)
    classes, numbers = _joined([cut, *whole.values()]), np.concatenate([part, [*whole]]).astype(np.int64)
    classes = classes.take(np.argsort(numbers, kind="stable"))
    return _unchanged(classes, table), cutting._replace(
        first=np.append(0, np.cumsum(np.bincount(numbers, minlength=len(sizes)))[:-1])
    )


def _joined(found: Sequence[Classes]) -> Classes:
    """Concatenate the classes of parts."""
    if len(found) == 1:
        return found[0]
    histograms = {name: np.concatenate([one.histograms[name] for one in found]) for name in found[0].histograms}
    low, high = (np.concatenate([getattr(one, end) for one in found]) for end in ("low", "high"))
    return replace(
        found[0], sizes=np.concatenate([one.sizes for one in found]), histograms=histograms, low=low, high=high
    )
