"""Match leaves written by a person with the values of a column; read the cells of hierarchy files."""

from __future__ import annotations

import csv
import difflib
import io
import math
import re
from bisect import bisect
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from workbench.base.errors import BadInput
from workbench.data.column import Column, Kind
from workbench.data.hierarchies.hierarchy import LEAF, LISTED, Hierarchy, Misfit, refuse_duplicates

Key = str | int | float
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
DOTTED = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
SEARCHED = 500  # neighbors searched for the nearest spelling


def key(leaf: str, kind: Kind) -> Key:
    """Return the value of a leaf's text in a column of this kind; the text itself if it is not a number or date."""
    try:
        if kind == "number" and "_" not in leaf:
            number = float(leaf.replace(",", ".") if DECIMAL_COMMA.fullmatch(leaf.strip()) else leaf)
            return int(leaf) if leaf.strip().lstrip("+-").isdigit() else number if math.isfinite(number) else leaf
        if kind == "date" and leaf[:1].isdigit():  # numpy would take "today" too
            dotted = DOTTED.fullmatch(leaf.strip())
            iso = f"{dotted[3]}-{dotted[2]:0>2}-{dotted[1]:0>2}" if dotted else leaf
            return int(np.datetime64(iso).astype("datetime64[us]").astype(np.int64))
    except ValueError:
        pass
    return leaf


def keys(column: Column) -> list[Key]:
    """Return the keys by which each value of a column is matched."""
    if column.kind == "text":
        return list(column.labels)
    values = column.values.astype("datetime64[us]").astype(np.int64) if column.kind == "date" else column.values
    return list(values.tolist())


def bound(
    column: Column,
    leaves: Sequence[str],
    levels: Sequence[Sequence[str]],
    *,
    source: str = "",
    ordered: bool = False,
) -> Hierarchy:
    """Return the hierarchy of these leaves and labels, checked as written and restricted to the column's values."""
    where = f"column {column.name!r}" + (f", hierarchy {source}" if source else "")
    meant = [key(leaf, column.kind) for leaf in leaves]
    first: dict[Key, str] = {}
    refuse_duplicates([first.setdefault(k, leaf) for k, leaf in zip(meant, leaves, strict=True)], where)
    _refuse_missing(column, dict(zip(meant, leaves, strict=True)), where)
    order = list(range(len(leaves)))
    if column.kind != "text":
        order = sorted((i for i in order if not isinstance(meant[i], str)), key=meant.__getitem__)
    labels = dict(zip(keys(column), column.labels, strict=True))
    whole = Hierarchy.from_assignment(
        [labels.get(meant[i], leaves[i]) for i in order],
        [[level[i] for i in order] for level in levels],
        ordered=ordered or column.kind != "text",
        where=where,
    )
    present = set(column.labels)
    return whole.restricted(np.array([c for c, leaf in enumerate(whole.leaves) if leaf in present], dtype=np.int64))


def _refuse_missing(column: Column, known: dict[Key, str], where: str) -> None:
    """Raise BadInput that lists values without a leaf, each with the nearest spelling."""
    missing = [label for label, k in zip(column.labels, keys(column), strict=True) if k not in known]
    if not missing:
        return
    # a leaf that is a valid number is no misspelling of another
    leaves = [leaf for k, leaf in known.items() if isinstance(k, str)]
    spelled = {leaf.casefold(): leaf for leaf in leaves}
    ends = [sorted(spelled), sorted(leaf[::-1] for leaf in spelled)]
    near = {}
    for label in missing[:LISTED]:
        for found in difflib.get_close_matches(
            label.casefold(), _similar_leaves(label.casefold(), ends), n=1, cutoff=0.5
        ):
            near[label] = spelled[found]
    shown = [f"{v!r} (did you mean {near[v]!r}?)" if v in near else repr(v) for v in missing[:LISTED]]
    more = f", ... and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
    text = (
        f"{where}: {len(missing)} of its {len(column.labels)} values are missing from the hierarchy: "
        f"{', '.join(shown)}{more}; add them, or correct the spelling"
    )
    raise Misfit(text, "unlisted", missing, near=near)


def _similar_leaves(label: str, ends: list[list[str]]) -> list[str]:
    """Return the leaves with the most similar beginning or end; comparing all of them would take too long."""
    begin, end = bisect(ends[0], label), bisect(ends[1], label[::-1])
    last = [leaf[::-1] for leaf in ends[1][max(end - SEARCHED, 0) : end + SEARCHED]]
    return list(dict.fromkeys(ends[0][max(begin - SEARCHED, 0) : begin + SEARCHED] + last))


def read_rows(path: str | PathLike[str], delimiter: str | None, header: bool | None) -> list[list[str]]:
    """Return the rows of a hierarchy file without our header. Raise BadInput for other files."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe or a device might never end
            raise BadInput(f"hierarchy file {path} is not a file; use a CSV file with one row per leaf")
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise BadInput(f"hierarchy file {path} does not exist; check the path") from None
    except OSError as error:
        raise BadInput(f"hierarchy file {path} cannot be read: {error.strerror}; check the path") from None
    return rows_of(text_of(data, str(path)), Path(path).name, delimiter, header)


def rows_of(text: str, name: str, delimiter: str | None = None, header: bool | None = None) -> list[list[str]]:
    """Return the rows of a hierarchy file's text, all of one length."""
    rows = lines_of(text, name, delimiter, header)
    width = len(rows[0][1])
    short = [(line, row) for line, row in rows if len(row) != width]
    for line, row in short[:1]:
        message = (
            f"hierarchy {name}: line {line} has {len(row)} cells and line {rows[0][0]} has {width}; "
            "label every leaf at every level"
        )
        raise Misfit(message, "ragged", [row[0] for _, row in short])
    return [row for _, row in rows]


def lines_of(
    text: str, name: str, delimiter: str | None = None, header: bool | None = None
) -> list[tuple[int, list[str]]]:
    """Return the rows of a hierarchy file's text with their line numbers, without our header."""
    rows = _cells(text, delimiter, name)
    if header or (header is None and rows and rows[0][1][0] == LEAF):
        rows = rows[1:]
    if not rows:
        raise BadInput(f"hierarchy {name} is empty; add one row per leaf")
    return rows


def text_of(data: bytes, name: str) -> str:
    """Return the text of a hierarchy file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"hierarchy file {name} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    if "\0" in text:
        raise BadInput(f"hierarchy file {name} is binary; use a CSV file with one row per leaf")
    return text


def _cells(text: str, delimiter: str | None, name: str) -> list[tuple[int, list[str]]]:
    """Return every row that is not blank, with the number of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or _delimiter(text), strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise BadInput(f"hierarchy {name}: line {reader.line_num}: {error}; check the quotes") from None


def _delimiter(text: str) -> str:
    """Return the first of `;`, tab and comma that gives equal rows; else the one that splits the first row most."""
    split: dict[str, int] = {}
    for delimiter in ";\t,":
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
        except csv.Error:
            continue
        if not rows or rows[0] == [LEAF]:
            return ";"
        split[delimiter] = len(rows[0])
        if len(rows[0]) > 1 and (rows[0][0] == LEAF or all(len(row) == len(rows[0]) for row in rows)):
            return delimiter
    return max(split, key=split.__getitem__) if split else ";"
