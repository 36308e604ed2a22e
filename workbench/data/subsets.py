"""Count, for every subset of some columns, the records that are unique on it, and those for which it is minimal.

Minimal unique sets: Elliot, Manning & Ford, A Computational Algorithm for Handling the Special Uniques Problem (2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base import progress as underway
from workbench.base.errors import BadInput
from workbench.data.cells import row_keys

MOST = 12  # columns, which have 4,096 subsets
WORK = 2**29  # subsets x rows; a byte of memory each


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


def countable(columns: int, rows: int, work: int = WORK) -> bool:
    """Return whether all subsets of so many columns can be counted in reasonable time."""
    return columns <= MOST and rows * 2**columns <= work


def _alone(codes: Sequence[np.ndarray], weight: np.ndarray) -> np.ndarray:
    """Return the rows that are unique records: only those can be unique on a subset."""
    whole = _rolled(_key(codes, weight)[0], weight, np.arange(len(weight)))
    found = np.zeros(len(weight), bool)
    found[whole.row[whole.records == 1]] = True
    return found


def _key(codes: Sequence[np.ndarray], weight: np.ndarray) -> tuple[np.ndarray, int]:
    """Return a number for each row, equal for equal codes, and the range of these numbers."""
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
