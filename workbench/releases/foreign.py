"""Releases made by any tool: read from a file, measured and audited like our own."""

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
from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import join_names
from workbench.data.cells import distinct_rows
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Key, key, keys
from workbench.data.settings import column_names
from workbench.data.table import Table
from workbench.models import Audit, Model
from workbench.models.classes import Classes
from workbench.queries.workload import Workload
from workbench.releases.base import About, Release, require_shown
from workbench.releases.codebook import drawn_columns_of_file
from workbench.releases.export import Rows, find_suppressed_rows
from workbench.releases.labels import STAR, Labels, named_levels
from workbench.releases.released_file import (
    ANYTHING,
    ReleasedFile,
    covered_absent,
    matched,
    overlapping,
    read,
    widened,
    with_unseen,
)
from workbench.releases.shown import Shown, of_foreign
from workbench.releases.side_information import SideInformationRisk
from workbench.releases.writing import RECORDS, files_of

SUPPRESSED = ("class", "out")
MISSING_FITS = ("itself", "everything")
NOBODY = SideInformationRisk((), (), 0, 0, 0)
DOUBT = "values were changed, or this is not the original of the release"
DOUBTED = '; if these records were suppressed, set suppressed to "out" (--suppressed out)'
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, eq=False, repr=False)
class Foreign(Release):
    """The classes of a released table, over the codes of the original, or over its own labels without one.

    `suppressed` counts the records of the original that are not in the file.
    """

    table: Table
    read: Classes
    labels: Mapping[str, np.ndarray]  # each class's released value, as written
    levels: Mapping[str, np.ndarray]  # the level of the original's hierarchy that names it (0: a value)
    codes: np.ndarray  # classes x quasi-identifiers: the label, ANYTHING where the value is missing
    about: About
    unpublished_columns: frozenset[str] = frozenset()
    missing_fits: str = "itself"
    starred: int = 0  # records with every quasi-identifier suppressed
    suppressed: int = 0
    notes: tuple[str, ...] = ()
    known: SideInformationRisk = NOBODY  # the risk from the other columns of the file
    of_record: np.ndarray = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # the class of each record, in the file's order
    values: Mapping[str, np.ndarray] = field(default_factory=dict)  # its sensitive values

    def __repr__(self) -> str:
        return f"<Foreign release of {self.records:,} records in {len(self.classes):,} classes>"

    @cached_property
    def classes(self) -> Classes:
        """Sizes, runs and histograms of the classes by the labels in the file; with all matching records, if a missing
        value matches every value."""
        return self.read if self.missing_fits == "itself" else matched(self.read, self.codes)

    @property
    def own_classes(self) -> Classes:
        """The classes by the labels in the file, each record in exactly one."""
        return self.read

    def audit(self, model: Model) -> Audit:
        """Check whether the model holds, and list the classes that violate it."""
        found = super().audit(model)
        return replace(found, records=int(self.read.sizes[found.violating].sum()))

    @property
    def neutral(self) -> list[str]:
        """The columns of the file that are neither quasi-identifiers nor sensitive."""
        return list(self.known.neutral)

    def side_information_risk(self, neutral: Sequence[str] | None = None) -> SideInformationRisk:
        """Return the risk from an attacker who also knows the other columns of the file; Undefined for only some of
        them."""
        if neutral is not None and [*neutral] != self.neutral:
            raise Undefined(
                "for a release that was read from a file, this risk is known only for all of its columns together"
            )
        return self.known

    @property
    def published_records(self) -> np.ndarray:
        """The records of the file if the file is the table; undefined with an original."""
        if self.about.has_original:
            raise Undefined("records of a file cannot be matched to the original's")
        return np.arange(self.records)

    def shown(self, name: str, seed: int = 0) -> Shown:
        require_shown(self, name)
        return of_foreign(self, name)

    @property
    def records(self) -> int:
        """The number of records in the file."""
        return int(self.read.sizes.sum())

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """Return the records of each class; undefined if records have weights."""
        if self.table.weight is not None:
            raise Undefined("the file does not contain the weights of its records")
        return super().people_of_classes(sensitive)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Return certain bounds on the queries; a missing value may be any value if it matches every value."""
        if self.missing_fits == "itself" or not self.about.has_original:
            return super().bounds(workload)
        published = [a for a, name in enumerate(self.table.quasi) if name not in self.unpublished_columns]
        sizes = [self.table.columns[self.table.quasi[a]].size for a in published]
        read = widened(self.read, self.codes, published, sizes)
        return replace(self, read=read, missing_fits="itself").bounds(workload)

    def class_labels(self, name: str) -> np.ndarray:
        """Return the released value of a quasi-identifier in each class, as written in the file."""
        return self.labels[name] if name in self.labels else super().class_labels(name)

    def label_level(self, name: str) -> int | np.ndarray | None:
        """Return the level that names the released value of each class."""
        return self.levels.get(name)

    def rows(self) -> dict[str, Rows]:
        """Raise Undefined: only the file has the records of a foreign release."""
        raise Undefined("this release was read from a file and cannot be written again")


def has_overlapping_classes(release: Release) -> bool:
    """Return whether a record may belong to several classes, since missing values match every value."""
    return isinstance(release, Foreign) and release.missing_fits != "itself"


def describe_reading(release: Release) -> dict[str, Any]:
    """Return how a release was read from a file: suppressed records, what a missing value matches, notes."""
    if not isinstance(release, Foreign):
        return {"suppressed": 0, "missing_fits": "itself", "notes": []}
    return {"suppressed": release.starred, "missing_fits": release.missing_fits, "notes": list(release.notes)}


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
    """Read the release in a file or frame, whatever tool has written it; `source` as in `Table.read`.

    With the `original`, a table with roles, labels are parsed as runs of its values, and everything is measured against
    it. Without, the labels are the values, and the prior (Q) is the distribution in the release itself. Records with
    every quasi-identifier suppressed (`*`, NA, empty) form a class as published, unless `suppressed="out"` drops them.
    A single missing or suppressed value is a value of its own, or matches every value (`missing_fits="everything"`), as
    in sdcMicro: a class then consists of all matching records, and classes overlap.
    """
    for name, value, known in (("suppressed", suppressed, SUPPRESSED), ("missing_fits", missing_fits, MISSING_FITS)):
        if value not in known:
            raise BadInput(f"{name} = {safe_repr(value)} is not one of {', '.join(map(repr, known))}")
    if original is not None:
        if not isinstance(original, Table) or not original.quasi:
            raise BadInput(f"the original is {safe_repr(original)}; pass a Table whose columns have roles")
        if quasi or sensitive:
            raise BadInput("roles are those of the original; don't name quasi-identifiers and sensitive columns again")
        quasi, sensitive = original.quasi, tuple(original.sensitive)
    wanted = column_names(quasi), column_names(sensitive)
    file = read(data, *wanted, original, source)
    original, unseen = with_unseen(file, original) if original else (None, [])
    suppressed_rows, perhaps = find_suppressed_rows(file.table, file.quasi, file.sensitive, file.texts, original)
    if suppressed_rows.all():
        raise BadInput(f"{file.where}: every record is suppressed, all rows are {STAR}; choose a file with records")
    hidden = [name for name in wanted[1] if name not in file.sensitive]
    notes, out, others = (
        [*file.notes, *unseen, *_drawn(data, wanted), *_elsewhere(data, hidden)],
        int(suppressed_rows.sum()),
        "",
    )
    if out:
        notes.append(f"{out:,} of {len(suppressed_rows):,} records are rows of {STAR}: suppressed")
        file, others = file.without(suppressed_rows), "the other "
    starred = file.starred(original)
    count = int(starred.sum())
    if count == len(starred):
        notes.append("every quasi-identifier of every record is suppressed, so all records are indistinguishable")
    elif count:
        kept = "dropped from the audit" if suppressed == "out" else "one class of the release, as published"
        doubt = DOUBTED if perhaps.any() and suppressed != "out" else ""
        notes.append(
            f"{count:,} of {others}{len(starred):,} records have every quasi-identifier suppressed: {kept}{doubt}"
        )
    keep = ~starred if suppressed == "out" and 0 < count < len(starred) else np.ones(len(starred), bool)
    count += out
    found = _against(file, original, keep, count, notes) if original else _alone(file, keep, count, notes)
    if missing_fits == "everything" and (found.codes == ANYTHING).any():
        found = replace(
            found,
            missing_fits=missing_fits,
            notes=(*found.notes, overlapping(found.read.sizes, found.codes, bool(found.neutral))),
        )
    return replace(found, known=file.side_information_risk(keep))


def _drawn(data: Any, roles: Sequence[Sequence[str]]) -> list[str]:
    """Return a note if the codebook next to a file declares changed values."""
    if not isinstance(data, (str, PathLike)):
        return []
    changed = drawn_columns_of_file(Path(data))
    names = [name for role in roles for name in role if name in changed]
    if not names:
        return []
    return [
        f"{join_names(names)}: changed at random or swapped, according to the codebook; figures treat these values "
        "as true, so a value that they report as certain is not"
    ]


def _elsewhere(data: Any, hidden: Sequence[str]) -> list[str]:
    """Return a note about sensitive columns in the other files of a bucketized release, which are not read."""
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
        f"{join_names(names)}: published per class in {files}, which this audit does not read; the results for "
        f"{join_names(names)} apply to a recipient of this file only"
    ]


def _alone(file: ReleasedFile, keep: np.ndarray, count: int, notes: list[str]) -> Foreign:
    """Read a file without an original: the labels are the values."""
    frame = file.table.drop([n for n in file.table.names if n not in (*file.quasi, *file.sensitive)]).frame[keep]
    types = dict.fromkeys(file.quasi, "text")
    for name in file.sensitive:
        labels = file.table.columns[name].labels
        types[name] = "number" if all(NUMBER.fullmatch(label.strip()) for label in labels) else "text"
    table = Table.from_frame(frame, file.quasi, file.sensitive, types=types)
    rows = np.stack([table.codes[name] for name in table.quasi], axis=1)
    first, number = distinct_rows(rows)
    values = {name: table.model_view.codes[name] for name in table.sensitive}
    histograms = {name: _counted(number, values[name], len(seen)) for name, seen in table.sensitive.items()}
    read = Classes(np.bincount(number).astype(np.int64), histograms, table.sensitive, rows[first], rows[first])
    return Foreign(
        table, read, {}, {}, file.codes(keep, None)[first], About(has_original=False), starred=count,
        notes=tuple(notes), of_record=number, values=values,
    )  # fmt: skip


def _against(file: ReleasedFile, original: Table, keep: np.ndarray, count: int, notes: list[str]) -> Foreign:
    """Read a file with the original: each label is a run of its values."""
    published, codes = int(keep.sum()), {name: array[keep] for name, array in file.table.codes.items()}
    if published > original.records:
        raise BadInput(
            f"{file.where}: it has {published:,} records and the original {original.records:,}; "
            "pass the original of this release, or as many records of a synthetic file as the original has"
        )
    rows = np.stack([codes[name] for name in file.quasi], axis=1)
    first, number = distinct_rows(rows)
    low = np.zeros((len(first), len(original.quasi)), np.int32)
    high = np.array([[original.columns[name].size - 1 for name in original.quasi]], np.int32).repeat(len(first), axis=0)
    labels, levels, sets, absent = {}, {}, {}, {}
    for i, name in enumerate(file.quasi):
        a, here, column = original.quasi.index(name), rows[first, i], original.columns[name]
        released, (runs, members) = file.table.columns[name], _runs(file, column, notes)
        low[:, a], high[:, a] = runs[here].T
        if members is not None:
            sets[a] = members[here]
        labels[name] = np.array(released.value_labels(), dtype=object)[here]
        levels[name] = np.zeros(len(first), np.int64)
        if not _unchanged_codes(column, released):
            levels[name] = named_levels(column, released.value_labels(), runs)[here]
        if original.population is not None:
            absent[a] = covered_absent(original.population.absent[a], released, runs, levels[name], here)
    values = {name: sensitive_values(file, original, name, codes[name]) for name in file.sensitive}
    histograms = {name: _counted(number, value, len(original.sensitive[name])) for name, value in values.items()}
    for name in file.sensitive:
        if (histograms[name].sum(axis=0) > original.sensitive[name].totals).any():
            notes.append(f"{name}: some value occurs more often than in the original; {DOUBT}")
    suppressed = original.records - published
    if suppressed:
        notes.append(f"{suppressed:,} of the original's {original.records:,} records are suppressed")
    shown = {name: original.sensitive[name] for name in file.sensitive}
    sizes = np.bincount(number).astype(np.int64)
    classes = Classes(sizes, histograms, shown, low, high, sets=sets, population=original.population, absent=absent)
    missing = frozenset({*original.quasi, *original.sensitive} - {*file.quasi, *file.sensitive})
    return Foreign(
        original, classes, labels, levels, file.codes(keep, original)[first], about=About(),
        unpublished_columns=missing, starred=count, suppressed=suppressed, notes=tuple(notes), of_record=number,
        values=values,
    )  # fmt: skip


def _counted(group: np.ndarray, value: np.ndarray, values: int) -> np.ndarray:
    """Count the records of each group and value."""
    return cell_kernels.histogram(group, value, np.ones(len(group), np.int64), int(group.max()) + 1, values)


def _runs(file: ReleasedFile, column: Column, notes: list[str]) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the run of each label of a released column: labels x (low, high).

    For labels that list text values not forming a run, also return the values of each: labels x codes.
    """
    name, released = column.name, file.table.columns[column.name]
    reading, found, plain = Labels(column, released.labels), list[Sequence[int]](), _unchanged_codes(column, released)
    for code, label in enumerate(released.labels):
        codes = [plain[code]] if plain else reading.codes(label)
        if not codes:
            raise BadInput(
                f"{file.place(name, code)}: the label matches no value of the original; if it is a group, "
                "use a study with the hierarchy that names it, otherwise the original of this release; a file with "
                "noise in a quasi-identifier is audited without the original (--quasi, --sensitive)"
            )
        found.append(codes)
    if released.missing:
        last = column.size - 1
        found.append(range(last if column.missing else 0, column.size))
        if not column.missing:
            notes.append(f"{name}: {released.missing:,} empty values are read as suppressed")
    runs = np.array([(codes[0], codes[-1]) for codes in found], np.int32).reshape(-1, 2)
    loose = sum(codes[-1] - codes[0] + 1 > len(codes) for codes in found)
    members = None
    if loose and column.kind == "text" and not (column.hierarchy and column.hierarchy.levels):
        members = np.zeros((len(found), column.size), bool)
        for held, codes in zip(members, found, strict=True):
            held[codes] = True
    elif loose:
        notes.append(
            f"{name}: {loose:,} {'labels are' if loose > 1 else 'label is'} not a run of neighboring values, and "
            "counted as the smallest run that contains it"
        )
    if len(reading.averages):
        notes.append(
            f"{name}: numbers are read as averages of the values nearest to them; the utility loss is approximate"
        )
    if reading.shared_ends:
        notes.append(f"{name}: an end that two intervals share is assigned to the upper one")
    below = np.append(0, np.cumsum(column.totals))
    if any(n > below[high + 1] - below[low] for n, (low, high) in zip(released.totals, runs.tolist(), strict=True)):
        notes.append(f"{name}: some label has more records than its values have in the original; {DOUBT}")
    return runs, members


