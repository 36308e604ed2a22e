"""Our own releases, read back from their files in their original layout: buckets, one flat file, or noise.

The codebook next to a file describes its layout. A file with generalized values, or from another tool, is read by
`foreign`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.files import codebooks
from workbench.base.randomness import exact_chances
from workbench.data.cells import cell_of_record
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import key, keys
from workbench.data.settings import column_names
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.base import Release
from workbench.releases.codebook import drawn_columns, read_codebook
from workbench.releases.exchanged import Exchanged, Flat, FlatExchanged
from workbench.releases.foreign import foreign, sensitive_values
from workbench.releases.partition import Bucketized, published_sensitive
from workbench.releases.perturbed import Perturbed
from workbench.releases.released_file import ReleasedFile, read
from workbench.releases.responses import Categorical, Drawn, Noise
from workbench.releases.shown import Shown, at_level
from workbench.releases.writing import RECORDS, files_of

NO_WEIGHTS = "the file does not contain the weights of its records"
TRUE = "true: "  # before a true value in the codebook of listed chances


@dataclass(frozen=True, eq=False, repr=False)
class BucketsOfFile(Bucketized):
    """Buckets with the counts of the files; `of_record` is the bucket of each record of the table, or -1."""

    counts: Mapping[str, np.ndarray] = field(default_factory=dict)
    of_record: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))

    @cached_property
    def classes(self) -> Classes:
        """The buckets, with the counts of the files."""
        return replace(self._regions, histograms={name: self.counts[name] for name in published_sensitive(self)})

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The bucket of each record; the number after the last if it is suppressed."""
        return np.where(self.of_record < 0, len(self.classes), self.of_record)

    @cached_property
    def weighted_entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bucket, cell and number of people of each entry; undefined if the records of a cell are in several
        buckets."""
        if self.table.weight is not None and self.parts:
            raise Undefined(NO_WEIGHTS)
        return super().weighted_entries


@dataclass(frozen=True, eq=False, repr=False)
class FlatOfFile(Flat, BucketsOfFile):
    """Buckets in one flat file, with the values that its rows show."""

    values: Mapping[str, np.ndarray] = field(default_factory=dict)  # of each record, as shown in its row

    def shown(self, name: str, seed: int = 0) -> Shown:
        return _of_rows(self, name, self.values) or super().shown(name, seed)


@dataclass(frozen=True, eq=False, repr=False)
class FlatExchangedOfFile(FlatExchanged):
    """A flat file whose values were also swapped between buckets."""

    values: Mapping[str, np.ndarray] = field(default_factory=dict)

    def shown(self, name: str, seed: int = 0) -> Shown:
        return _of_rows(self, name, self.values) or super().shown(name, seed)


@dataclass(frozen=True, eq=False, repr=False)
class NoiseOfFile(Perturbed):
    """A release with noise whose rows were matched to records in any order."""

    @cached_property
    def people(self) -> np.ndarray:
        """The number of people whom each record represents; undefined with weights."""
        if self.table.weight is not None:
            raise Undefined(NO_WEIGHTS)
        return super().people


def _of_rows(release: Flat, name: str, values: Mapping[str, np.ndarray]) -> Shown | None:
    if name not in values:
        return None
    column, level = release.table.columns[name], release.table.levels.get(name, 0)
    return at_level(column, level, values[name][release.published_records])


def read_release(
    data: Any,
    quasi: Sequence[str] | str = (),
    sensitive: Sequence[str] | str | None = None,
    original: Table | None = None,
    *,
    codebook: str | PathLike[str] | None = None,
    suppressed: str = "class",
    missing_fits: str = "itself",
    **source: Any,
) -> Release:
    """Read the release in a file or frame, whatever tool has written it.

    Parameters
    ----------
    data, quasi, sensitive, original, suppressed, missing_fits, source
        As in `foreign`.
    codebook
        The codebook of one of our own releases; by default the one next to the file.

    Returns
    -------
    Release
        With the codebook, or with the other files of a bucketized release, a release of its original kind;
        otherwise a `Foreign` one.
    """
    options = {"suppressed": suppressed, "missing_fits": missing_fits, **source}
    if not isinstance(data, (str, PathLike)):
        return foreign(data, quasi, sensitive, original, **options)
    path = _records_file(Path(data))
    book = _codebook(path, codebook)
    wanted = (original.quasi, tuple(original.sensitive)) if original else (column_names(quasi), column_names(sensitive))
    layout = book.get("release") or _buckets(path, wanted[1], book)
    kind = layout.get("kind")
    if kind == "noise" and original is not None and original.engine.in_memory:
        return _noise(read(path, *wanted, original, source), original, layout, book)
    if kind in ("buckets", "one file") and (original is None or original.engine.in_memory):
        return _bucketized(path, wanted, original, layout, source)
    return foreign(path, quasi, sensitive, original, **options)


def roles_of(path: Path, codebook: str | PathLike[str] | None = None) -> tuple[list[str], list[str]]:
    """Return the quasi-identifiers and sensitive columns that a release's codebook names; empty without one."""
    layout = _codebook(_records_file(path), codebook).get("release", {})
    quasi, sensitive = ([*layout.get(role, ())] for role in ("quasi", "sensitive"))
    return quasi, sensitive


