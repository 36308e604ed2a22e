"""Hierarchies over a column: levels that divide the codes into runs of neighbors."""

from __future__ import annotations

import csv
import difflib
import io
import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput
from workbench.data.column import Column, Kind

LEAF = "leaf"
LISTED = 10  # maximum number of values in a message


def quoted(values: Sequence[object], limit: int = LISTED) -> str:
    """Return the first values, quoted, and the number of the others."""
    more = f", ... and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(repr(str(v)) for v in values[:limit]) + more


PLAIN = {  # messages with the number of affected values and their level
    "unlisted": "{0} of its values are missing from the hierarchy; add them, or correct the spelling",
    "split": "level {1} is not a partition into neighbors: {0} values are between those of a group; label its parts "
    "differently",
    "lone": "level {1}: {0} groups have the name of a value outside them; rename the group, or add the value to it",
    "duplicate": "{0} values are listed twice; list each once",
}


class Misfit(BadInput):
    """A hierarchy that does not match the column, with the details that a fix needs.

    `what` is "duplicate", "unlisted", "split", "lone" or "ragged"; `values` are the affected leaves, `label` the group
    and `level` its level (1: the finest); `near` has the nearest spelling of unlisted values.
    """

    def __init__(
        self,
        text: str,
        what: str = "",
        values: Sequence[str] = (),
        *,
        level: int = 0,
        label: str = "",
        near: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(text)
        self.what, self.values, self.level, self.label = what, tuple(values), level, label
        self.near = dict(near or {})

    @property
    def plain(self) -> str:
        """The message without values of the data."""
        where, _, _ = str(self).partition(": ")
        return f"{where}: {PLAIN[self.what].format(len(self.values), self.level)}" if self.what in PLAIN else str(self)


@dataclass(frozen=True, eq=False)
class Level:
    """One partition of the codes: the first code of every run, ascending from 0, and a label for each run.

    If the data lack some leaves, `given` has the number of leaves of each run in the hierarchy as it was given.
    """

    starts: np.ndarray
    labels: tuple[str, ...]
    given: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Leaves in code order, and the levels above them, finest first. Missing values are added by the column.

    Parameters
    ----------
    leaves
        The values, in an order in which every group is a run of neighbors.
    levels
        The groups of each level.
    given
        The number of leaves before the restriction to values of the data.
    builder
        The function that built the hierarchy, if known.
    """

    leaves: tuple[str, ...]
    levels: tuple[Level, ...] = ()
    given: int | None = None  # number of leaves before the restriction to values of the data
    builder: Callable[[Any], Hierarchy] | None = None  # builds the hierarchy over a column's values, if known

    def __post_init__(self) -> None:
        refuse_duplicates(self.leaves)
        for number, level in enumerate(self.levels, 1):
            starts = np.asarray(level.starts)
            sound = len(starts) == len(level.labels) and (len(starts) > 0) == (len(self.leaves) > 0)
            if not sound or (len(starts) and (starts[0] != 0 or starts[-1] >= len(self.leaves))):
                raise BadInput(
                    f"level {number} is not a partition: its runs do not cover the {len(self.leaves)} leaves"
                )
            if (np.diff(starts) <= 0).any():
                raise BadInput(f"level {number} is not a partition: its runs overlap; sort their first codes")
            twice = [label for label, count in Counter(level.labels).items() if count > 1]
            if twice:
                raise BadInput(
                    f"level {number} is not a partition: several runs are called {quoted(twice)}; make labels unique"
                )

    @classmethod
    def from_assignment(
        cls,
        leaves: Sequence[str],
        levels: Sequence[Sequence[str]],
        *,
        ordered: bool = False,
        where: str = "hierarchy",
    ) -> Hierarchy:
        """Create a hierarchy from each leaf's label at each level, finest level first.

        If leaves with the same label are not neighbors, they are reordered along nested levels, unless `ordered`.
        """
        refuse_duplicates(leaves, where)
        for number, labels in enumerate(levels, 1):
            if len(labels) != len(leaves):
                raise BadInput(
                    f"{where}: level {number} needs {len(leaves)} labels, one per leaf, and has {len(labels)}"
                )
        if not ordered and any(_find_gap(labels) for labels in levels):
            order = _grouped_order(levels)
            leaves = [leaves[i] for i in order]
            levels = [[labels[i] for i in order] for labels in levels]
        for number, labels in enumerate(levels, 1):
            gap = _find_gap(labels)
            if gap:
                end, start = gap
                text, between = _no_partition(number, gap, leaves, labels, ordered, where), leaves[end + 1 : start]
                raise Misfit(text, "split", between, level=number, label=labels[end])
        return cls(tuple(leaves), tuple(_level(labels) for labels in levels))

    def node(self, level: int) -> np.ndarray:
        """Return the run of each code at a level (0: the finest above the leaves)."""
        starts = self.levels[level].starts
        return np.repeat(np.arange(len(starts)), np.diff(starts, append=len(self.leaves)))

    def bounds(self, level: int) -> np.ndarray:
        """Return the first and last code of each run of a level, runs x 2."""
        starts = np.asarray(self.levels[level].starts, dtype=np.int32)
        return np.column_stack([starts, np.append(starts[1:], len(self.leaves))[: len(starts)] - 1]).astype(np.int32)

    @property
    def whole(self) -> int:
        """The number of leaves, including those that the data lack."""
        return len(self.leaves) if self.given is None else self.given

    def below(self, level: int) -> np.ndarray:
        """Return the number of leaves below each run of a level, including those that the data lack."""
        given, starts = self.levels[level].given, self.levels[level].starts
        return np.diff(starts, append=len(self.leaves)) if given is None else given

    def with_given(self, given: Sequence[Any]) -> Hierarchy:
        """Return the hierarchy with original numbers of leaves, as in `spec`: the total, then those of each level."""
        whole, *levels = given if isinstance(given, Sequence) and len(given) == len(self.levels) + 1 else (0,)
        counts = [np.asarray(of_runs) for of_runs in levels]
        sound = isinstance(whole, int) and all(
            len(of_runs) == len(level.starts) and of_runs.dtype.kind == "i" and of_runs.sum() <= whole
            for of_runs, level in zip(counts, self.levels, strict=False)
        )
        if not sound or whole < len(self.leaves):
            raise BadInput("given: must have the total number of leaves, then for each level those below each run")
        levels = [replace(level, given=of_runs) for level, of_runs in zip(self.levels, counts, strict=True)]
        return replace(self, levels=tuple(levels), given=whole)

    def runs(self) -> np.ndarray:
        """Return the first and last code of every distinct run, including leaves, in ascending order: runs x 2."""
        codes = np.arange(len(self.leaves), dtype=np.int32)
        every = [np.column_stack([codes, codes]), *(self.bounds(i) for i in range(len(self.levels)))]
        return np.unique(np.concatenate(every), axis=0)

    @cached_property
    def _labels(self) -> dict[tuple[int, int], str]:
        found: dict[tuple[int, int], str] = {}
        for i, level in enumerate(self.levels):
            for (low, high), label in zip(self.bounds(i).tolist(), level.labels, strict=True):
                found.setdefault((low, high), label)
        return found

    def label(self, low: int, high: int) -> str | None:
        """Return the label of the node with exactly this run, from the finest level that has it; else None."""
        return self.leaves[low] if low == high else self._labels.get((int(low), int(high)))

    @cached_property
    def nested(self) -> bool:
        """True if every run is within a single run of each level above it."""
        return all(np.isin(coarse.starts, fine.starts).all() for fine, coarse in pairwise(self.levels))

    def restricted(self, codes: np.ndarray) -> Hierarchy:
        """Restrict the hierarchy to the given codes, ascending; runs without a leaf are dropped."""
        levels = []
        for i, level in enumerate(self.levels if len(codes) else ()):
            runs, starts = np.unique(self.node(i)[codes], return_index=True)
            levels.append(Level(starts.astype(np.int32), tuple(level.labels[r] for r in runs), self.below(i)[runs]))
        return Hierarchy(tuple(self.leaves[c] for c in codes), tuple(levels), self.whole, self.builder)

    def frame(self) -> pd.DataFrame:
        """Return one row per leaf: the leaf, then its label at every level."""
        columns: dict[str, Any] = {LEAF: np.array(self.leaves, dtype=object)}
        for i, level in enumerate(self.levels):
            columns[f"level {i + 1}"] = np.array(level.labels, dtype=object)[self.node(i)]
        return pd.DataFrame(columns)

    def shown(self, counts: np.ndarray | None = None) -> pd.DataFrame:
        """Return the nodes of each level, coarsest first: first and last leaf, number of leaves and records."""
        codes = np.arange(len(self.leaves))
        stages = [(f"level {i + 1}", level.labels, self.bounds(i)) for i, level in enumerate(self.levels)][::-1]
        parts = []
        for name, labels, bounds in [*stages, (LEAF, self.leaves, np.column_stack([codes, codes]))]:
            ends = [[self.leaves[c] for c in side] for side in bounds.T]
            part: dict[str, Any] = {"level": name, "value": list(labels), "from": ends[0], "to": ends[1]}
            part["leaves"] = bounds[:, 1] - bounds[:, 0] + 1
            if counts is not None:
                below = np.append(0, np.cumsum(np.asarray(counts)[: len(self.leaves)]))
                part["records"] = below[bounds[:, 1] + 1] - below[bounds[:, 0]]
            parts.append(pd.DataFrame(part))
        return pd.concat(parts, ignore_index=True)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write one row per leaf, with `;` between cells and a header `leaf;level 1;...`."""
        frame = self.frame()
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=";", lineterminator="\r\n")  # needed to quote cells with \r or \n
            writer.writerow(frame.columns)
            writer.writerows(frame.itertuples(index=False, name=None))

    def spec(self) -> dict[str, Any]:
        """Return plain data that is equal if and only if hierarchies are equal, for keys."""
        levels = [{"starts": np.asarray(v.starts).tolist(), "labels": list(v.labels)} for v in self.levels]
        found = {"leaves": list(self.leaves), "levels": levels}
        if self.whole > len(self.leaves):
            found["given"] = [self.whole, *(self.below(i).tolist() for i in range(len(self.levels)))]
        return found


