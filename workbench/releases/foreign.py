"""Releases that somebody else made, with any tool: read, measured and judged like our own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import BadInput, Undefined, said
from workbench.base.figures import join_names
from workbench.data.cells import distinct_rows
from workbench.data.column import Column
from workbench.data.hierarchies.matching import Key, key, keys
from workbench.data.roles import column_names
from workbench.data.table import Table
from workbench.models import Audit, Model
from workbench.models.classes import Classes
from workbench.releases.base import Release
from workbench.releases.codebook import drawn_beside
from workbench.releases.export import Rows
from workbench.releases.giveaways import Beside
from workbench.releases.label_parser import CoveredRun, Labels
from workbench.releases.labels import named_levels
from workbench.releases.missing_matches import matched, overlapping, widened
from workbench.releases.partition import RECORDS
from workbench.releases.released_file import ReleasedFile, read
from workbench.releases.shown import Shown, of_foreign
from workbench.releases.stars import left_out
from workbench.releases.unnamed_runs import STAR
from workbench.releases.writing import files_of
from workbench.workloads.workload import Workload

SUPPRESSED = ("class", "out")
MISSING_FITS = ("itself", "everything")
NOBODY = Beside((), (), 0, 0, 0)
DOUBT = "values were changed, or it is not the original that this was made of"
DOUBTED = '; if they were left out, say "out" for suppressed (--suppressed out)'
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, eq=False, repr=False)
class Foreign(Release):
    """The classes of a released table, over the codes of the original, or over its own labels where none is given.

    `left_out` counts the records of the original that are not in the file.
    """

    table: Table
    read: Classes
    labels: Mapping[str, np.ndarray]  # each class's released value, as it is written
    levels: Mapping[str, np.ndarray]  # and the level of the original's hierarchy that names it: 0 for its values
    codes: np.ndarray  # classes x quasi-identifiers: which label each has, ANYTHING where the value is missing
    original: bool
    removed: frozenset[str] = frozenset()
    missing_fits: str = "itself"
    starred: int = 0  # records with every quasi-identifier suppressed
    left_out: int = 0
    notes: tuple[str, ...] = ()
    known: Beside = NOBODY  # what the other columns of the file tell, too
    of_record: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # the class of each, as in the file
    values: Mapping[str, np.ndarray] = field(default_factory=dict)  # and its sensitive values

    def __repr__(self) -> str:
        return f"<Foreign release of {self.records:,} records in {len(self.classes):,} classes>"

    @cached_property
    def classes(self) -> Classes:
        """Sizes, runs and histograms of the classes, by the labels in the file; of all that look alike where a missing
        value fits every value."""
        return self.read if self.missing_fits == "itself" else matched(self.read, self.codes)

    @property
    def own_classes(self) -> Classes:
        """The classes by the labels in the file, each record in one of them."""
        return self.read

    @property
    def overlapping(self) -> bool:
        """Whether a missing value fits every value, so that a record may be in several classes."""
        return self.missing_fits != "itself"

    def audit(self, model: Model) -> Audit:
        """Whether the model holds, and the classes that break it."""
        found = super().audit(model)
        return replace(found, records=int(self.read.sizes[found.breaking].sum()))

    @property
    def neutral(self) -> list[str]:
        """The columns of the file that are neither quasi-identifiers nor sensitive."""
        return list(self.known.neutral)

    def beside_those(self, neutral: Sequence[str]) -> Beside:
        """What is found by who knows the other columns of the file, too; of some of them nobody has counted it."""
        if [*neutral] != self.neutral:
            raise Undefined("of a release that was read from a file it is counted for all of its columns together")
        return self.known

    @property
    def published_records(self) -> np.ndarray:
        """The records of the file, where it is the table; undefined beside an original."""
        if self.original:
            raise Undefined("no record of a file is known to be one of the original's")
        return np.arange(self.records)

    def _shown(self, name: str, seed: int) -> Shown:
        return of_foreign(self, name)

    @property
    def records(self) -> int:
        """The records in the file."""
        return int(self.read.sizes.sum())

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """The records of each class; undefined where they stand for people."""
        if self.table.weight is not None:
            raise Undefined("the file does not say how many people each of its records stands for")
        return super().people_of_classes(sensitive)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most that the truth may be; what fits every value may be any of them."""
        if self.missing_fits == "itself" or not self.original:
            return super().bounds(workload)
        published = [a for a, name in enumerate(self.table.quasi) if name not in self.removed]
        sizes = [self.table.columns[self.table.quasi[a]].size for a in published]
        read = widened(self.read, self.codes, published, sizes)
        return replace(self, read=read, missing_fits="itself").bounds(workload)

    def class_labels(self, name: str) -> np.ndarray:
        """The released value of a quasi-identifier in each class, as it is written in the file."""
        return self.labels[name] if name in self.labels else super().class_labels(name)

    def label_level(self, name: str) -> int | np.ndarray | None:
        """The level that names the released value of each class."""
        return self.levels.get(name)

    @property
    def reading(self) -> dict[str, Any]:
        """How it was read."""
        return {"suppressed": self.starred, "missing_fits": self.missing_fits, "notes": list(self.notes)}

    def rows(self) -> dict[str, Rows]:
        """Undefined: the records of a foreign release are in its file alone."""
        raise Undefined("the records of a release that was read from a file are in that file; nothing else knows them")