def _records_file(path: Path) -> Path:
    """Return the file itself, or the records file of a bucketized release of this name."""
    records = path.with_stem(f"{path.stem}-{RECORDS}") if path.name else path
    return records if not path.exists() and records.is_file() else path


def _whole(path: Path) -> Path:
    """Return the common name of a release's files."""
    stem = path.stem.removesuffix(f"-{RECORDS}")
    return path.with_stem(stem) if stem else path


def _codebook(path: Path, given: str | PathLike[str] | None) -> dict[str, Any]:
    """Return the given codebook, or the one next to the file; empty without one."""
    if given is None:
        books = (read_codebook(codebooks(one)[-1]) for one in (path, _whole(path)))
        return next((book for book in books if book), {})
    place = Path(given).with_suffix(".json")
    if not (found := read_codebook(place)):
        raise BadInput(
            f"{place}: this is not the codebook of a release; pass the -codebook.json that was exported with it"
        )
    return found


def _buckets(path: Path, sensitive: Sequence[str], book: Mapping[str, Any]) -> dict[str, Any]:
    """Return the layout of a bucketized release, inferred from the names of files and columns; empty if it is none."""
    places = _tables(path, sensitive)
    if not places:
        return {}
    known = Table.without_roles(path).names
    ((name, place), *_) = places.items()
    columns = [one for one in Table.without_roles(place).names if one != name]
    shared, count = ([one for one in columns if (one in known) == among] for among in (True, False))
    if len(shared) != 1 or len(count) != 1:
        return {}
    return {"kind": "buckets", "class": shared[0], "count": count[0], "true": not drawn_columns(book)}


def _tables(path: Path, sensitive: Sequence[str]) -> dict[str, Path]:
    """Return the files of the sensitive columns of a bucketized release."""
    if _whole(path) == path:
        return {}
    places = files_of(_whole(path), [RECORDS, *sensitive])[1:]
    return {name: place for name, place in zip(sensitive, places, strict=True) if place.is_file()}


def _bucketized(
    path: Path, wanted: tuple[tuple[str, ...], tuple[str, ...]], original: Table | None, layout: Mapping[str, Any],
    source: Mapping[str, Any],
) -> Release:  # fmt: skip
    """Return a bucketized release: the records with their bucket's index, and the values of each bucket."""
    quasi, sensitive = wanted
    one_file = layout["kind"] == "one file"
    file = read(path, quasi, sensitive if one_file else (), original, source)
    number = layout["class"]
    if number not in file.table.names:
        raise BadInput(f"{file.where}: its codebook names the column {number!r} of buckets, which is missing")
    places = {} if one_file else _tables(path, sensitive)
    numbers = file.table.columns[number].labels
    bucket = file.table.codes[number]
    table = original or _as_table(file, number, places, layout, wanted)
    unchanged = [name for name in file.table.names if name in table.columns and name not in table.sensitive]
    row = _rows_of_records(file, table, unchanged)
    of_record = np.where(row < 0, -1, bucket[row]).astype(np.int32)
    values, counts = {}, {}
    for name in sensitive:
        if one_file and name in file.sensitive:
            shown = sensitive_values(file, table, name, file.table.codes[name])
            values[name] = shown[row]
            counts[name] = _histogram(bucket, shown, np.ones(len(shown), np.int64), len(numbers), table, name)
        elif name in places:
            counts[name] = _counts(places[name], table, name, numbers, layout)
    group, parts = _entries(table, of_record, len(numbers))
    own = (table, table.cells(), group)
    unpublished_columns = frozenset(
        name for name in (*quasi, *sensitive) if name not in file.quasi and name not in counts
    )
    options: dict[str, Any] = {"unpublished_columns": unpublished_columns, "parts": parts}
    if not layout["true"]:
        if one_file:
            about = replace(FlatExchangedOfFile.about, has_original=original is not None)
            return FlatExchangedOfFile(*own, **options, seats=counts, values=values, about=about)
        return Exchanged(*own, **options, seats=counts)
    kind: type[BucketsOfFile] = FlatOfFile if one_file else BucketsOfFile
    options |= {"counts": counts, "of_record": of_record} | ({"values": values} if one_file else {})
    return kind(*own, **options, about=replace(kind.about, has_original=original is not None))


