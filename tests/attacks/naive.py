"""An attacker's own, naive Mondrian, measures and published figures, of many small tables at once.

A table is its counts: values of one quasi-identifier x values of the sensitive column. Many tables are one array,
tables x values x sensitive values. All of it follows the published rules, and none of it is code of the workbench:
`test_points.py` compares both.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

TINY = 1e-12
LARGE = 0.05  # of the records: a large population


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Jensen-Shannon, along the last axis."""
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / middle), 0) + np.where(q > 0, q * np.log(q / middle), 0)
    found = terms.sum(axis=-1) / 2
    return np.where(found < TINY, 0, found)


def nearest(counts: np.ndarray, threshold: int) -> np.ndarray:
    """The nearest multiple, halves up; of somebody one threshold at least."""
    return np.where(counts > 0, np.maximum(threshold * ((2 * counts + threshold) // (2 * threshold)), threshold), 0)


def up(value: np.ndarray, step: np.ndarray | float) -> np.ndarray:
    """The next multiple of a step that is no less."""
    return np.round(np.ceil(value / step - 1e-9) * step, 12)


class Ends:
    """The least and the largest shares of values, along the last axis."""

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self.low, self.high = low, high


def farthest(shares: Ends, usual: Ends) -> np.ndarray:
    """A bound of the divergence between any two distributions within these ends: each term under its chord."""

    def term(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        p, q = np.broadcast_arrays(p, q)
        middle = np.where(p + q > 0, (p + q) / 2, 1)
        parts = (one * np.log(np.where(one > 0, one, middle) / middle) for one in (p, q))
        return sum(np.where(one > 0, part, 0) for one, part in zip((p, q), parts, strict=True)) / 2

    low, high = (np.maximum(term(p, usual.low), term(p, usual.high)) for p in (shares.low, shares.high))
    width = shares.high - shares.low
    gain = np.where(width > 0, (high - low) / np.where(width > 0, width, 1), 0)
    order = np.argsort(-gain, axis=-1)
    width, gain = np.take_along_axis(width, order, -1), np.take_along_axis(gain, order, -1)
    left = 1 - shares.low.sum(axis=-1, keepdims=True)
    used = np.clip(left - (np.cumsum(width, axis=-1) - width), 0, width)
    return np.minimum(low.sum(axis=-1) + (used * gain).sum(axis=-1), math.log(2))


class Naive:
    """Many tables, with what is computed of each from their counts."""

    def __init__(self, tables: np.ndarray, threshold: int, published: np.ndarray) -> None:
        self.tables, self.threshold, self.published = tables, threshold, published
        self.many, self.wide, self.values = tables.shape
        self.runs = [(a, b) for a in range(self.wide) for b in range(a, self.wide)]

    def only(self, chosen: np.ndarray) -> Naive:
        return Naive(self.tables[chosen], self.threshold, self.published)

    # --- classes

    @cached_property
    def records(self) -> np.ndarray:
        return self.tables.sum(axis=(1, 2))

    @cached_property
    def totals(self) -> np.ndarray:
        return self.tables.sum(axis=1)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The records of each value of the quasi-identifier."""
        return self.tables.sum(axis=2)

    @cached_property
    def prior(self) -> np.ndarray:
        return self.totals / np.maximum(self.records, 1)[:, None]

    @cached_property
    def of_run(self) -> dict[tuple[int, int], np.ndarray]:
        """The counts of sensitive values in each run of values."""
        return {(a, b): self.tables[:, a : b + 1].sum(axis=1) for a, b in self.runs}

    def classes(self, k: int) -> dict[tuple[int, int], np.ndarray]:
        """Which tables Mondrian leaves a run whole in, by run. k = 1 separates all values; 0 separates none."""
        whole = np.ones(self.many, bool)
        if k == 0:
            return {(0, self.wide - 1): whole}
        if k == 1:
            return {(g, g): self.sizes[:, g] > 0 for g in range(self.wide)}
        found: dict[tuple[int, int], np.ndarray] = {}
        nodes = {(0, self.wide - 1): whole}
        while nodes:
            (a, b), there = nodes.popitem()
            sizes = self.sizes[:, a : b + 1]
            size = sizes.sum(axis=1)
            until = np.cumsum(sizes, axis=1)
            median = (until < ((size + 1) // 2)[:, None]).sum(axis=1)
            last = (b - a) - (sizes[:, ::-1] > 0).argmax(axis=1)
            before = np.where((sizes > 0) & (np.arange(b - a + 1) < median[:, None]), np.arange(b - a + 1), -1).max(
                axis=1
            )
            cut = np.where(median >= last, before, median)
            left = np.where(cut >= 0, np.take_along_axis(until, np.maximum(cut, 0)[:, None], 1)[:, 0], 0)
            may = there & (cut >= 0) & (np.minimum(left, size - left) >= k)
            if (kept := there & ~may & (size > 0)).any():
                found[a, b] = found.get((a, b), np.zeros(self.many, bool)) | kept
            for c in range(b - a):
                if (here := may & (cut == c)).any():
                    for part in ((a, a + c), (a + c + 1, b)):
                        nodes[part] = nodes.get(part, np.zeros(self.many, bool)) | here
        return found

    # --- exact figures

    @cached_property
    def _loss_of_run(self) -> dict[tuple[int, int], np.ndarray]:
        return {run: divergence(self._shares(run), self.prior) for run in self.runs}

    def _shares(self, run: tuple[int, int]) -> np.ndarray:
        counts = self.of_run[run]
        return counts / np.maximum(counts.sum(axis=1), 1)[:, None]

    def largest(self, k: int, of_run: dict[tuple[int, int], np.ndarray]) -> np.ndarray:
        """The largest of a figure over the classes."""
        found = np.zeros(self.many)
        for run, there in self.classes(k).items():
            found = np.where(there, np.maximum(found, of_run[run]), found)
        return found

    def privacy_loss(self, k: int) -> np.ndarray:
        return self.largest(k, self._loss_of_run)

    @cached_property
    def large(self) -> np.ndarray:
        """Which values of the quasi-identifier are large populations."""
        needed = np.maximum(1, np.ceil(np.round(LARGE * self.records, 6)))
        return self.sizes >= needed[:, None]

    def utility_loss(self, k: int) -> np.ndarray:
        total = np.zeros(self.many)
        for (a, b), there in self.classes(k).items():
            for g in range(a, b + 1):
                off = divergence(self._shares((g, g)), self._shares((a, b)))
                total += np.where(there & self.large[:, g], off, 0)
        return total / np.maximum(self.large.sum(axis=1), 1)

    def smallest_class(self, k: int) -> np.ndarray:
        found = self.records.copy()
        for run, there in self.classes(k).items():
            found = np.where(there, np.minimum(found, self.of_run[run].sum(axis=1)), found)
        return found

    def number_of_classes(self, k: int) -> np.ndarray:
        return sum(there.astype(int) for there in self.classes(k).values())

    # --- figures as they are published

    @cached_property
    def everybody(self) -> Ends:
        """The shares of everybody that the published counts allow."""
        t, there = self.threshold, self.totals > 0
        low = np.where(there, np.maximum(self.published - t + 1, 1), 0)
        high = np.where(there, self.published + t, 0)
        total = int(self.published.sum())
        most = np.minimum(total + t, low + high.sum(axis=1, keepdims=True) - high)
        least = np.maximum(max(total - t + 1, 1), high + low.sum(axis=1, keepdims=True) - low)
        return Ends(np.minimum(low / np.maximum(most, 1), 1), np.minimum(high / least, 1))

    @cached_property
    def dearest(self) -> np.ndarray:
        found = np.zeros(self.many)
        for v in range(self.values):
            sure = np.broadcast_to(np.eye(self.values)[v], self.totals.shape)
            found = np.where(
                self.totals[:, v] > 0, np.maximum(found, farthest(Ends(sure, sure), self.everybody)), found
            )
        return found

    def _ends_of_run(self, run: tuple[int, int]) -> Ends:
        """The shares of a class that are not distinguished."""
        counts, t = self.of_run[run], self.threshold
        quarter, size = math.ceil(t / 4), counts.sum(axis=1, keepdims=True)
        least, most = size - size % quarter, size - size % quarter + quarter - 1
        few, nearly = counts < t, size - counts < t
        low = np.where(few, 0, np.where(nearly, np.maximum(least - t + 1, 0), counts - counts % quarter))
        high = np.where(few, t - 1, np.where(nearly, most, counts - counts % quarter + quarter - 1))
        high = np.where(self.totals > 0, high, 0)
        least = np.maximum(least, low.sum(axis=1, keepdims=True))
        most = np.minimum(most, high.sum(axis=1, keepdims=True))
        return Ends(low / np.maximum(most, 1), np.minimum(high / np.maximum(least, 1), 1))

    @cached_property
    def _told_of_run(self) -> dict[tuple[int, int], np.ndarray]:
        return {run: np.minimum(farthest(self._ends_of_run(run), self.everybody), self.dearest) for run in self.runs}

    def published_privacy(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The published privacy loss of a table of few people, where no class is rounded to be tiny that need not be,
        and where one is."""
        t, most = self.threshold, up(self.dearest, 1e-4)
        tiny, may = (np.zeros(self.many, bool) for _ in range(2))
        for run, there in self.classes(k).items():
            size = self.of_run[run].sum(axis=1)
            tiny |= there & (size <= t)
            may |= there & (size <= 2 * t)
        loss = np.where(tiny, self.dearest, self.largest(k, self._told_of_run))
        several = self.number_of_classes(k) > 1

        def told(one: np.ndarray) -> np.ndarray:
            return np.where(several, np.minimum(up(up(one, most / 4), 1e-4), most), 0)

        return told(loss), told(np.where(may, self.dearest, loss))

    def published_utility(self, k: int) -> np.ndarray:
        """The published utility loss of a table of few people."""
        step = up(self.dearest, 1e-4) / 4
        return up(up(np.maximum(self.utility_loss(k), 1e-4), step), 1e-4)

    # --- what speaks against a release

    def certain(self, k: int) -> np.ndarray:
        """The records in classes with a single value."""
        found = np.zeros(self.many, int)
        for run, there in self.classes(k).items():
            found += np.where(there & ((self.of_run[run] > 0).sum(axis=1) == 1), self.of_run[run].sum(axis=1), 0)
        return found

    def nearly(self, k: int) -> np.ndarray:
        """Whether a value may be nearly certain because of the release."""
        rounded = nearest(self.totals, self.threshold)
        half = self.threshold / 2
        low = np.where(rounded <= 2 * half, np.minimum(rounded, 1), np.ceil(rounded - half))
        usual = low / np.maximum(nearest(self.records, self.threshold) + half, 1).astype(int)[:, None]
        found = np.zeros(self.many, bool)
        for run, there in self.classes(k).items():
            counts = self.of_run[run]
            told = counts >= counts.sum(axis=1, keepdims=True) * 0.75
            most = np.minimum(self._ends_of_run(run).high, 1)
            found |= there & (told & (most >= 0.95) & (most - usual >= 0.2)).any(axis=1)
        return found

    def is_against(self, k: int) -> np.ndarray:
        """Whether anything speaks against a release."""
        return (self.certain(k) > 0) | self.nearly(k) | (self.smallest_class(k) < 5)
