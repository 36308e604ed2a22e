"""Every subset of some columns: how many records are alone on it, and for whom it is a smallest that singles them out.

Smallest unique sets: Elliot, Manning & Ford, A Computational Algorithm for Handling the Special Uniques Problem (2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base import progress as underway
from workbench.base.errors import BadInput
from workbench.data.cells import row_keys

MOST = 12  # columns: of 12 there are 4,096 subsets
WORK = 2**29  # subsets x rows; a byte of memory each


class Subsets(NamedTuple):
    """An entry a subset; bit i of its number says whether column i is in it."""

    groups: np.ndarray  # that look different on it
    unique: np.ndarray  # records that are alone on it
    below: np.ndarray  # records in groups of fewer than k
    minimal: np.ndarray  # records that are alone on it and on no part of it


class _Groups(NamedTuple):
    """What looks different on a subset: a key, the records, and one of the rows with it."""

    key: np.ndarray
    records: np.ndarray
    row: np.ndarray


def every_subset(codes: Sequence[np.ndarray], weight: np.ndarray, k: int) -> Subsets:
    """Rows are codes, one array a column, each so many records.

    The groups of a subset are rolled up from those of one with a column more. The column with most values is left out
    first: half of all subsets then have few groups.
    """
    if len(codes) > MOST:
        raise BadInput(f"{len(codes)} columns have {2 ** len(codes):,} subsets; give at most {MOST} columns")
    if not countable(len(codes), len(weight)):
        raise BadInput(
            f"{len(codes)} columns have {2 ** len(codes):,} subsets and {len(weight):,} combinations of values, too "
            "many to count; give fewer columns"
        )
    found = Subsets(*np.zeros((4, 2 ** len(codes)), np.int64))
    alone = np.flatnonzero(_alone(codes, weight))
    place = np.full(len(weight), -1)
    place[alone] = np.arange(len(alone))
    singles = np.zeros((2 ** len(codes), len(alone)), bool)
    for number, groups in _walk(codes, weight):
        underway.step()
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
    """Whether all subsets of so many columns may be counted, and are worth the time."""
    return columns <= MOST and rows * 2**columns <= work


def _alone(codes: Sequence[np.ndarray], weight: np.ndarray) -> np.ndarray:
    """The rows of one record that no other equals: who is alone on a part is alone on the whole."""
    whole = _rolled(_key(codes, weight)[0], weight, np.arange(len(weight)))
    found = np.zeros(len(weight), bool)
    found[whole.row[whole.records == 1]] = True
    return found


def _key(codes: Sequence[np.ndarray], weight: np.ndarray) -> tuple[np.ndarray, int]:
    """A number a row, equal where all codes are, and how many there may be."""
    sizes = [int(one.max(initial=0)) + 1 for one in codes]
    (key,), largest = row_keys(sizes, [len(weight)], [one.astype(np.int64) for one in codes])
    return key, largest


def _walk(codes: Sequence[np.ndarray], weight: np.ndarray) -> Iterator[tuple[int, _Groups]]:
    """Every subset by its number, depth first, so that no more groups are held than there are columns."""
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
    """Rows with the same key are one group."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(key)])
    return _Groups(ordered[first], np.add.reduceat(records[order], first), row[order[first]])