def _unchanged_codes(column: Column, released: Column) -> list[int]:
    """Return the code of each label if a column is published unchanged: only values, each at most as frequent as
    before.

    A value may have the name of a group; the counts distinguish them. It may also be called "missing".
    """
    places = {label: code for code, label in reversed([*enumerate(column.value_labels())])}
    codes = [places.get(label, -1) for label in released.labels]
    fits = all(code >= 0 and n <= column.totals[code] for code, n in zip(codes, released.totals, strict=False))
    return codes if fits else []


def sensitive_values(file: ReleasedFile, original: Table, name: str, codes: np.ndarray) -> np.ndarray:
    """Return the original's value of each record, by the codes of a released sensitive column."""
    released, column, seen = file.table.columns[name], original.columns[name], original.sensitive[name]
    spelled: Callable[[str], Key] = str if original.levels.get(name) else partial(key, kind=column.kind)
    places: dict[Key, int] = {
        label: v for v, label in enumerate(seen.labels)
    }  # includes the label of missing in our own releases
    if not original.levels.get(name):
        places |= {value: v for v, value in enumerate(keys(column))}
    found = [places.get(spelled(label)) for label in released.labels]
    if released.missing:
        has_missing = column.missing or not (codes == len(released.values)).any()
        found.append(len(seen) - 1 if has_missing else None)
    if None in found:
        code = found.index(None)
        raise BadInput(f"{file.place(name, code)}: this is not a value of the original; publish its values unchanged")
    return np.array(found, np.int64)[codes]
