"""A released table as another tool has written it: text, in the roles that its columns have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.errors import BadInput, suggest_column
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import key, keys
from workbench.data.population import AbsentValues, with_values
from workbench.data.reading.opening import open_source
from workbench.data.reading.value_types import MARKERS
from workbench.data.settings import assign
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.labels import STARS, Labels
from workbench.releases.side_information import SideInformationRisk, count_side_information, number_combinations

# Missing values that match every value, as sdcMicro counts (`freqCalc` with alpha = 1).
#
# "A missing value stands for any of the possible categories of the variable considered"
# (https://sdctools.github.io/sdcMicro/reference/freqCalc.html). So two records match if they agree in every
# quasi-identifier that neither lacks.

ANYTHING = -1  # in place of a code


def overlapping(sizes: np.ndarray, codes: np.ndarray, neutral: bool) -> str:
    """Return a note about missing quasi-identifiers in classes of these sizes."""
    count = int(sizes[(codes == ANYTHING).any(axis=1)].sum())
    return (
        f"{count:,} of {int(sizes.sum()):,} records have a missing or suppressed quasi-identifier, which matches every "
        "value: classes overlap, and seem larger than they are"
        + ("; for the risk from neutral columns it matches only itself" if neutral else "")
    )


def widened(classes: Classes, codes: np.ndarray, axes: Sequence[int], sizes: Sequence[int]) -> Classes:
    """Return classes that show everything where a value is missing.

    `axes` are the quasi-identifiers of the columns of `codes`, and `sizes` their numbers of codes.
    """
    assert classes.low is not None and classes.high is not None
    low, high = classes.low.copy(), classes.high.copy()
    for a, size, here in zip(axes, sizes, codes.T, strict=True):
        low[here == ANYTHING, a], high[here == ANYTHING, a] = 0, size - 1
    return replace(classes, low=low, high=high)


def matched(classes: Classes, codes: np.ndarray) -> Classes:
    """Return each class with all records that match it; such classes overlap.

    `codes` is classes x quasi-identifiers, ANYTHING where a value is missing.
    """
    wild = (codes == ANYTHING).any(axis=1)
    first = np.argsort(~wild, kind="stable")  # complete classes match only if they are identical
    names = list(classes.histograms)
    counts = np.column_stack([classes.sizes, *(classes.histograms[name] for name in names)])
    found = np.empty_like(counts)
    patterns = np.ascontiguousarray(codes[first], dtype=np.int32)
    found[first] = cell_kernels.lookalikes(patterns, counts[first], int(wild.sum()), ANYTHING)
    ends = np.cumsum([1, *(classes.histograms[name].shape[1] for name in names)])
    histograms = np.split(found, ends, axis=1)[1:-1]
    return replace(classes, sizes=found[:, 0], histograms=dict(zip(names, histograms, strict=True)))


@dataclass(frozen=True, eq=False)
class ReleasedFile:
    """A released table as text, with the columns that have a role."""

    where: str
    table: Table
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    notes: tuple[str, ...]
    texts: Sequence[str]  # the columns that contain text in the file
    missing: Mapping[str, list[str]]
    numbers: np.ndarray  # the numbers of the records in the file

    def codes(self, keep: np.ndarray, original: Table | None) -> np.ndarray:
        """Return the value of each record: records x quasi-identifiers, ANYTHING where it is missing or suppressed."""
        found = []
        for name in self.quasi:
            known = [ANYTHING if hidden else code for code, hidden in enumerate(self._hidden(name, original))]
            found.append(np.array([*known, ANYTHING], np.int32)[self.table.codes[name][keep]])
        return np.stack(found, axis=1)

    def starred(self, original: Table | None) -> np.ndarray:
        """Return the records with every quasi-identifier suppressed, or empty where the original has a value."""
        stars = []
        for name in self.quasi:
            empty = original is None or not original.columns[name].missing
            stars.append(np.array([*self._hidden(name, original), empty])[self.table.codes[name]])
        return np.logical_and.reduce(stars)

    def _hidden(self, name: str, original: Table | None) -> list[bool]:
        """Return which values of a column are suppressed: `*`; with an original also words such as "unknown" that are
        not values."""
        labels = self.table.columns[name].labels
        if original is None:
            return [bool(STARS.fullmatch(label.strip())) for label in labels]
        return [*map(Labels(original.columns[name], labels).hides, labels)]

    def without(self, removed: np.ndarray) -> ReleasedFile:
        """Return the file without some records."""
        table = Table.without_roles(
            self.table.frame[~removed], types=dict.fromkeys(self.table.names, "text"), missing=self.missing
        )
        quasi, sensitive = (tuple(n for n in role if n in table.names) for role in (self.quasi, self.sensitive))
        return replace(self, table=table, quasi=quasi, sensitive=sensitive, numbers=self.numbers[~removed])

    def side_information_risk(self, keep: np.ndarray) -> SideInformationRisk:
        """Return the risk from the columns without a role, counted over the records in `keep`."""
        others = [name for name in self.table.names if name not in (*self.quasi, *self.sensitive)]
        secret = {name: self.table.codes[name][keep] for name in self.sensitive}
        return count_side_information(
            others,
            number_combinations(self.table, self.quasi)[keep],
            number_combinations(self.table, others)[keep],
            secret,
        )

    def place(self, name: str, code: int) -> str:
        """Return where a value first occurs."""
        record = self.numbers[(self.table.codes[name] == code).argmax()]
        return f"{self.where}, column {name!r}, record {record:,}"


def read(
    data: Any, quasi: tuple[str, ...], sensitive: tuple[str, ...], original: Table | None, source: Mapping[str, Any]
) -> ReleasedFile:
    """Read the columns with a role, all as text; some of an original's columns may be unpublished."""
    if isinstance(data, pd.DataFrame):  # pandas.cut returns intervals
        kinds = {n: getattr(data[n].dtype, "categories", data[n]).dtype for n in data.columns}
        intervals = [n for n, kind in kinds.items() if isinstance(kind, pd.IntervalDtype)]
        data = data.astype(dict.fromkeys(intervals, str))
    opened = open_source(data, **source)
    names, where, texts = opened.names, opened.where, opened.texts
    opened.close()
    if original is None:
        assign(names, quasi, sensitive, ())
    columns = original.columns if original else {}
    missing = {name: _markers(columns[name]) if name in columns else [*MARKERS] for name in names}
    table = Table.without_roles(data, types=dict.fromkeys(names, "text"), missing=missing, **source)
    there, shown = (tuple(name for name in role if name in table.names) for role in (quasi, sensitive))
    missing_columns = [name for name in (*quasi, *sensitive) if name not in table.names]
    if not there:
        raise BadInput(
            f"{where}: the file has none of the quasi-identifiers {', '.join(quasi)}; "
            + suggest_column(quasi[0], names)
        )
    others = {name for name in names if name not in (*quasi, *sensitive)}
    plain = ("delimiter ", "encoding utf-8")  # these need no note
    notes = [note for note in table.notes if note.split(":")[0] not in others and not note.startswith(plain)]
    notes += [f"{', '.join(missing_columns)}: not published"] if missing_columns else []
    return ReleasedFile(where, table, there, shown, tuple(notes), texts, missing, np.arange(1, table.records + 1))