def _entries(
    table: Table, of_record: np.ndarray, buckets: int
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """Return the bucket of each of the table's cells; if one is split, of each piece, and the pieces."""
    cell, cells = cell_of_record(table), len(table.cells())
    entry, weight = np.unique(cell.astype(np.int64) * (buckets + 1) + of_record + 1, return_counts=True)
    bucket = (entry % (buckets + 1) - 1).astype(np.int32)
    if len(entry) == cells:
        return bucket, None
    return bucket, ((entry // (buckets + 1)).astype(np.int32), weight)


def _counts(place: Path, table: Table, name: str, numbers: Sequence[str], layout: Mapping[str, Any]) -> np.ndarray:
    """Return how often each bucket has each value, from the file of a sensitive column."""
    file = read(place, (layout["class"],), (name,), None, {})
    known = {number: i for i, number in enumerate(numbers)}
    column = file.table.columns[layout["class"]]
    if unknown := [label for label in column.labels if label not in known]:
        raise BadInput(
            f"{place}: {len(unknown):,} of its buckets have no record in the other file; export both files again"
        )
    bucket = np.array([known[label] for label in column.labels])[file.table.codes[layout["class"]]]
    count = file.table.columns[layout["count"]]
    people = np.array([int(label) for label in count.labels], np.int64)[file.table.codes[layout["count"]]]
    value = sensitive_values(file, table, name, file.table.codes[name])
    return _histogram(bucket, value, people, len(numbers), table, name)


def _histogram(
    bucket: np.ndarray, value: np.ndarray, people: np.ndarray, buckets: int, table: Table, name: str
) -> np.ndarray:
    found = np.zeros((buckets, len(table.sensitive[name])), np.int64)
    np.add.at(found, (bucket, value), people)
    return found


def _as_table(
    file: ReleasedFile, number: str, places: Mapping[str, Path], layout: Mapping[str, Any],
    wanted: tuple[tuple[str, ...], tuple[str, ...]],
) -> Table:  # fmt: skip
    """Return the records, each with a value of its bucket, in place of an original."""
    frame = file.table.drop([number]).frame
    bucket = file.table.frame[number].to_numpy()
    for name, place in places.items():
        counted = Table.without_roles(
            place, types={layout["class"]: "text", name: "text", layout["count"]: "number"}
        ).frame
        repeated = counted.loc[counted.index.repeat(counted[layout["count"]])]
        order = np.argsort(repeated[layout["class"]].to_numpy(), kind="stable")
        column = np.empty(len(frame), object)
        column[np.argsort(bucket, kind="stable")] = repeated[name].to_numpy()[order]
        frame[name] = column
    sensitive = [name for name in wanted[1] if name in frame.columns]
    return Table.from_frame(frame, wanted[0], sensitive, types=dict.fromkeys(frame.columns, "text"))


def _noise(file: ReleasedFile, table: Table, layout: Mapping[str, Any], book: Mapping[str, Any]) -> Perturbed:
    """Return a release with noise whose rows are matched to the records in any order."""
    columns = {name: entry for name, entry in layout["columns"].items() if name in file.table.names}
    unchanged = [name for name in file.table.names if name in table.columns and name not in columns]
    row = _rows_of_records(file, table, unchanged)
    if (row < 0).any():
        raise BadInput(
            f"{file.where}: {int((row < 0).sum()):,} records of the original have no row; a release with noise has all "
            "of them: pass the original of this release"
        )
    drawn = {}
    for name, entry in columns.items():
        released, column = file.table.columns[name], table.columns[name]
        if "scale" in entry:
            numbers = np.array([float(label) for label in released.labels])[file.table.codes[name][row]]
            ends = entry["low"], entry["high"]
            at = np.clip(column.values.astype(float), *ends)
            response: Categorical | Noise = Noise(entry["scale"], at, *ends, (ends[1] - ends[0]) / entry["scale"])
            drawn[name] = Drawn.from_released(response, numbers)
            continue
        if name in table.sensitive:
            codes, prior = sensitive_values(file, table, name, file.table.codes[name]), table.sensitive[name].prior
        else:
            codes, prior = _codes(file, column), column.totals / table.records
        labels = table.sensitive[name].labels if name in table.sensitive else column.value_labels()
        drawn[name] = Drawn.from_released(_response(entry, prior, labels, book["columns"][name]), codes[row])
    return NoiseOfFile(table, drawn)


def _response(
    said: Mapping[str, Any], prior: np.ndarray, labels: Sequence[str], entries: Sequence[Mapping[str, Any]]
) -> Categorical:
    """Return the probabilities of each value, as listed in the codebook or computed from its settings."""
    if "keep" in said:
        other = prior if said["others"] == "table" else np.full(len(prior), 1 / len(prior))
        chances = said["keep"] * np.eye(len(prior)) + (1 - said["keep"]) * other
        return Categorical(exact_chances(chances), keep=said["keep"], others=said["others"])
    chances = np.zeros((len(labels), len(labels)))
    place = {label: code for code, label in enumerate(labels)}
    for entry in entries:
        true = place.get(entry["label"].removeprefix(TRUE)) if entry["label"].startswith(TRUE) else None
        for one in entry.get("values", ()) if true is not None else ():
            label, _, chance = one.rpartition(": ")
            chances[true, place[label]] = float(chance)
    return Categorical(chances / chances.sum(axis=1, keepdims=True), listed=True)


def _rows_of_records(file: ReleasedFile, table: Table, unchanged: Sequence[str]) -> np.ndarray:
    """Return a row of the file for each record of the original with the same unchanged values; -1 if there is none."""
    rows, records = file.table.records, table.records
    same = np.zeros(rows + records, np.int64)
    for name in unchanged:
        column = table.columns[name]
        both = np.concatenate([_codes(file, column), table.codes[name]])
        same = np.unique(same * column.size + both, return_inverse=True)[1].ravel()
    place = [_numbered(part) for part in (same[:rows], same[rows:])]
    ids = same * (max(rows, records) + 1) + np.concatenate(place)
    order = np.argsort(ids[rows:])
    at = np.minimum(np.searchsorted(ids[rows:], ids[:rows], sorter=order), records - 1)
    if strange := int((ids[rows:][order[at]] != ids[:rows]).sum()):
        raise BadInput(
            f"{file.where}: {strange:,} rows have values in {', '.join(unchanged)} that no record of the original has, "
            "or not as often; pass the original of this release"
        )
    found = np.full(records, -1)
    found[order[at]] = np.arange(rows)
    return found


def _numbered(group: np.ndarray) -> np.ndarray:
    """Return the position of each record within its group."""
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], group[order])
    found = np.empty(len(group), np.int64)
    found[order] = np.arange(len(group)) - first
    return found


def _codes(file: ReleasedFile, column: Column) -> np.ndarray:
    """Return the original's code of each row's value in an unchanged column."""
    released, name = file.table.columns[column.name], column.name
    labels = {label: code for code, label in reversed([*enumerate(column.value_labels())])}
    values = {value: code for code, value in enumerate(keys(column))}
    found = [labels.get(label, values.get(key(label, column.kind), -1)) for label in released.labels]
    if released.missing:
        found.append(column.size - 1 if column.missing else -1)
    if -1 in found:
        raise BadInput(
            f"{file.place(name, found.index(-1))}: the original has no such value, but according to the codebook the "
            "column is unchanged; pass the original of this release"
        )
    return np.array(found, np.int64)[file.table.codes[name]]
