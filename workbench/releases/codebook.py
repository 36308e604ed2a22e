"""What each label of a release stands for: the bounds of its values, or the values themselves.

It tells little that the labels do not. A run of numbers, of dates or of text in alphabetical order has bounds, and the
least and the greatest value of all are left open where no label names them. Only where a hierarchy groups text by its
meaning are a label's values listed, and of these only the ones that as many people have as a page would name. That a
rare value is in the data at all tells of who has it: no label of the file says so, and nobody needs it to use one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench.base.files import codebooks
from workbench.base.small_counts import SMALLEST, named
from workbench.data.column import Column
from workbench.models.classes import Classes
from workbench.releases.export import Coded, Rows
from workbench.releases.unnamed_runs import spelled


class Entry(NamedTuple):
    """One label: `low` and `high` are its bounds, both included, empty where they are open or `values` are listed."""

    column: str
    label: str
    low: str
    high: str
    missing: bool
    values: tuple[str, ...] = ()
    others: bool = False  # it also stands for values that few people have, which are not listed
    drawn: bool = False  # it is how values were changed at random, or exchanged


def region_entries(
    column: Column,
    classes: Classes,
    a: int,
    labels: np.ndarray,
    smallest: int = SMALLEST,
    level: int | None = None,
) -> list[Entry]:
    """The labels of a column that is quasi-identifier number `a`; with a `level` they are nodes from there on."""
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
    """The labels of a column, in the order of its values; where they are `coarse`, none is that of a single value."""
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
    group = (low < high or coarse) and label != spelled(column, low, high)
    if column.kind == "text" and group:
        plain = label.endswith("*") and all(name.startswith(label.rstrip("*")) for name in names)
        return (
            Entry(column.name, label, "", "", missing)
            if plain
            else _listed(column, low, names, label, missing, smallest)
        )
    if not ordered and low < high:
        return _listed(column, low, names, label, missing, smallest)
    if coarse and single:  # bounds would tell the value
        return Entry(column.name, label, "", "", missing)
    first = "" if group and low == 0 else names[0]
    last = "" if group and high >= len(column.values) - 1 else names[-1]
    return Entry(column.name, label, first, last, missing, ())


def _of_set(column: Column, codes: np.ndarray, label: str, smallest: int) -> Entry:
    """The label of a set of codes, with those of its values that enough people have."""
    inside, missing = codes[codes < len(column.values)], bool(codes[-1] == len(column.values))
    if len(inside) < 2:
        return _entry(column, int(codes[0]), int(codes[-1]), label, True, smallest)
    values = tuple(column.labels[code] for code in inside[named(column.counts[inside], smallest)])
    return Entry(column.name, label, "", "", missing, values, len(values) < len(inside))


def _listed(column: Column, low: int, names: Sequence[str], label: str, missing: bool, smallest: int) -> Entry:
    """A label with those of its values that enough people have."""
    known = named(column.counts[low : low + len(names)], smallest)
    values = tuple(name for name, enough in zip(names, known, strict=True) if enough)
    return Entry(column.name, label, "", "", missing, values, len(values) < len(names))


def as_rows(found: Sequence[Entry]) -> Rows:
    """A row a label, its values as a JSON list."""
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
    return Rows.ordered([Coded(name, pd.Series(values, dtype="str"), order) for name, values in columns.items()], order)


def as_json(found: Sequence[Entry], of: str = "") -> str:
    """The labels of each column; what is open or not listed is left out. Of a sample it says which."""
    columns: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        said = {"label": one.label, "from": one.low, "to": one.high, "missing": one.missing, "values": one.values}
        said |= {"others": one.others, "drawn": one.drawn}
        columns.setdefault(one.column, []).append({key: value for key, value in said.items() if value})
    return json.dumps({"columns": columns} | ({"sample": of} if of else {}), ensure_ascii=False, indent=1) + "\n"


def is_codebook(path: Path) -> bool:
    """Whether a file is as `as_rows` or `as_json` make it."""
    try:
        if path.suffix == ".csv":
            with path.open(encoding="utf-8") as file:
                return file.readline(200) == ",".join(one.name for one in as_rows([]).columns) + "\n"
        columns = json.loads(path.read_bytes())["columns"]
        return all("label" in one for found in columns.values() for one in found)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def drawn_beside(release: Path) -> list[str]:
    """The columns of a released file that were changed at random or exchanged, as our codebook beside it says."""
    book = codebooks(release)[-1]
    if not book.is_file():
        return []
    try:
        columns = json.loads(book.read_bytes())["columns"]
        return [name for name, found in columns.items() if any(one.get("drawn") is True for one in found)]
    except (ValueError, LookupError, TypeError, AttributeError):  # it is no codebook of ours
        return []
