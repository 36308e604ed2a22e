"""A partition of which only the classes are in memory: what needs its cells looks at them part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import TooMany, Undefined
from workbench.base.figures import join_names
from workbench.data.cells import Cells, locate, row_keys
from workbench.data.engines import ClassesOfCells, ClassesOfParts, Engine, elsewhere
from workbench.data.engines.elsewhere import Cut, Cutting, Elsewhere, Runs
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models.classes import Classes, most_classes, refuse_many, whole_table
from workbench.releases.joint import Joint
from workbench.releases.partition import Bucketized, Partition
from workbench.workloads.populations import atoms

NONE = Cells(np.zeros((0, 0), np.int32), {}, np.zeros(0, np.int64))


class Part(NamedTuple):
    """Records between two codes of some quasi-identifiers, and their classes, numbered from left to right: the class of
    each of its cells, or no cells where all of them are one class."""

    runs: Runs
    classes: Classes
    cells: Cells | None = None
    group: np.ndarray = NONE.weight

    @property
    def records(self) -> int:
        return int(self.classes.sizes.sum())

    @classmethod
    def of(cls, runs: Runs, cells: Cells, group: np.ndarray, sensitive: Mapping[str, Sensitive]) -> Part:
        """The classes of these cells."""
        count = int(group.max()) + 1
        low, high = cell_kernels.ranges(group, np.arange(len(group), dtype=np.int32), cells.quasi, count)
        histograms = {
            name: cell_kernels.histogram(group, cells.others[name], cells.weight, count, len(seen))
            for name, seen in sensitive.items()
        }
        sizes = np.bincount(group, weights=cells.weight, minlength=count).astype(np.int64)
        return cls(runs, Classes(sizes, histograms, sensitive, low, high), cells, group)


Parts = Callable[[], Iterator[Part]]  # always the same, made anew


@dataclass(frozen=True, eq=False, repr=False)
class InParts(Partition):
    """Generalized. A class has all records that are equal in all quasi-identifiers; no two show the same region."""

    found: Classes | None = None
    again: Parts = lambda: iter(())
    cutting: Cutting | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        parts: Parts,
        removed: frozenset[str] = frozenset(),
        there: tuple[Classes, Cutting] | None = None,
    ) -> InParts:
        """The release of these parts, of which the engine may have cut some; TooMany where its classes do not fit into
        memory."""
        if there is None:
            classes, cutting = _cut_here(table, parts), None
        else:
            classes, cutting = there
        classes = replace(classes, population=table.population)
        return cls(table, NONE, NONE.weight, removed, found=classes, again=parts, cutting=cutting)

    @cached_property
    def classes(self) -> Classes:
        """Sizes, regions and histograms of the classes."""
        assert self.found is not None
        published = self._published()
        histograms = {name: self.found.histograms[name] for name in published}
        return replace(self.found, histograms=histograms, sensitive=published, exact=self.exact)

    @cached_property
    def left_out(self) -> int:  # type: ignore[override]
        return 0

    @cached_property
    def group_of_entry(self) -> np.ndarray:
        """The class of each cell: nowhere in memory."""
        raise TooMany("the cells of this release do not fit into memory, nor does the class of each")

    @property
    def group_of_cell(self) -> np.ndarray | None:
        return None

    def without(self, gone: np.ndarray) -> Partition:
        raise Undefined("no class can be left out where cells do not fit into memory")

    @property
    def _classes_of_records(self) -> ClassesOfParts:
        return ClassesOfParts(self._of_parts, self.classes.sizes, self.classes.histograms, self.cutting)

    def _of_parts(self) -> Iterator[tuple[Engine, ClassesOfCells | int]]:
        for first, part in self._numbered():
            here = _within(self.table.seen, part)
            if part.cells is None:
                yield here, first
            else:
                yield here, ClassesOfCells(self.table.quasi, part.cells, part.group + np.int32(first), _nowhere)

    def _numbered(self) -> Iterator[tuple[int, Part]]:
        """The parts, each with the number of its first class."""
        first = 0
        for part in self.again():
            yield first, part
            first += len(part.classes)

    def joint(self, names: Sequence[str], original: bool = False) -> Joint:
        """The records by class and some columns; where `original`, by the original codes of sensitive ones."""
        if not names:
            return super().joint([])
        if len(names) == 1 and names[0] in self._published() and not original:
            return super().joint(names)
        engine, found, rows = self.table.engine if original else self.table.seen, [], 0
        for first, part in self._numbered():
            one = _joint(_within(engine, part), part, first, self.table.quasi, names)
            rows += len(one.group)
            if rows > elsewhere.MOST:
                raise TooMany(
                    f"more than {elsewhere.MOST:,} combinations of {join_names(names)} in classes do not fit into "
                    "memory; ask about fewer columns at a time"
                )
            found.append(one)
        codes = {name: np.concatenate([one.codes[name] for one in found]) for name in names}
        return Joint(np.concatenate([one.group for one in found]), codes, np.concatenate([one.people for one in found]))


@dataclass(frozen=True, eq=False, repr=False)
class BucketizedInParts(InParts, Bucketized):
    """Bucketized; of a class that is a part, the records are counted between the ends of what is asked."""

    exact = True

    def _expected(self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray, whole: bool = False) -> np.ndarray:
        belief, told = histogram / histogram.sum(axis=1, keepdims=True), np.zeros((len(runs), histogram.shape[1]))
        sizes = [self.table.columns[name].size for name in self.table.quasi]
        for first, part in self._numbered():
            cells, group, asked = part.cells, part.group, runs
            if cells is None:
                maps = [atoms(runs[:, a], size) for a, size in enumerate(sizes)]
                coarse = _within(self.table.seen, part).mapped(dict(zip(self.table.quasi, maps, strict=True)))
                cells = coarse.collapse(self.table.quasi, ())
                group = np.zeros(len(cells), np.int32)
                asked = np.stack([place[runs[:, a]] for a, place in enumerate(maps)], axis=1).astype(np.int32)
            here = np.ascontiguousarray(belief[first : first + len(part.classes)])
            told += cell_kernels.reach(asked, cells.quasi, cells.weight, group, here, same)
        return told


def whole(table: Table) -> Part:
    """The whole table as one class."""
    return Part({}, whole_table(table))


def _nowhere() -> np.ndarray:
    raise TooMany("the records are not in memory")


def _within(engine: Engine, part: Part) -> Elsewhere:
    assert isinstance(engine, Elsewhere)  # where the records are in memory, all cells are
    return engine.within(part.runs, part.records)


def _joint(engine: Elsewhere, part: Part, first: int, quasi: Sequence[str], names: Sequence[str]) -> Joint:
    """The records of a part by class and some columns."""
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
    return Joint(group[kept] + first, {name: codes[name][kept] for name in names}, people)


def _cut_here(table: Table, parts: Parts) -> Classes:
    """The classes of parts, one after the other."""
    found = []
    for part in parts():
        found.append(part.classes)
        refuse_many(sum(map(len, found)), table)
    return _unchanged(_joined(found), table)


def _unchanged(classes: Classes, table: Table) -> Classes:
    """Classes that have all records of each sensitive value; else these have changed since they were read."""
    if any((classes.histograms[name].sum(axis=0) != seen.totals).any() for name, seen in table.sensitive.items()):
        assert isinstance(table.seen, Elsewhere)
        raise table.seen.changed()
    return classes


def cut_there(
    table: Table, cuts: Cut | int, finish: Callable[[Cells], Part], sizes: np.ndarray, whole: Mapping[int, Classes]
) -> tuple[Classes, Cutting] | None:
    """The classes of a tree of parts that the engine cuts itself, and how it finds them again; None where it can't.

    `sizes` says how many records each part has, `whole` which parts are one class.
    """
    engine, names, lengths = table.seen, [*table.sensitive], [*map(len, table.sensitive.values())]
    assert isinstance(engine, Elsewhere)
    alone = np.isin(np.arange(len(sizes)), [*whole])
    cutting = Cutting(cuts, table.quasi, names, finish, alone, np.zeros(len(sizes), np.int64))
    found = engine.classes_there(cutting, most_classes(table))
    if found is None:
        return None
    refuse_many(len(found), table)
    part, size = found["part"].to_numpy(), found["size"].to_numpy()
    if (np.bincount(part, size, len(sizes)) != np.where(alone, 0, sizes)).any():
        raise engine.changed()
    low, high, counts = (
        found[name].combine_chunks().flatten().to_numpy().reshape(len(found), -1) for name in ("low", "high", "counts")
    )
    ends = np.cumsum([0, *lengths])
    histograms = {name: counts[:, a:b] for name, a, b in zip(names, ends, ends[1:], strict=False)}
    cut = Classes(size, histograms, table.sensitive, low, high)
    classes, of = _joined([cut, *whole.values()]), np.concatenate([part, [*whole]]).astype(np.int64)
    classes = classes.take(np.argsort(of, kind="stable"))
    return _unchanged(classes, table), cutting._replace(
        first=np.append(0, np.cumsum(np.bincount(of, minlength=len(sizes)))[:-1])
    )


def _joined(found: Sequence[Classes]) -> Classes:
    """Classes of parts, one after the other."""
    if len(found) == 1:
        return found[0]
    histograms = {name: np.concatenate([one.histograms[name] for one in found]) for name in found[0].histograms}
    low, high = (np.concatenate([getattr(one, end) for one in found]) for end in ("low", "high"))
    return replace(
        found[0], sizes=np.concatenate([one.sizes for one in found]), histograms=histograms, low=low, high=high
    )
