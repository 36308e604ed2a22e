"""Microaggregation: MDAV (Domingo-Ferrer & Torra 2005) or its t-closeness-aware variant (Soria-Comas et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.data.column import Column
from workbench.data.settings import weights_of_quasi
from workbench.data.table import Table
from workbench.measures.diversity import is_measured_in_widths, nodes
from workbench.methods import Method
from workbench.methods.clustering import kernels
from workbench.methods.clustering.clusters import WHOLE, Clusters, Entries, publish, recode
from workbench.methods.clustering.growth import ClusteringProgress
from workbench.methods.clustering.k_member import is_satisfied
from workbench.methods.keep import Keep
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.base import Release

# MDAV: clusters around the record farthest from the center, and around the one farthest from that.


class Distances:
    """The distance of two records: the weighted sum of squared distances of their attributes.

    Numbers and dates differ by their width, text by the number of leaves of the smallest node that contains both values
    (without a hierarchy by 1). Each is a share of the largest distance, weighted by the column's importance.
    """

    def __init__(self, table: Table) -> None:
        self.columns = [table.columns[name] for name in table.quasi]
        self.weights = WHOLE * weights_of_quasi(table) / weights_of_quasi(table).sum()
        self.places = [column.positions / (column.positions[-1] or 1.0) for column in self.columns]
        self.nodes = [
            nodes(column) if not is_measured_in_widths(column) and column.hierarchy else None for column in self.columns
        ]
        self.widest = max(column.size for column in self.columns)

    def from_codes(self, codes: np.ndarray) -> np.ndarray:
        """Return the distance of each code from a record, attributes x codes."""
        return self._rows([self.places[a][code] for a, code in enumerate(codes.tolist())], codes)

    def from_center(self, counts: list[np.ndarray]) -> np.ndarray:
        """Return the distance of each code from the center of records, given how many have each code.

        The center is the mean of numbers and the most common value of other attributes.
        """
        means = [
            float(histogram @ place) / histogram.sum() for histogram, place in zip(counts, self.places, strict=True)
        ]
        return self._rows(means, np.array([int(histogram.argmax()) for histogram in counts]))

    def _rows(self, places: list[float], codes: np.ndarray) -> np.ndarray:
        rows = np.zeros((len(self.columns), self.widest), np.int32)
        for a, column in enumerate(self.columns):
            rows[a, : column.size] = np.rint(self.weights[a] * self._distance(a, column, places[a], codes[a]) ** 2)
        return rows

    def _distance(self, a: int, column: Column, place: float, code: int) -> np.ndarray:
        found = self.nodes[a]
        if is_measured_in_widths(column):
            return np.asarray(self.places[a] - place)
        if found is None:
            return (np.arange(column.size) != code).astype(float)
        at, below = found
        held = np.where(at == at[:, [code]], below, column.whole).min(axis=0)
        return (held - 1) / max(column.whole - 1, 1)


BUDGET = 30_000_000  # entries examined between two checks for cancellation
Grow = Callable[["Remaining", int], np.ndarray]  # takes the entries of a cluster around one out of the remaining ones


class Remaining:
    """The records that are in no cluster yet, and their distances from a point."""

    def __init__(self, table: Table, entries: Entries) -> None:
        self.distances, self.entries, self.codes = Distances(table), entries, entries.codes
        self.left, self.score = entries.records.copy(), np.zeros(len(entries), np.int32)
        sizes = [column.size for column in self.distances.columns]
        self.counts = [
            np.bincount(codes, entries.records, size) for codes, size in zip(entries.codes, sizes, strict=True)
        ]
        self.records = int(self.left.sum())

    def most_distant_from_center(self) -> int:
        """Return the entry that is farthest from the center of all remaining records."""
        self._seen_from(self.distances.from_center(self.counts))
        return int(kernels.highest_score(0, len(self.left), self.left, self.score))

    def most_distant_from(self, entry: int) -> int:
        """Return the entry that is farthest from this one."""
        self.seen_from(entry)
        return int(kernels.highest_score(0, len(self.left), self.left, self.score))

    def seen_from(self, entry: int) -> None:
        """Compute the distance of every entry from this one."""
        self._seen_from(self.distances.from_codes(self.codes[:, entry]))

    def take(self, count: int) -> np.ndarray:
        """Remove the nearest records and return their entries."""
        taken, filled = np.empty(min(count, self.records), np.int32), 0
        while filled < len(taken):
            checkpoint()
            some = taken[filled : filled + max(BUDGET // len(self.left), 1)]
            filled += kernels.take_nearest(len(self.left), len(some), self.codes, self.left, self.score, some)
        self._count(taken, -1)
        return taken

    def exchange(self, out: int, back: int) -> None:
        """Remove a record of entry `out`, and put back one of entry `back`."""
        self.left[out] -= 1
        self.left[back] += 1
        self._count(np.array([out]), -1)
        self._count(np.array([back]), 1)

    def _count(self, entries: np.ndarray, sign: int) -> None:
        self.records += sign * len(entries)
        for counts, codes in zip(self.counts, self.codes, strict=True):
            np.add.at(counts, codes[entries], sign)

    def _seen_from(self, rows: np.ndarray) -> None:
        kernels.add_rows(len(self.left), self.codes, rows, self.score)


def grow_until_satisfied(table: Table, entries: Entries, model: Model) -> Grow:
    """Return a function that grows a cluster of the nearest records, one by one, until the model holds."""

    def grow(remaining: Remaining, around: int) -> np.ndarray:
        cluster = remaining.take(model.min_class_size)
        while remaining.records and not is_satisfied(table, entries, cluster, model):
            checkpoint()
            cluster = np.append(cluster, remaining.take(1))
        return cluster

    return grow


def mdav(table: Table, entries: Entries, floor: int, grow: Grow, to_the_end: bool) -> Clusters:
    """Return clusters: two at a time while three times `floor` records remain, then one or two of the rest.

    `to_the_end`: two at a time while twice the floor remain (the t-closeness-aware variant).
    """
    remaining, least = Remaining(table, entries), 2 if to_the_end else 3
    progress, found = ClusteringProgress(remaining.records), list[np.ndarray]()
    while remaining.records >= least * floor:
        progress.report(progress.records - remaining.records)
        first = remaining.most_distant_from_center()
        remaining.seen_from(first)
        found.append(grow(remaining, first))
        if remaining.records and (not to_the_end or remaining.records >= 2 * floor):
            second = remaining.most_distant_from(first)
            remaining.seen_from(second)
            found.append(grow(remaining, second))
    if remaining.records >= 2 * floor:
        first = remaining.most_distant_from_center()
        remaining.seen_from(first)
        found.append(grow(remaining, first))
    if remaining.records:
        found.append(remaining.take(remaining.records))
    return Clusters.from_sizes(entries, np.concatenate(found), np.array([len(one) for one in found]))


AHEAD, UNKNOWN = 64, -2  # entries examined first; a kind of record that was not examined yet
DIGITS = 12  # precision at which distances are compared


class Exchanges:
    """Grows clusters of `floor` records whose sensitive values are close to the whole table's, if possible.

    As long as a cluster is too far from the whole table's distribution, the next nearest record may replace the record
    whose loss brings the cluster nearest, provided that the distance falls.
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
            checkpoint()
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
        """For each kind of record find the place in the cluster that it should take; -1: no swap helps."""
        kinds = kinds[places[kinds] == UNKNOWN]
        if not len(kinds):
            return
        counts = self._counts(cluster)
        out, first = np.unique(self.kind[cluster], return_index=True)
        after = {
            name: (histogram + one[self.kinds[s][kinds]][:, None, :] - one[self.kinds[s][out]][None, :, :]).reshape(
                -1, histogram.shape[1]
            )
            for s, ((name, histogram), one) in enumerate(zip(counts.items(), self.ones, strict=True))
        }
        score = np.round(self.near.score(self._classes(after)).reshape(len(kinds), len(out)), DIGITS)
        now = np.round(self.near.score(self._classes(counts)), DIGITS)[0]
        best = score.min(axis=1)
        found = np.where(score == best[:, None], first, len(cluster)).min(axis=1)
        places[kinds] = np.where(best < now, found, -1)

    def _counts(self, cluster: np.ndarray) -> dict[str, np.ndarray]:
        """Return how often the cluster has each value of each sensitive column, as one row."""
        kinds = self.kinds[:, self.kind[cluster]]
        return {
            name: np.bincount(kinds[s], minlength=len(seen))[None, :]
            for s, (name, seen) in enumerate(self.table.sensitive.items())
        }

    def _classes(self, counts: dict[str, np.ndarray]) -> Classes:
        sizes = next(iter(counts.values())).sum(axis=1)
        return Classes(sizes, counts, self.table.sensitive)


