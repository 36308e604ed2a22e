"""Naive Mondrian, measures and published figures of many small tables at once, as an attacker implements them.

A table is a matrix of counts: values of one quasi-identifier x values of the sensitive column. Many tables form one
array: tables x values x sensitive values. The code follows the published rules and shares nothing with the workbench;
`test_points.py` compares the two.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

TINY = 1e-12
LARGE = 0.05  # share of the records from which a population is large
FEW = 60  # times the threshold: losses of tables of fewer people are rounded to quarters of a disclosure
PREFERRED = {  # numbers to which averages are rounded, by the times of the threshold below which they are used
    100: (1.0, 1.5, 2.2, 3.3, 4.7, 6.8),
    1000: (1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2),
}


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Jensen-Shannon divergence along the last axis."""
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / middle), 0) + np.where(q > 0, q * np.log(q / middle), 0)
    found = terms.sum(axis=-1) / 2
    return np.where(found < TINY, 0, found)


def round_to_nearest(counts: np.ndarray, threshold: int) -> np.ndarray:
    """Round to the nearest multiple of the threshold, halves up; a positive count to at least one threshold."""
    return np.where(counts > 0, np.maximum(threshold * ((2 * counts + threshold) // (2 * threshold)), threshold), 0)


def round_up(value: np.ndarray, step: np.ndarray | float) -> np.ndarray:
    """Round up to a multiple of a step."""
    return np.round(np.ceil(value / step - 1e-9) * step, 12)


def round_average(value: np.ndarray, step: np.ndarray, series: tuple[float, ...]) -> np.ndarray:
    """Round averages up: to a step with one digit if that is coarse, to two digits, and to a preferred number."""
    found = np.zeros_like(value)
    some = value > 0
    value, step = value[some], step[some]
    digit = 10 ** np.floor(np.log10(step))
    coarse = step > 10 ** (np.floor(np.log10(value)) - 1)
    value = np.where(coarse, round_up(value, np.ceil(step / digit - 1e-12) * digit), value)
    value = round_up(value, 10 ** (np.floor(np.log10(value) + 1e-12) - 1))
    power = 10 ** np.floor(np.log10(value) + 1e-12)
    numbers = np.array([*series, 10.0]) * power[:, None]
    found[some] = np.where(numbers >= (value - 1e-12 * power)[:, None], numbers, np.inf).min(axis=1)
    return found


class Bounds:
    """Lower and upper bounds on the shares of values, along the last axis."""

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self.low, self.high = low, high


def max_divergence(shares: Bounds, prior: Bounds) -> np.ndarray:
    """Bound the divergence between two distributions within these bounds, each term by its chord."""

    def term(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        p, q = np.broadcast_arrays(p, q)
        middle = np.where(p + q > 0, (p + q) / 2, 1)
        parts = (one * np.log(np.where(one > 0, one, middle) / middle) for one in (p, q))
        return sum(np.where(one > 0, part, 0) for one, part in zip((p, q), parts, strict=True)) / 2

    low, high = (np.maximum(term(p, prior.low), term(p, prior.high)) for p in (shares.low, shares.high))
    width = shares.high - shares.low
    gain = np.where(width > 0, (high - low) / np.where(width > 0, width, 1), 0)
    order = np.argsort(-gain, axis=-1)
    width, gain = np.take_along_axis(width, order, -1), np.take_along_axis(gain, order, -1)
    left = 1 - shares.low.sum(axis=-1, keepdims=True)
    used = np.clip(left - (np.cumsum(width, axis=-1) - width), 0, width)
    return np.minimum(low.sum(axis=-1) + (used * gain).sum(axis=-1), math.log(2))


class Naive:
    """Many tables with their classes, exact figures, published figures and objections, all computed from counts."""

    def __init__(self, tables: np.ndarray, threshold: int, published: np.ndarray) -> None:
        self.tables, self.threshold, self.published = tables, threshold, published
        self.number, self.width, self.values = tables.shape
        self.runs = [(a, b) for a in range(self.width) for b in range(a, self.width)]

    def select(self, chosen: np.ndarray) -> Naive:
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
        """Return the number of records with each value of the quasi-identifier."""
        return self.tables.sum(axis=2)

    @cached_property
    def prior(self) -> np.ndarray:
        return self.totals / np.maximum(self.records, 1)[:, None]

    @cached_property
    def counts_of_run(self) -> dict[tuple[int, int], np.ndarray]:
        """Return the counts of sensitive values in each run of quasi-identifier values."""
        return {(a, b): self.tables[:, a : b + 1].sum(axis=1) for a, b in self.runs}

    def classes(self, k: int) -> dict[tuple[int, int], np.ndarray]:
        """Return by run in which tables Mondrian makes it a class. k = 1 separates all values, k = 0 none."""
        whole = np.ones(self.number, bool)
        if k == 0:
            return {(0, self.width - 1): whole}
        if k == 1:
            return {(g, g): self.sizes[:, g] > 0 for g in range(self.width)}
        found: dict[tuple[int, int], np.ndarray] = {}
        nodes = {(0, self.width - 1): whole}
        while nodes:
            (a, b), mask = nodes.popitem()
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
            may = mask & (cut >= 0) & (np.minimum(left, size - left) >= k)
            if (kept := mask & ~may & (size > 0)).any():
                found[a, b] = found.get((a, b), np.zeros(self.number, bool)) | kept
            for c in range(b - a):
                if (here := may & (cut == c)).any():
                    for part in ((a, a + c), (a + c + 1, b)):
                        nodes[part] = nodes.get(part, np.zeros(self.number, bool)) | here
        return found

    # --- exact figures

    @cached_property
    def _loss_of_run(self) -> dict[tuple[int, int], np.ndarray]:
        return {run: divergence(self._shares(run), self.prior) for run in self.runs}

    def _shares(self, run: tuple[int, int]) -> np.ndarray:
        counts = self.counts_of_run[run]
        return counts / np.maximum(counts.sum(axis=1), 1)[:, None]

    def largest(self, k: int, figure_of_run: dict[tuple[int, int], np.ndarray]) -> np.ndarray:
        """Return the maximum of a figure over the classes."""
        found = np.zeros(self.number)
        for run, mask in self.classes(k).items():
            found = np.where(mask, np.maximum(found, figure_of_run[run]), found)
        return found

    def privacy_loss(self, k: int) -> np.ndarray:
        return self.largest(k, self._loss_of_run)

    @cached_property
    def large(self) -> np.ndarray:
        """Return which values of the quasi-identifier are large populations."""
        needed = np.maximum(1, np.ceil(np.round(LARGE * self.records, 6)))
        return self.sizes >= needed[:, None]

    def utility_loss(self, k: int) -> np.ndarray:
        total = np.zeros(self.number)
        for (a, b), mask in self.classes(k).items():
            for g in range(a, b + 1):
                off = divergence(self._shares((g, g)), self._shares((a, b)))
                total += np.where(mask & self.large[:, g], off, 0)
        return total / np.maximum(self.large.sum(axis=1), 1)

    def smallest_class(self, k: int) -> np.ndarray:
        found = self.records.copy()
        for run, mask in self.classes(k).items():
            found = np.where(mask, np.minimum(found, self.counts_of_run[run].sum(axis=1)), found)
        return found

    def number_of_classes(self, k: int) -> np.ndarray:
        return sum(mask.astype(int) for mask in self.classes(k).values())

    # --- published figures

    @cached_property
    def overall_shares(self) -> Bounds:
        """Bound each value's share of all records by the published counts."""
        t, mask = self.threshold, self.totals > 0
        low = np.where(mask, np.maximum(self.published - t + 1, 1), 0)
        high = np.where(mask, self.published + t, 0)
        total = int(self.published.sum())
        most = np.minimum(total + t, low + high.sum(axis=1, keepdims=True) - high)
        least = np.maximum(max(total - t + 1, 1), high + low.sum(axis=1, keepdims=True) - low)
        return Bounds(np.minimum(low / np.maximum(most, 1), 1), np.minimum(high / least, 1))

    @cached_property
    def full_disclosure(self) -> np.ndarray:
        found = np.zeros(self.number)
        for v in range(self.values):
            sure = np.broadcast_to(np.eye(self.values)[v], self.totals.shape)
            found = np.where(
                self.totals[:, v] > 0, np.maximum(found, max_divergence(Bounds(sure, sure), self.overall_shares)), found
            )
        return found

    def _bounds_of_run(self, run: tuple[int, int]) -> Bounds:
        """Bound the shares of a class by what the published counts distinguish."""
        counts, t = self.counts_of_run[run], self.threshold
        quarter, size = math.ceil(t / 4), counts.sum(axis=1, keepdims=True)
        least, most = size - size % quarter, size - size % quarter + quarter - 1
        few, nearly = counts < t, size - counts < t
        low = np.where(few, 0, np.where(nearly, np.maximum(least - t + 1, 0), counts - counts % quarter))
        high = np.where(few, t - 1, np.where(nearly, most, counts - counts % quarter + quarter - 1))
        high = np.where(self.totals > 0, high, 0)
        least = np.maximum(least, low.sum(axis=1, keepdims=True))
        most = np.minimum(most, high.sum(axis=1, keepdims=True))
        return Bounds(low / np.maximum(most, 1), np.minimum(high / np.maximum(least, 1), 1))

    @cached_property
    def _published_loss_of_run(self) -> dict[tuple[int, int], np.ndarray]:
        return {
            run: np.minimum(max_divergence(self._bounds_of_run(run), self.overall_shares), self.full_disclosure)
            for run in self.runs
        }

    @cached_property
    def has_few_people(self) -> bool:
        """Return whether the published number of records is that of a table of few people."""
        return int(self.published.sum()) < FEW * self.threshold

    @cached_property
    def cheapest_disclosure(self) -> np.ndarray:
        prior = self.published / self.published.sum()
        every = np.stack([divergence(sure, prior) for sure in np.eye(self.values)])
        return round_up(np.where(self.totals > 0, every, np.inf).min(axis=1), 1e-4)

    def published_privacy(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the published privacy loss: without and with optional tiny classes."""
        t, most = self.threshold, round_up(self.full_disclosure, 1e-4)
        step, optional = (most / 4, 2 * t) if self.has_few_people else (self.cheapest_disclosure / 20, 3 * t - 1)
        tiny, may = (np.zeros(self.number, bool) for _ in range(2))
        for run, mask in self.classes(k).items():
            size = self.counts_of_run[run].sum(axis=1)
            tiny |= mask & (size <= t)
            may |= mask & (size <= optional)
        loss = np.where(tiny, self.full_disclosure, self.largest(k, self._published_loss_of_run))
        several = self.number_of_classes(k) > 1

        def round_loss(exact: np.ndarray) -> np.ndarray:
            return np.where(several, np.minimum(round_up(round_up(exact, step), 1e-4), most), 0)

        return round_loss(loss), round_loss(np.where(may, self.full_disclosure, loss))

    def published_utility(self, k: int) -> np.ndarray:
        """Return the published utility loss."""
        loss, disclosure = self.utility_loss(k), round_up(self.full_disclosure, 1e-4)
        if self.has_few_people:
            return round_up(round_up(np.maximum(loss, 1e-4), disclosure / 4), 1e-4)
        moved = np.minimum(self.threshold / np.where(self.large, self.sizes, np.inf).min(axis=1), 1)
        sure, other = (np.stack(both, axis=1) for both in ((moved * 0 + 1, moved * 0), (1 - moved, moved)))
        step = divergence(sure, other) / np.maximum(self.large.sum(axis=1), 1)
        below = self.records < 100 * self.threshold
        by_crowd = (round_average(loss, step, PREFERRED[crowd]) for crowd in (100, 1000))
        return np.where(below, *by_crowd)

    # --- objections to a release

    def certain(self, k: int) -> np.ndarray:
        """Return the number of records in classes with a single sensitive value."""
        found = np.zeros(self.number, int)
        for run, mask in self.classes(k).items():
            found += np.where(
                mask & ((self.counts_of_run[run] > 0).sum(axis=1) == 1), self.counts_of_run[run].sum(axis=1), 0
            )
        return found

    def nearly_certain(self, k: int) -> np.ndarray:
        """Return whether the release may make a value nearly certain."""
        rounded = round_to_nearest(self.totals, self.threshold)
        half = self.threshold / 2
        low = np.where(rounded <= 2 * half, np.minimum(rounded, 1), np.ceil(rounded - half))
        prior = low / np.maximum(round_to_nearest(self.records, self.threshold) + half, 1).astype(int)[:, None]
        found = np.zeros(self.number, bool)
        for run, mask in self.classes(k).items():
            counts = self.counts_of_run[run]
            is_large_share = counts >= counts.sum(axis=1, keepdims=True) * 0.75
            most = np.minimum(self._bounds_of_run(run).high, 1)
            found |= mask & (is_large_share & (most >= 0.95) & (most - prior >= 0.2)).any(axis=1)
        return found

    def has_objection(self, k: int) -> np.ndarray:
        """Return whether there is an objection to the release."""
        return (self.certain(k) > 0) | self.nearly_certain(k) | (self.smallest_class(k) < 5)
