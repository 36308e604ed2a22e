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

    def __call__(self, remaining: Remaining, around: int) -> np.ndarray:
        cluster = remaining.take(self.floor)
        if self._holds(cluster):
            return cluster
        free, order, at = remaining.left.copy(), np.argsort(remaining.score, kind="stable"), 0
        while at < len(order):
            step()
            without, helps = self._best_exchange(cluster)
            ahead = order[at:]
            wanted = np.flatnonzero(helps[self.kind[ahead]] & (free[ahead] > 0))
            if not len(wanted):
                break
            at += int(wanted[0])
            entry = int(order[at])
            place = int(without[self.kind[entry]])
            remaining.exchange(out=entry, back=int(cluster[place]))
            free[entry] -= 1
            cluster[place] = entry
            if self._holds(cluster):
                break
        return cluster

    def _holds(self, cluster: np.ndarray) -> bool:
        return bool(self.near.holds(self._classes(self._counts(cluster)))[0])

    def _best_exchange(self, cluster: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each kind of record that may come in, which one goes (its place in the cluster), and whether it helps."""
        counts, kinds = self._counts(cluster), np.arange(self.kinds.shape[1])
        out, first = np.unique(self.kind[cluster], return_index=True)
        after = {
            name: (of + eye[self.kinds[s]][:, None, :] - eye[self.kinds[s][out]][None, :, :]).reshape(-1, of.shape[1])
            for s, (name, of) in enumerate(counts.items())
            for eye in [np.eye(of.shape[1], dtype=np.int64)]
        }
        score = np.round(self.near.score(self._classes(after)).reshape(len(kinds), len(out)), DIGITS)
        now = np.round(self.near.score(self._classes(counts)), DIGITS)[0]
        best = score.min(axis=1)
        places = np.where(score == best[:, None], first, len(cluster)).min(axis=1)
        return places, best < now

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