def refuse_duplicates(leaves: Sequence[str], where: str = "hierarchy") -> None:
    """Raise BadInput if leaves are listed more than once."""
    twice = [leaf for leaf, count in Counter(leaves).items() if count > 1]
    if twice:
        raise Misfit(f"{where}: duplicate leaves {quoted(twice)}; list each value once", "duplicate", twice)


def starts_of(groups: np.ndarray) -> np.ndarray:
    """Return the first code of each run of equal groups."""
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])[: len(groups)]).astype(np.int32)


def _level(labels: Sequence[str]) -> Level:
    starts = starts_of(np.array(labels, dtype=object))
    return Level(starts, tuple(labels[s] for s in starts))


def _find_gap(labels: Sequence[str]) -> tuple[int, int] | None:
    """Return the end of one run and the start of a later run with the same label, or None."""
    last: dict[str, int] = {}
    for i, label in enumerate(labels):
        if last.get(label, i - 1) < i - 1:
            return last[label], i
        last[label] = i
    return None


def _grouped_order(levels: Sequence[Sequence[str]]) -> list[int]:
    """Return an order of the leaves: sorted by the coarsest level first, with labels in order of appearance."""
    ranks = []
    for labels in reversed(levels):
        place = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        ranks.append([place[label] for label in labels])
    keys = list(zip(*ranks, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _no_partition(
    number: int, gap: tuple[int, int], leaves: Sequence[str], labels: Sequence[str], ordered: bool, where: str
) -> str:
    end, start = gap
    fix = (
        "the order of the values is fixed: label the parts differently, or the values between them identically"
        if ordered
        else "the levels are not nested, and no order makes their values neighbors: label the parts differently"
    )
    return (
        f"{where}: level {number} is not a partition into neighbors: {labels[end]!r} contains {leaves[end]!r} and "
        f"{leaves[start]!r}, but {leaves[end + 1]!r} between them is in {labels[end + 1]!r}; {fix}"
    )


# Match leaves written by a person with the values of a column; read the cells of hierarchy files.

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
