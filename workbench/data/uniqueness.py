"""Records that are unique on one or several columns.

Uniques and their consequences: Sweeney, Simple Demographics Often Identify People Uniquely (2000).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from workbench.base import progress as underway
from workbench.base.compiled import compiled
from workbench.base.errors import BadInput
from workbench.data.cells import row_keys
from workbench.data.column import Column
from workbench.data.lexicon import CONTACTS, has_word
from workbench.data.table import Table

BLOCK = 1 << 20  # records hashed at a time
EXACT = 2_000_000  # up to so many records, every combination of values is counted
TOGETHER = 30  # maximum number of columns to combine
TRIPLES = 500
WORK = 500_000_000  # maximum number of records read for all triples
NAMELIKE = 0.5  # minimum number of distinct values of a name-like column, as a share of the records
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Uniqueness:
    """The number of records that are unique on some columns; a missing value counts as a value."""

    names: tuple[str, ...]
    distinct: int
    unique: int
    records: int
    one_in: int = 1  # counts are scaled from one in so many combinations; 1: exact

    @property
    def share(self) -> float:
        """The share of unique records."""
        return self.unique / self.records


@dataclass(frozen=True)
class Survey:
    """Unique records by column, and for pairs and triples of columns, the worst first."""

    columns: dict[str, Uniqueness]
    pairs: tuple[Uniqueness, ...]
    triples: tuple[Uniqueness, ...]
    notes: tuple[str, ...]  # on combinations that were not counted, or estimated


def count_unique(table: Table, names: Sequence[str], exact: int = EXACT) -> Uniqueness:
    """Count the distinct combinations of some columns and the unique records.

    Beyond `exact` records, only a random share of the combinations is counted, chosen by a hash, with all their
    records. In a sample of records, others would appear to be unique.
    """
    names = tuple(names)
    if not names:
        return Uniqueness(names, 1, int(table.records == 1), table.records)
    return table.remember(("singled out", names, exact), lambda: _counted(table, names, exact))


def _counted(table: Table, names: tuple[str, ...], exact: int) -> Uniqueness:
    if not table.engine.in_memory:
        return Uniqueness(names, *table.engine.combinations_of(names), table.records)
    key, size = keys(table, names)
    one_in = 1
    if size <= 4 * table.records:
        seen = np.zeros(size, np.uint8)
        _count_to_two(key, seen)
        distinct, unique = np.count_nonzero(seen), np.count_nonzero(seen == 1)
    else:
        one_in = math.ceil(table.records / exact)
        if one_in > 1:
            blocks = np.array_split(key, len(key) // BLOCK + 1)
            key = np.concatenate([block[_mixed(block) % np.uint64(one_in) == 0] for block in blocks])
        key.sort()
        edge = np.concatenate([[True], key[1:] != key[:-1], [True]])
        distinct, unique = np.count_nonzero(edge) - 1, np.count_nonzero(edge[1:] & edge[:-1])
    return Uniqueness(names, int(distinct) * one_in, min(int(unique) * one_in, table.records), table.records, one_in)


@compiled
def _count_to_two(key: np.ndarray, seen: np.ndarray) -> None:
    """Count the occurrences of each key up to 2; this takes one byte per key, `bincount` eight."""
    for one in key:
        if seen[one] < 2:
            seen[one] += 1


def keys(table: Table, names: Sequence[str]) -> tuple[np.ndarray, int]:
    """Return a key for each record, equal for equal values, and the range of the keys."""
    sizes, codes = [table.columns[name].size for name in names], [table.codes[name] for name in names]
    (key,), size = row_keys(sizes, [table.records], codes)
    return key, size


def _mixed(key: np.ndarray) -> np.ndarray:
    """Hash each key so that its last bits are random (the finalizer of MurmurHash3)."""
    mixed = key.view(np.uint64).copy()
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(33))


def alone(column: Column) -> Uniqueness:
    """Return the number of unique records of a single column from its counts."""
    counts = column.totals
    return Uniqueness((column.name,), column.size, int(np.count_nonzero(counts == 1)), int(counts.sum()))


def survey(
    table: Table, leave_out: Collection[str] = (), progress: Progress | None = None, exact: int = EXACT
) -> Survey:
    """Count unique records for every column, and for pairs and triples of the columns that are not excluded.

    The result is exact except for tables with many columns or records, as its notes report. `progress` is called with
    the number of counted combinations and their total, and may raise to stop.
    """
    singles = {name: alone(column) for name, column in table.columns.items()}
    usable = [name for name in table.names if name not in leave_out and singles[name].distinct > 1]
    usable.sort(key=lambda name: agreement(table.columns[name]))
    notes = []
    if len(usable) > TOGETHER:
        notes.append(
            f"Combinations were counted for the {TOGETHER} of {len(usable)} columns that distinguish records best."
        )
    chosen = set(usable[:TOGETHER])
    together = [name for name in table.names if name in chosen]
    every_pair: list[tuple[str, ...]] = list(combinations(together, 2))
    most = max(2 * TOGETHER, min(TRIPLES, WORK // table.records))
    every_triple = min(math.comb(len(together), 3), most)
    total = len(every_pair) + every_triple

    def counted(wanted: list[tuple[str, ...]], done: int = 0) -> list[Uniqueness]:
        """Count all of these, the worst first."""
        found: list[Uniqueness] = []
        for some in (wanted[i : i + 4 * workers] for i in range(0, len(wanted), 4 * workers)):
            found += threads.map(lambda names: count_unique(table, names, exact), some)
            if progress:
                progress(done + len(found), total)
        return sorted(found, key=lambda one: -one.unique)

    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as threads:
        pairs = counted(every_pair)
        triples = counted(_extended(pairs, together, most), len(pairs))
    if math.comb(len(together), 3) > most:
        notes.append(f"{len(triples)} of {math.comb(len(together), 3):,} triples were counted, around the worst pairs.")
    sampled = max((one.one_in for one in (*pairs, *triples)), default=1)
    if sampled > 1:
        notes.append(f"Large numbers are estimates from one in {sampled} combinations of values.")
    return Survey(singles, tuple(pairs), tuple(triples), tuple(notes))


def agreement(column: Column) -> float:
    """Return the probability that two random records agree."""
    return float(np.square(column.totals / column.totals.sum()).sum())


def _extended(pairs: Sequence[Uniqueness], names: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """Extend each pair by every other column, the worst pairs first, up to a maximum number."""
    place = {name: i for i, name in enumerate(names)}
    found: dict[tuple[str, ...], None] = {}
    for pair in pairs:
        for name in names:
            if name not in pair.names and len(found) < most:
                found[tuple(sorted((*pair.names, name), key=place.__getitem__))] = None
    return list(found)


def is_nearly_unique(column: Column) -> bool:
    """Return whether fewer than two records share a value on average; this also holds for measurements."""
    records = int(column.totals.sum())
    return records > 1 and len(column.values) > NAMELIKE * records


# Count, for every subset of some columns, the records that are unique on it, and those for which it is minimal.
#
# Minimal unique sets: Elliot, Manning & Ford, A Computational Algorithm for Handling the Special Uniques Problem
# (2002).

MOST = 12  # columns, which have 4,096 subsets
ROOM = 2**29  # subsets x rows; a byte of memory each


class Subsets(NamedTuple):
    """One entry per subset; bit i of its number is set if column i belongs to it."""

    groups: np.ndarray  # number of distinct combinations of values
    unique: np.ndarray  # number of unique records
    below: np.ndarray  # number of records in groups smaller than k
    minimal: np.ndarray  # number of records that are unique on it and on none of its subsets


class _Groups(NamedTuple):
    """The distinct combinations of values on a subset: a key, the number of records, and one row with it."""

    key: np.ndarray
    records: np.ndarray
    row: np.ndarray


def every_subset(codes: Sequence[np.ndarray], weight: np.ndarray, k: int) -> Subsets:
    """Count groups and unique records on every subset of the columns.

    Each row of `codes` (one array per column) represents `weight` records. The groups of a subset are merged from those
    of a subset with one more column. The column with the most values is removed first, so half of all subsets have few
    groups.
    """
    if len(codes) > MOST:
        raise BadInput(f"{len(codes)} columns have {2 ** len(codes):,} subsets; choose at most {MOST} columns")
    if not countable(len(codes), len(weight)):
        raise BadInput(
            f"{len(codes)} columns have {2 ** len(codes):,} subsets and {len(weight):,} combinations of values, too "
            "many to count; choose fewer columns"
        )
    found = Subsets(*np.zeros((4, 2 ** len(codes)), np.int64))
    alone = np.flatnonzero(_alone(codes, weight))
    place = np.full(len(weight), -1)
    place[alone] = np.arange(len(alone))
    singles = np.zeros((2 ** len(codes), len(alone)), bool)
    for number, groups in _walk(codes, weight):
        underway.checkpoint()
        single = groups.records == 1
        found.groups[number], found.unique[number] = len(groups.key), np.count_nonzero(single)
        found.below[number] = groups.records[groups.records < k].sum()
        singles[number, place[groups.row[single]]] = True
    for number in range(2 ** len(codes)):
        parts = [number & ~(1 << i) for i in range(len(codes)) if number >> i & 1]
        covered = np.logical_or.reduce(singles[parts]) if parts else np.zeros(len(alone), bool)
        found.minimal[number] = np.count_nonzero(singles[number] & ~covered)
    return found


def countable(columns: int, rows: int, work: int = ROOM) -> bool:
    """Return whether all subsets of so many columns can be counted in reasonable time."""
    return columns <= MOST and rows * 2**columns <= work


def _alone(codes: Sequence[np.ndarray], weight: np.ndarray) -> np.ndarray:
    """Return the rows that are unique records: only those can be unique on a subset."""
    whole = _rolled(_key(codes, weight)[0], weight, np.arange(len(weight)))
    found = np.zeros(len(weight), bool)
    found[whole.row[whole.records == 1]] = True
    return found


def _key(codes: Sequence[np.ndarray], weight: np.ndarray) -> tuple[np.ndarray, int]:
    """Return a key for each row, equal for equal codes, and the range of the keys."""
    sizes = [int(one.max(initial=0)) + 1 for one in codes]
    (key,), largest = row_keys(sizes, [len(weight)], [one.astype(np.int64) for one in codes])
    return key, largest


def _walk(codes: Sequence[np.ndarray], weight: np.ndarray) -> Iterator[tuple[int, _Groups]]:
    """Yield every subset by its number, depth first, so that memory has at most as many groups as there are columns."""
    order = sorted(range(len(codes)), key=lambda i: -int(codes[i].max(initial=0)))

    def below(number: int, groups: _Groups, start: int) -> Iterator[tuple[int, _Groups]]:
        yield number, groups
        for at in range(start, len(order)):
            rest = number & ~(1 << order[at])
            kept = [codes[i][groups.row] for i in range(len(codes)) if rest >> i & 1]
            yield from below(rest, _rolled(_key(kept, groups.records)[0], groups.records, groups.row), at + 1)

    whole = _rolled(_key(codes, weight)[0], weight, np.arange(len(weight)))
    yield from below(2 ** len(codes) - 1, whole, 0)


def _rolled(key: np.ndarray, records: np.ndarray, row: np.ndarray) -> _Groups:
    """Merge rows with the same key into one group."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(key)])
    return _Groups(ordered[first], np.add.reduceat(records[order], first), row[order[first]])


# Identifiers with several records each: guarantees then count records, not people.

NAMES = (*CONTACTS, "first", "last", "name")  # different people may share a name or an address
CATEGORIES = 20  # columns with at most so many values number nobody
REPEATED = 0.05  # minimum share of records that are not the first of their identifier


def repeats(table: Table, identifiers: Iterable[str]) -> str:
    """Describe the repeated identifier with the most values; empty if no identifier repeats."""
    found = []
    for name in identifiers:
        column = table.columns.get(name)
        if column is None or has_word(name, NAMES):
            continue
        records, distinct = int(column.counts.sum()), len(column.values)
        if CATEGORIES < distinct <= (1 - REPEATED) * records:
            found.append((distinct, records, name))
    if not found:
        return ""
    distinct, records, name = max(found)
    counted = f"{name} has {distinct:,} different values in {records:,} records"
    return f"{counted}, so several records may belong to one person. Guarantees count records, not people."
