"""Distributions of a column, or of two, in the original and in the release.

The distribution after is the expectation of a recipient of the release alone. Suppressed records are counted
separately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.releases.base import Release, as_runs
from workbench.releases.labels import run_labels

BARS, SIDE = 40, 12  # maximum number of groups: of one column, and on each side of a cross table
OTHERS = "others"
TINY = 1e-300  # smallest divisor
CHANGED = "both columns are published unchanged, so their cross table equals the original's"


@dataclass(frozen=True, eq=False)
class Bins:
    """A column's codes in groups: its values, nodes of its hierarchy, intervals, or the most common values and
    others."""

    labels: tuple[str, ...]
    of_code: np.ndarray  # group of each code
    runs: np.ndarray  # groups x (low, high); the last group, others, has none
    declared: bool = True  # values or nodes, not equal parts of the range, whose ends depend on the data

    def counted(self, totals: np.ndarray) -> np.ndarray:
        """Return the number of records in each group."""
        return np.bincount(self.of_code, totals, len(self.labels))


@dataclass(frozen=True, eq=False)
class BeforeAfter:
    """The number of records in each group of a column's values; `after` is None if the column is not published."""

    column: str
    role: str
    labels: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray | None
    suppressed: int

    @property
    def moved(self) -> float | None:
        """The share of the published records that are in a different group than in the original."""
        return None if self.after is None else _moved(self.before, self.after)


@dataclass(frozen=True, eq=False)
class Cross:
    """The number of records in each pair of groups of two columns."""

    columns: tuple[str, str]
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    before: np.ndarray
    after: np.ndarray
    suppressed: int

    @property
    def moved(self) -> float:
        """The share of the published records that are in a different cell than in the original."""
        return _moved(self.before, self.after)


def before_and_after(release: Release, name: str, most: int = BARS) -> BeforeAfter:
    """Return the distribution of a column in the original, and its expectation given the release, in at most `most`
    groups."""
    table = _original(release)
    bins, before = bins_of(table, name, most), _totals(table, name)
    if name in release.unpublished_columns:
        after = None
    elif table.roles[name] == "quasi":
        after = _all(bins, _expected(release, {name: bins})[:, 0], _published(release))
    else:
        after = bins.counted(_unchanged_counts(release, name))
    return BeforeAfter(name, table.roles[name], bins.labels, bins.counted(before), after, release.suppressed)


def cross(release: Release, a: str, b: str) -> Cross:
    """Return the cross table of two columns, one of them a quasi-identifier; raise Undefined for unpublished
    columns."""
    table = _original(release)
    if a == b:
        raise BadInput(f"cross: both columns are {a!r}; choose two different columns")
    if table.roles.get(a) != "quasi":
        other = cross(release, b, a) if table.roles.get(b) == "quasi" else None
        if other is None:
            raise Undefined(CHANGED)
        return Cross((a, b), other.labels[::-1], other.before.T, other.after.T, other.suppressed)
    if hidden := [name for name in (a, b) if name in release.unpublished_columns]:
        raise Undefined(f"{' and '.join(hidden)} {'is' if len(hidden) == 1 else 'are'} not published")
    if table.roles[b] == "neutral":
        raise Undefined("cross tables show quasi-identifiers and sensitive columns; neutral columns are unchanged")
    rows, columns, records = bins_of(table, a, SIDE), bins_of(table, b, SIDE), _published(release)
    before = _joint(table, a, b, rows, columns)
    if table.roles[b] == "quasi":
        found = _expected(release, {a: rows, b: columns}).reshape(len(rows.runs), len(columns.runs))
        sides = (
            _all(bins, _expected(release, {name: bins})[:, 0], records) for name, bins in ((a, rows), (b, columns))
        )
        after = _framed(found, *sides)
        after *= records / after.sum()
    else:
        found, totals = _expected(release, {a: rows}, b), _unchanged_counts(release, b)
        if len(rows.runs) < len(rows.labels):
            found = np.vstack([found, totals - found.sum(axis=0)])
        after = np.stack([columns.counted(one) for one in found * (totals / np.maximum(found.sum(axis=0), TINY))])
    return Cross((a, b), (rows.labels, columns.labels), before, after, release.suppressed)


def bins_of(table: Table, name: str, most: int = BARS) -> Bins:
    """Return the groups of a column, at most `most`; always the same for one table."""
    return table.remember(("bins", name, most), lambda: _bins(table, name, most))


def _bins(table: Table, name: str, most: int) -> Bins:
    if name not in table.columns:
        raise BadInput(f"there is no column {name!r}; choose from {', '.join(table.names)}")
    column, seen = table.columns[name], table.sensitive.get(name)
    if seen is not None and table.levels.get(name, 0):
        return _commonest(seen.labels, seen.totals, most)
    if column.size <= most:
        codes = np.arange(column.size)
        return Bins(column.value_labels(), codes, np.stack([codes, codes], axis=1).astype(np.int32))
    of_code = _levels(column, most)
    if of_code is None and column.kind == "text":
        return _commonest(column.value_labels(), column.totals, most)
    return _as_runs(column, _widths(column, most) if of_code is None else of_code, of_code is not None)


def _levels(column: Column, most: int) -> np.ndarray | None:
    """Return the finest level of the hierarchy with few enough groups; None if there is none."""
    levels = range(len(column.hierarchy.levels)) if column.hierarchy else range(0)
    nodes = (column.node(level) for level in levels)
    return next((node for node in nodes if 1 < node[-1] + 1 <= most), None)