def foreign(
    data: Any,
    quasi: Sequence[str] | str = (),
    sensitive: Sequence[str] | str | None = None,
    original: Table | None = None,
    *,
    suppressed: str = "class",
    missing_fits: str = "itself",
    **source: Any,
) -> Foreign:
    """The release in a file or frame, whatever tool has written it; `source` as in `Table.read`.

    With the `original`, a table in its roles, labels are read as runs of its values and all is measured against it;
    without, the labels are the values, and what is known beforehand (Q) is the distribution in the release itself.
    Records with every quasi-identifier suppressed (`*`, NA, nothing) are a class as published, unless
    `suppressed="out"` leaves them out. A single missing or suppressed value is a value of its own, or fits every value
    (`missing_fits="everything"`), as sdcMicro counts: a class is then all records that look alike, and classes overlap.
    """
    for name, value, known in (("suppressed", suppressed, SUPPRESSED), ("missing_fits", missing_fits, MISSING_FITS)):
        if value not in known:
            raise BadInput(f"{name} = {said(value)} is not one of {', '.join(map(repr, known))}")
    if original is not None:
        if not isinstance(original, Table) or not original.quasi:
            raise BadInput(f"the original is {said(original)}; give a Table whose columns have roles")
        if quasi or sensitive:
            raise BadInput("the original says which columns are quasi-identifiers and sensitive; don't name them again")
        quasi, sensitive = original.quasi, tuple(original.sensitive)
    wanted = column_names(quasi), column_names(sensitive)
    file = read(data, *wanted, original, source)
    gone, perhaps = left_out(file.table, file.quasi, file.sensitive, file.texts, original)
    if gone.all():
        raise BadInput(f"{file.where}: every record is left out, all are rows of {STAR}; give a file with records")
    hidden = [name for name in wanted[1] if name not in file.sensitive]
    notes, out, others = [*file.notes, *_drawn(data, wanted), *_elsewhere(data, hidden)], int(gone.sum()), ""
    if out:
        notes.append(f"{out:,} of {len(gone):,} records are rows of {STAR}, of which nothing is told: left out")
        file, others = file.without(gone), "the other "
    starred = file.starred(original)
    count = int(starred.sum())
    if count == len(starred):
        notes.append("every quasi-identifier of every record is suppressed, so all records are alike")
    elif count:
        kept = "left out of the audit" if suppressed == "out" else "one class of the release, as published"
        doubt = DOUBTED if perhaps.any() and suppressed != "out" else ""
        notes.append(
            f"{count:,} of {others}{len(starred):,} records have every quasi-identifier suppressed: {kept}{doubt}"
        )
    keep = ~starred if suppressed == "out" and 0 < count < len(starred) else np.ones(len(starred), bool)
    count += out
    found = _against(file, original, keep, count, notes) if original else _alone(file, keep, count, notes)
    if missing_fits == "everything":
        found = replace(
            found,
            missing_fits=missing_fits,
            notes=(*found.notes, overlapping(found.read.sizes, found.codes, bool(found.neutral))),
        )
    return replace(found, known=file.beside(keep))


