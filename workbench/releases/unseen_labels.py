"""Values that the original lacks: those of a synthetic file count as values, and those of a population are matched to
the labels that cover them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.data.absent_values import AbsentValues, with_values
from workbench.data.column import Column
from workbench.data.hierarchies.matching import key, keys
from workbench.data.table import Table
from workbench.releases.label_parser import Labels
from workbench.releases.released_file import ReleasedFile

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
