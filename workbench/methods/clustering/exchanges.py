"""The cluster of the t-closeness-aware variant (Soria-Comas et al. 2015): records are exchanged until it is near t."""

from __future__ import annotations

import numpy as np

from workbench.base.progress import step
from workbench.data.table import Table
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.mdav import Remaining
from workbench.models import Model
from workbench.models.classes import Classes

LATER = 1.3  # an exchange for the last clusters takes longer than one for the first, by so much on average
AHEAD, UNKNOWN = 64, -2  # entries that are looked at first; a kind of record that was not looked at
DIGITS = 12  # to which distances are compared


class Exchanges:
    """Grows clusters of `floor` records around one, whose values are like everybody's where that can be had.

    While a cluster is too far from everybody the next nearest record may come in for the one without which the cluster
    is nearest, if that brings it nearer at all.
    """

    def __init__(self, table: Table, entries: Entries, near: Model, floor: int) -> None:
        self.table, self.near, self.floor = table, near, floor
        values = np.array(list(entries.values.values()))
        self.kinds, kind = np.unique(values, axis=1, return_inverse=True)  # combinations of sensitive values
        self.kind = kind.reshape(-1)
        self.ones = [np.eye(len(seen), dtype=np.int32) for seen in table.sensitive.values()]  # a record of each value

    def __call__(self, remaining: Remaining, around: int) -> np.ndarray:
        cluster = remaining.take(self.floor)
        if self._holds(cluster):
            return cluster
        free, order, at, ahead = remaining.left.copy(), np.argsort(remaining.score, kind="stable"), 0, AHEAD
        places = np.full(self.kinds.shape[1], UNKNOWN)
        while at < len(order):
            step()
            kind, there = self.kind[order[at : at + ahead]], free[order[at : at + ahead]] > 0
            self._find_places(cluster, np.unique(kind[there]), places)
            wanted = np.flatnonzero(there & (places[kind] >= 0))
            if not len(wanted):
                at, ahead = at + ahead, 2 * ahead
                continue
            at, ahead = at + int(wanted[0]), AHEAD
            entry = int(order[at])
            place = int(places[self.kind[entry]])
            remaining.exchange(out=entry, back=int(cluster[place]))
            free[entry] -= 1
            cluster[place] = entry
            places[:] = UNKNOWN
            if self._holds(cluster):
                break
        return cluster

    def _holds(self, cluster: np.ndarray) -> bool:
        return bool(self.near.holds(self._classes(self._counts(cluster)))[0])

    def _find_places(self, cluster: np.ndarray, kinds: np.ndarray, places: np.ndarray) -> None:
        """For each kind of record that may come in, the place in the cluster of the one that goes; -1: none helps."""
        kinds = kinds[places[kinds] == UNKNOWN]
        if not len(kinds):
            return
        counts = self._counts(cluster)
        out, first = np.unique(self.kind[cluster], return_index=True)
        after = {
            name: (of + one[self.kinds[s][kinds]][:, None, :] - one[self.kinds[s][out]][None, :, :]).reshape(
                -1, of.shape[1]
            )
            for s, ((name, of), one) in enumerate(zip(counts.items(), self.ones, strict=True))
        }
        score = np.round(self.near.score(self._classes(after)).reshape(len(kinds), len(out)), DIGITS)
        now = np.round(self.near.score(self._classes(counts)), DIGITS)[0]
        best = score.min(axis=1)
        found = np.where(score == best[:, None], first, len(cluster)).min(axis=1)
        places[kinds] = np.where(best < now, found, -1)

    def _counts(self, cluster: np.ndarray) -> dict[str, np.ndarray]:
        """How often the cluster has each value of each sensitive column, as one row."""
        kinds = self.kinds[:, self.kind[cluster]]
        return {
            name: np.bincount(kinds[s], minlength=len(seen))[None, :]
            for s, (name, seen) in enumerate(self.table.sensitive.items())
        }

    def _classes(self, counts: dict[str, np.ndarray]) -> Classes:
        sizes = next(iter(counts.values())).sum(axis=1)
        return Classes(sizes, counts, self.table.sensitive)