def _drawn(data: Any, roles: Sequence[Sequence[str]]) -> list[str]:
    """That values are not what they seem, where the codebook beside a file says so."""
    if not isinstance(data, (str, PathLike)):
        return []
    changed = drawn_beside(Path(data))
    names = [name for role in roles for name in role if name in changed]
    if not names:
        return []
    return [
        f"{join_names(names)}: changed at random or exchanged, as the codebook beside the file says; figures take what "
        "it shows as it stands, so that nothing in it is certain of anybody, whatever they say"
    ]


def _elsewhere(data: Any, hidden: Sequence[str]) -> list[str]:
    """That columns stand in files beside one of ours, which are not looked at."""
    path = Path(data) if isinstance(data, (str, PathLike)) else Path()
    whole = path.stem.removesuffix(f"-{RECORDS}")
    if whole in ("", path.stem):
        return []
    places = files_of(path.with_stem(whole), [RECORDS, *hidden])[1:]
    names = [name for name, place in zip(hidden, places, strict=True) if place.is_file()]
    if not names:
        return []
    files = "a file of its own" if len(names) == 1 else "files of their own"
    return [
        f"{join_names(names)}: beside this file in {files}, class by class; these are not audited, so what is said of "
        f"{join_names(names)} holds for who has this file alone"
    ]


def _alone(file: ReleasedFile, keep: np.ndarray, count: int, notes: list[str]) -> Foreign:
    """Without an original: the labels are the values."""
    frame = file.table.drop([n for n in file.table.names if n not in (*file.quasi, *file.sensitive)]).frame[keep]
    types = dict.fromkeys(file.quasi, "text")
    for name in file.sensitive:
        labels = file.table.columns[name].labels
        types[name] = "number" if all(NUMBER.fullmatch(label.strip()) for label in labels) else "text"
    table = Table.from_frame(frame, file.quasi, file.sensitive, types=types)
    rows = np.stack([table.codes[name] for name in table.quasi], axis=1)
    first, number = distinct_rows(rows)
    values = {name: table.sensitive_codes(name) for name in table.sensitive}
    histograms = {name: _counted(number, values[name], len(seen)) for name, seen in table.sensitive.items()}
    read = Classes(np.bincount(number).astype(np.int64), histograms, table.sensitive, rows[first], rows[first])
    return Foreign(
        table, read, {}, {}, file.codes(keep, None)[first], original=False, starred=count, notes=tuple(notes),
        of_record=number, values=values,
    )  # fmt: skip


def _against(file: ReleasedFile, original: Table, keep: np.ndarray, count: int, notes: list[str]) -> Foreign:
    """With the original: each label is a run of its values."""
    published, codes = int(keep.sum()), {name: array[keep] for name, array in file.table.codes.items()}
    if published > original.records:
        raise BadInput(
            f"{file.where}: it has {published:,} records and the original {original.records:,}; "
            "give the original that it was made of"
        )
    rows = np.stack([codes[name] for name in file.quasi], axis=1)
    first, number = distinct_rows(rows)
    low = np.zeros((len(first), len(original.quasi)), np.int32)
    high = np.array([[original.columns[name].size - 1 for name in original.quasi]], np.int32).repeat(len(first), axis=0)
    labels, levels = {}, {}
    for i, name in enumerate(file.quasi):
        a, here, column = original.quasi.index(name), rows[first, i], original.columns[name]
        released, runs = file.table.columns[name], _runs(file, column, notes)
        low[:, a], high[:, a] = runs[here].T
        labels[name] = np.array(released.value_labels(), dtype=object)[here]
        levels[name] = np.zeros(len(first), np.int64)
        if not _as_it_is(column, released):
            levels[name] = named_levels(column, released.value_labels(), runs)[here]
    values = {name: _values(file, original, name, codes[name]) for name in file.sensitive}
    histograms = {name: _counted(number, value, len(original.sensitive[name])) for name, value in values.items()}
    for name in file.sensitive:
        if (histograms[name].sum(axis=0) > original.sensitive[name].totals).any():
            notes.append(f"{name}: some value occurs more often than in the original; {DOUBT}")
    left_out = original.records - published
    if left_out:
        notes.append(f"{left_out:,} of the original's {original.records:,} records are left out")
    shown = {name: original.sensitive[name] for name in file.sensitive}
    sizes = np.bincount(number).astype(np.int64)
    classes = Classes(sizes, histograms, shown, low, high, population=original.population)
    gone = frozenset({*original.quasi, *original.sensitive} - {*file.quasi, *file.sensitive})
    return Foreign(
        original, classes, labels, levels, file.codes(keep, original)[first], original=True, removed=gone,
        starred=count, left_out=left_out, notes=tuple(notes), of_record=number, values=values,
    )  # fmt: skip


