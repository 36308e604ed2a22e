"""What the records that an attacker finds tell of a sensitive value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base.errors import Undefined
from workbench.measures.privacy.attacked import NOBODY, Attacked
from workbench.measures.privacy.shown_axes import Axis
from workbench.releases.base import Release
from workbench.releases.shown import Shown

NEARLY = 1 - 1e-9  # as common as the commonest


@dataclass(frozen=True, eq=False, repr=False)
class Guesses:
    """Records that show a row each and have a value each, told of all records of a bag together."""

    row: np.ndarray
    bag: np.ndarray
    value: np.ndarray
    values: int

    @classmethod
    def of(cls, release: Release, seen: Attacked, name: str) -> tuple[Guesses, Guesses]:
        """Of a release, and of the control's."""
        table, values = release.table, len(release.table.sensitive[name])
        true = table.sensitive_codes(name)
        if seen.of_person is None:
            file = cls(seen.row, seen.row, _values(release, release.shown(name), name), values)
            return file, cls(seen.world, seen.world, true, values)
        if _bucketized(release):  # a bucket's values, whichever was dealt to whom
            bag = release.group_of_record[seen.of_person]
            held = true[seen.of_person] if release.truthful else _values(release, release.shown(name), name)
            found = cls(seen.row, bag, held, values)
        else:
            found = cls(seen.row, seen.row, _values(release, release.shown(name), name), values)
        return found, found

    @cached_property
    def _by_row(self) -> tuple[np.ndarray, np.ndarray]:
        return _grouped(self.row)

    @cached_property
    def _by_bag(self) -> tuple[np.ndarray, np.ndarray]:
        return self._by_row if self.bag is self.row else _grouped(self.bag)

    def beliefs(self, rows: np.ndarray, without: int = NOBODY) -> np.ndarray:
        """How many records of some rows are expected to have each value; one record may be taken out."""
        found = _members(self._by_row, np.flatnonzero(rows))
        told = np.zeros(self.values)
        bags, drawn = np.unique(self.bag[found[found != without]], return_counts=True)
        for bag, count in zip(bags.tolist(), drawn.tolist(), strict=True):
            held = _members(self._by_bag, np.array([bag]))
            held = held[held != without]
            told += np.bincount(self.value[held], minlength=self.values) * (count / len(held))
        return told


def chance_of_guess(told: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """How likely each value is guessed: the commonest, one of them where several are; by Q where nothing is told."""
    told = told if told.any() else prior
    best = told >= told.max() * NEARLY
    return best / best.sum()


def _bucketized(release: Release) -> bool:
    try:
        return release.classes.exact
    except Undefined:
        return False


def _values(release: Release, shown: Shown, name: str) -> np.ndarray:
    """The sensitive value that each record shows, as models see it; of a number the nearest."""
    column, level = release.table.columns[name], release.table.levels.get(name, 0)
    if shown.numbers is None:
        return shown.labels
    axis, number = Axis.of(shown)
    code = np.minimum(axis.nearest, column.size - 1)[number]
    return column.node(level - 1)[code] if level else code


def _grouped(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of each number one after the other, and where each number's begin."""
    order = np.argsort(number, kind="stable")
    return order, np.append(0, np.cumsum(np.bincount(number)))


def _members(groups: tuple[np.ndarray, np.ndarray], chosen: np.ndarray) -> np.ndarray:
    order, begin = groups
    parts = [order[begin[one] : begin[one + 1]] for one in chosen.tolist()]
    return np.concatenate(parts) if parts else order[:0]