def _widths(column: Column, most: int) -> np.ndarray:
    """Split the range of numbers or dates into equal parts; missing is a part of its own."""
    at, missing = column.positions[: len(column.values)], int(column.missing > 0)
    span = max(float(at[-1] - at[0]), TINY)
    part = np.minimum(((at - at[0]) / span * (most - missing)).astype(int), most - missing - 1)
    number = np.unique(part, return_inverse=True)[1]
    return np.append(number, number[-1] + 1) if missing else number


def _as_runs(column: Column, of_code: np.ndarray, declared: bool) -> Bins:
    low = np.flatnonzero(np.diff(of_code, prepend=-1))
    high = np.append(low[1:], len(of_code)) - 1
    runs = np.stack([low, high], axis=1).astype(np.int32)
    return Bins(tuple(run_labels(column, low, high)), of_code, runs, declared)


def _commonest(labels: tuple[str, ...], totals: np.ndarray, most: int) -> Bins:
    """Return the most common values, in their order, and all others as one group."""
    codes = np.arange(len(labels))
    if len(labels) > most:
        codes = np.sort(np.argsort(-totals, kind="stable")[: most - 1])
    of_code = np.full(len(labels), len(codes))
    of_code[codes] = np.arange(len(codes))
    rest = len(labels) - len(codes)
    names = (*(labels[code] for code in codes), *([f"{OTHERS}: {rest:,} values"] if rest else []))
    return Bins(names, of_code, np.stack([codes, codes], axis=1).astype(np.int32))


# --- before


def _original(release: Release) -> Table:
    if not release.about.has_original:
        raise Undefined("the original is not available, so there is nothing to compare with the release")
    return release.table


def _totals(table: Table, name: str) -> np.ndarray:
    return table.sensitive[name].totals if name in table.sensitive else table.columns[name].totals


def _joint(table: Table, a: str, b: str, rows: Bins, columns: Bins) -> np.ndarray:
    """Count the records of each pair of groups in the original."""
    cells = table.cells()
    codes = cells.quasi[table.quasi.index(b)] if b in table.quasi else cells.others[b]
    place = rows.of_code[cells.quasi[table.quasi.index(a)]] * len(columns.labels) + columns.of_code[codes]
    shape = len(rows.labels), len(columns.labels)
    return np.bincount(place, cells.weight, shape[0] * shape[1]).reshape(shape)


# --- after


def _published(release: Release) -> int:
    return release.table.records - release.suppressed


def _expected(release: Release, bins: dict[str, Bins], sensitive: str | None = None) -> np.ndarray:
    """Return the expected number of records in each group of one column, or pair of groups of two, without "others"."""
    table = release.table
    chosen = [
        bins[name].runs if name in bins else np.array([[0, table.columns[name].size - 1]]) for name in table.quasi
    ]
    numbers = np.meshgrid(*(np.arange(len(runs)) for runs in chosen), indexing="ij")
    order = [table.quasi.index(name) for name in bins]
    runs = np.stack([one[number.ravel()] for one, number in zip(chosen, numbers, strict=True)], axis=1)
    if len(order) == 2 and order[0] > order[1]:  # the first column changes slowest
        first, second = (len(one.runs) for one in bins.values())
        runs = runs.reshape(second, first, *runs.shape[1:]).swapaxes(0, 1).reshape(runs.shape)
    return _estimate_published(release, np.ascontiguousarray(runs, dtype=np.int32), sensitive)


def _estimate_published(release: Release, runs: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Return the estimate for the published records alone, each counted once whatever its weight."""
    if not release.suppressed and release.table.weight is None:
        return release.estimate(runs, sensitive)
    counts = release.own_classes.sizes[:, None] if sensitive is None else release.own_classes.histograms[sensitive]
    return release.expected_people(*as_runs(runs), counts, whole=release.classes.exact)


def _unchanged_counts(release: Release, name: str) -> np.ndarray:
    """Return the published records of each value of a column that is not generalized."""
    table = release.table
    if name in table.sensitive:
        everybody = np.array([[[0, table.columns[one].size - 1] for one in table.quasi]], np.int32)
        return _estimate_published(release, everybody, name)[0]
    if not release.suppressed:
        return table.columns[name].totals
    kept = release.group_of_record < len(release.own_classes)
    return np.bincount(table.codes[name][kept], minlength=table.columns[name].size)


def _all(bins: Bins, expected: np.ndarray, records: int) -> np.ndarray:
    """Append the others, who are the remaining published records.

    Without others, the expectation for numbers that do not occur is distributed over the groups, as shares are in
    U_loss.
    """
    if len(bins.runs) < len(bins.labels):
        return np.append(expected, records - expected.sum())
    return expected * (records / max(expected.sum(), TINY))


def _framed(inner: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return a cross table with the others of each side, computed from the marginal sums."""
    if len(columns) > inner.shape[1]:
        inner = np.column_stack([inner, rows[: len(inner)] - inner.sum(axis=1)])
    framed = np.vstack([inner, columns - inner.sum(axis=0)]) if len(rows) > len(inner) else inner
    return np.maximum(framed, 0)


def _moved(before: np.ndarray, after: np.ndarray) -> float:
    """Return half the sum of the absolute differences of the two distributions."""
    p, q = before / max(before.sum(), 1), after / max(after.sum(), TINY)
    return float(np.abs(p - q).sum() / 2)