def _counted(group: np.ndarray, value: np.ndarray, values: int) -> np.ndarray:
    """Records of each group and value."""
    return cell_kernels.histogram(group, value, np.ones(len(group), np.int64), int(group.max()) + 1, values)


def _runs(file: ReleasedFile, column: Column, notes: list[str]) -> np.ndarray:
    """The run of each label of a released column: labels x (low, high)."""
    name, released = column.name, file.table.columns[column.name]
    reading, found, plain = Labels(column, released.labels), [], _as_it_is(column, released)
    for code, label in enumerate(released.labels):
        run = CoveredRun(plain[code], plain[code]) if plain else reading.meaning(label)
        if run is None:
            raise BadInput(
                f"{file.place(name, code)}: the label fits no value of the original; if it is a group, "
                "give a study with the hierarchy that names it, else the original that this was made of; a file with "
                "noise in a column that identifies people is audited without the original (--quasi, --sensitive)"
            )
        found.append(run)
    if released.missing:
        last = column.size - 1
        found.append(CoveredRun(last if column.missing else 0, last))
        if not column.missing:
            notes.append(f"{name}: {released.missing:,} empty values are read as suppressed")
    loose = sum(not run.exact for run in found)
    if loose:
        notes.append(
            f"{name}: {loose:,} {'labels are' if loose > 1 else 'label is'} no run of neighbouring values, and counted "
            "as the smallest run that holds all of it"
        )
    if len(reading.averages):
        notes.append(
            f"{name}: numbers are read as averages of the values that are nearest to them; what is lost is measured "
            "roughly"
        )
    if reading.shared_ends:
        notes.append(f"{name}: an end that two intervals share is taken to belong to the upper one")
    below = np.append(0, np.cumsum(column.totals))
    if any(n > below[run.high + 1] - below[run.low] for n, run in zip(released.totals, found, strict=True)):
        notes.append(f"{name}: some label has more records than the original has with its values; {DOUBT}")
    return np.array([(run.low, run.high) for run in found], np.int32).reshape(-1, 2)


def _as_it_is(column: Column, released: Column) -> list[int]:
    """The code of each label of a column that is published unchanged: nothing but values, none oftener than it was.

    A value may be called like a group; the count tells them apart. It may be called "missing", too, and is a value.
    """
    places = {label: code for code, label in reversed([*enumerate(column.value_labels())])}
    codes = [places.get(label, -1) for label in released.labels]
    fits = all(code >= 0 and n <= column.totals[code] for code, n in zip(codes, released.totals, strict=False))
    return codes if fits else []


def _values(file: ReleasedFile, original: Table, name: str, codes: np.ndarray) -> np.ndarray:
    """The original's value of each record, by the codes of a released sensitive column."""
    released, column, seen = file.table.columns[name], original.columns[name], original.sensitive[name]
    spelled: Callable[[str], Key] = str if original.levels.get(name) else partial(key, kind=column.kind)
    places: dict[Key, int] = {
        label: v for v, label in enumerate(seen.labels)
    }  # also what our own releases call missing
    if not original.levels.get(name):
        places |= {value: v for v, value in enumerate(keys(column))}
    found = [places.get(spelled(label)) for label in released.labels]
    if released.missing:
        there = column.missing or not (codes == len(released.values)).any()
        found.append(len(seen) - 1 if there else None)
    if None in found:
        code = found.index(None)
        raise BadInput(f"{file.place(name, code)}: this is no value of the original's; publish its values unchanged")
    return np.array(found, np.int64)[codes]
