"""The codebook of a release: what each label stands for, as bounds of its values or as the values.

It discloses little beyond the labels. A run of numbers, of dates or of text in alphabetical order has the bounds that
its label shows; the minimum and the maximum of a column are left open where no label shows them. Ranges of numbers and
dates show no value of few records if their ends are values that many records share (`Column.regions`; always in
studies, unless they request exact ends); otherwise any value may be a bound. Values are listed only for labels of a
hierarchy that groups text by meaning, and only those that enough people have.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench.base.files import codebooks
from workbench.data.column import Column
from workbench.models.classes import Classes
from workbench.redaction.controlled_rounding import SMALLEST, may_be_named
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.labels import format_run


class Entry(NamedTuple):
    """One label: `low` and `high` are its bounds, empty if they are open or `values` are listed.

    A bound belongs to the label, unless it is written ">250" or "<300".
    """

    column: str
    label: str
    low: str
    high: str
    missing: bool
    values: tuple[str, ...] = ()
    others: bool = False  # the label also covers values of few people, which are not listed
    drawn: bool = False  # the entry describes how values were changed at random or swapped


def region_entries(
    column: Column,
    classes: Classes,
    a: int,
    labels: np.ndarray,
    smallest: int = SMALLEST,
    level: int | None = None,
) -> list[Entry]:
    """Return entries for the labels of quasi-identifier number `a`; with a `level`, the labels are nodes from there
    up."""
    if a in classes.sets:
        sets = {str(label): np.flatnonzero(held) for label, held in zip(labels, classes.sets[a], strict=True)}
        return [_of_set(column, codes, label, smallest) for label, codes in sorted(sets.items())]
    assert classes.low is not None and classes.high is not None
    return entries(column, classes.low[:, a], classes.high[:, a], labels, smallest, coarse=bool(level))


def entries(
    column: Column,
    low: np.ndarray,
    high: np.ndarray,
    labels: np.ndarray,
    smallest: int = SMALLEST,
    coarse: bool = False,
) -> list[Entry]:
    """Return entries for the labels of a column, in the order of its values; `coarse` labels never represent a single
    value."""
    runs = sorted({(int(a), int(b), str(label)) for a, b, label in zip(low, high, labels, strict=True)})
    ordered = column.kind != "text" or list(column.labels) == sorted(column.labels)
    return [_entry(column, *run, ordered, smallest, coarse) for run in runs]


def _entry(
    column: Column, low: int, high: int, label: str, ordered: bool, smallest: int, coarse: bool = False
) -> Entry:
    names = column.labels[low : min(high, len(column.values) - 1) + 1]
    missing = high == len(column.values)
    if not names:
        return Entry(column.name, label, "", "", missing, ())
    single = low == min(high, len(column.values) - 1)
    group = (low < high or coarse) and label != format_run(column, low, high)
    if column.kind == "text" and group:
        plain = label.endswith("*") and all(name.startswith(label.rstrip("*")) for name in names)
        return (
            Entry(column.name, label, "", "", missing)
            if plain
            else _listed(column, low, names, label, missing, smallest)
        )
    if not ordered and low < high:
        return _listed(column, low, names, label, missing, smallest)
    if coarse and single:  # bounds would disclose the value
        return Entry(column.name, label, "", "", missing)
    if column.ends is not None and not single:
        return Entry(column.name, label, *_allowed_bounds(column, low, low + len(names) - 1, group), missing, ())
    first = "" if group and low == 0 else names[0]
    last = "" if group and high >= len(column.values) - 1 else names[-1]
    return Entry(column.name, label, first, last, missing, ())


def _allowed_bounds(column: Column, low: int, high: int, group: bool) -> tuple[str, str]:
    """Return the bounds of a range as its label shows them; a group has the bounds of an allowed range."""
    assert column.ends is not None
    below, above = column.ends.printed(column, low, high)
    if group and column.ends.start[low] != low:
        below = None
    if group and column.ends.end[high] != high:
        above = None
    return (
        "" if below is None else below.text if below.closed else f">{below.text}",
        "" if above is None else above.text if above.closed else f"<{above.text}",
    )


def _of_set(column: Column, codes: np.ndarray, label: str, smallest: int) -> Entry:
    """Return the entry of a set of codes, with those of its values that enough people have."""
    inside, missing = codes[codes < len(column.values)], bool(codes[-1] == len(column.values))
    if len(inside) < 2:
        return _entry(column, int(codes[0]), int(codes[-1]), label, True, smallest)
    values = tuple(column.labels[code] for code in inside[may_be_named(column.counts[inside], smallest)])
    return Entry(column.name, label, "", "", missing, values, len(values) < len(inside))


def _listed(column: Column, low: int, names: Sequence[str], label: str, missing: bool, smallest: int) -> Entry:
    """Return an entry with those of the label's values that enough people have."""
    known = may_be_named(column.counts[low : low + len(names)], smallest)
    values = tuple(name for name, enough in zip(names, known, strict=True) if enough)
    return Entry(column.name, label, "", "", missing, values, len(values) < len(names))


def as_rows(found: Sequence[Entry]) -> Rows:
    """Return one row per label, with its values as a JSON list."""
    listed = [json.dumps(one.values, ensure_ascii=False) if one.values else "" for one in found]
    columns = {
        "column": [one.column for one in found],
        "label": [one.label for one in found],
        "from": [one.low for one in found],
        "to": [one.high for one in found],
        "missing": ["yes" if one.missing else "" for one in found],
        "values": listed,
        "others": ["yes" if one.others else "" for one in found],
    }
    order = np.arange(len(found), dtype=np.int32)
    return Rows.ordered(
        [CodedColumn(name, pd.Series(values, dtype="str"), order) for name, values in columns.items()], order
    )


def as_json(found: Sequence[Entry], of: str = "", layout: Mapping[str, Any] | None = None) -> str:
    """Return the labels of each column as JSON, without empty fields.

    A sample is described in `sample`, and the `layout`, which an audit needs to read the release back, in `release`.
    """
    columns: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        fields = {"label": one.label, "from": one.low, "to": one.high, "missing": one.missing, "values": one.values}
        fields |= {"others": one.others, "drawn": one.drawn}
        columns.setdefault(one.column, []).append({key: value for key, value in fields.items() if value})
    about = ({"sample": of} if of else {}) | ({"release": dict(layout)} if layout else {})
    return json.dumps({"columns": columns} | about, ensure_ascii=False, indent=1) + "\n"


def is_codebook(path: Path) -> bool:
    """Return whether a file has the format of `as_rows` or `as_json`."""
    try:
        if path.suffix == ".csv":
            with path.open(encoding="utf-8") as file:
                return file.readline(200) == ",".join(one.name for one in as_rows([]).columns) + "\n"
        columns = json.loads(path.read_bytes())["columns"]
        return all("label" in one for found in columns.values() for one in found)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def drawn_columns_of_file(release: Path) -> list[str]:
    """Return the columns of a released file that were changed at random or swapped, according to its codebook."""
    book = codebooks(release)[-1]
    return drawn_columns(read_codebook(book)) if book.is_file() else []


def read_codebook(path: Path) -> dict[str, Any]:
    """Read a codebook as written by `as_json`; empty for any other file."""
    try:
        found = json.loads(path.read_bytes())
        sound = all("label" in one for entries in found["columns"].values() for one in entries)
        return found if sound and isinstance(found.get("release", {}), dict) else {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def drawn_columns(book: Mapping[str, Any]) -> list[str]:
    """Return the columns that were changed at random or swapped."""
    columns = book.get("columns", {})
    return [name for name, found in columns.items() if any(one.get("drawn") is True for one in found)]