def _markers(column: Column) -> list[str]:
    """Return the markers of missing values; NA may be a value or a group in some columns, such as Namibia."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    known = {label.strip() for labels in (column.labels, *(level.labels for level in levels)) for label in labels}
    return [marker for marker in MARKERS if marker not in known]


# Values that the original lacks: those of a synthetic file count as values, and those of a population are matched to
# the labels that cover them.

MARKS = frozenset("{}[]()<>*|;")  # characters of labels for groups, sets or ranges


def with_unseen(file: ReleasedFile, original: Table) -> tuple[Table, list[str]]:
    """Return the original with the values that only the file has, and notes about them."""
    found = {name: _unseen_quasi(file.table.columns[name], original.columns[name]) for name in file.quasi}
    found |= {name: _unseen_sensitive(file, original, name) for name in file.sensitive}
    unseen = {name: labels for name, labels in found.items() if labels}
    if not unseen:
        return original, []
    notes = []
    for name, labels in unseen.items():
        released = file.table.columns[name]
        count = sum(int(n) for label, n in zip(released.labels, released.counts, strict=True) if label in {*labels})
        several, records = len(labels) > 1, "record" if count == 1 else "records"
        text = name in file.quasi and original.columns[name].kind == "text"
        groups = "; a group needs a study with the hierarchy that names it" if text else ""
        notes.append(
            f"{name}: {len(labels):,} {'values are' if several else 'value is'} not in the original, in {count:,} "
            f"{records}; read as {'values' if several else 'a value'} that nobody in the original has{groups}"
        )
    return with_values(original, unseen), notes


def _unseen_quasi(released: Column, column: Column) -> list[str]:
    """Return the labels that are values missing from the original: single numbers and dates, and text without the marks
    of a group in a column that mostly shows values of the original."""
    reading = Labels(column, released.labels)
    unknown = [label for label in released.labels if not reading.codes(label)]
    if column.kind != "text":
        return [label for label in unknown if not isinstance(key(label, column.kind), str)]
    values = {*column.labels}
    known = sum(label in values for label in released.labels)
    return [label for label in unknown if not MARKS & {*label}] if 2 * known > len(released.labels) else []


def _unseen_sensitive(file: ReleasedFile, original: Table, name: str) -> list[str]:
    """Return the values of a sensitive column that the original lacks, if the column also shows some of its values."""
    column, released = original.columns[name], file.table.columns[name].labels
    if original.levels.get(name, 0):
        return []
    known: set[object] = {*keys(column), *original.sensitive[name].labels}
    hides = Labels(column, released).hides
    unknown = [label for label in _unknown(released, column, known) if not hides(label)]
    if column.kind != "text":
        unknown = [label for label in unknown if not isinstance(key(label, column.kind), str)]
    return unknown if len(unknown) < len(released) else []


def _unknown(released: Sequence[str], column: Column, known: set[object]) -> list[str]:
    return [label for label in released if label not in known and key(label, column.kind) not in known]


def covered_absent(
    values: AbsentValues, released: Column, runs: np.ndarray, levels: np.ndarray, here: np.ndarray
) -> np.ndarray:
    """Return which values missing from the original the label of each class covers: classes x values."""
    reading = Labels(values.every, released.labels)
    found = np.zeros((len(runs), len(values)), bool)
    for code, label in enumerate(released.labels):
        codes = np.array(reading.codes(label) or [], np.int64)
        among = values.number[codes[codes < len(values.number)]]
        found[code, among[among >= 0]] = True
        found[code] |= reading.hides(label)
    found[len(released.labels) :] = not values.column.missing  # missing matches every value if no value was missing
    named = {(code, level) for code, level in zip(here.tolist(), levels.tolist(), strict=True) if level > 0}
    for code, level in named:
        found[code] = values.covered(int(runs[code, 0]), int(runs[code, 1]), level)
    return found[here]