@dataclass(frozen=True)
class Microaggregation(Method):
    """Clusters of the nearest records, around the record farthest from the center and the one farthest from that.

    As for any method here, clusters publish ranges or sets of values, not their means. With `aware`, a cluster of k
    records swaps some of them for records farther away until it is within t of the whole table's distribution, or as
    close as possible (the paper's algorithm 2); clusters that still violate t are then merged (its algorithm 1).
    """

    aware: bool = parameter(
        False, "swap records until a cluster is close to t (needs a model with a t)", choices=(True, False)
    )
    publish: str = publish()
    recode: str = recode()
    name = "microaggregation"
    title = "Microaggregation (Domingo-Ferrer & Torra 2005, Soria-Comas et al. 2015)"
    summary = "clusters by MDAV, optionally aware of t-closeness"
    overlapping = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        near = self._near(model)
        if model is None:  # every record is a cluster of its own
            return Keep().release(table, None, seed)
        table.engine.require_memory("microaggregation processes records one by one", "use Mondrian")
        entries = Entries.of_cells(table, table.cells(), seed)
        found = self._clusters(table, entries, model, near).merge_violating(table, model)
        return found.release(table, table.cells(), self.publish, self.recode)

    def _near(self, model: Model | None) -> Model | None:
        """Return the part of the model that has a t, if clusters should consider it."""
        near = next((part for part in model.parts if part.max_distance_from_prior), None) if model else None
        if self.aware and near is None:
            raise BadInput(f"{self.name}: aware needs t-closeness; add it to the model, or remove aware")
        return near if self.aware else None

    def _clusters(self, table: Table, entries: Entries, model: Model, near: Model | None) -> Clusters:
        grow = (
            Exchanges(table, entries, near, model.min_class_size)
            if near
            else grow_until_satisfied(table, entries, model)
        )
        return mdav(table, entries, model.min_class_size, grow, to_the_end=self.aware)
