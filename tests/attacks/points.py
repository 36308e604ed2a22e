"""An attacker who enumerates the tables that fit all that is published of a study of few people.

She reads the counts of the page, the figures of all points, which are efficient, their ranks, what dominates them, the
decision for each stop of the slider, and what is said of each release. She knows every rule and the order of
candidates, but not the secret of the rounding: a count is less than the threshold away from the published one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tests.attacks.naive import Naive

KEEP, REMOVE = 1, 0  # the baselines, as classes of at least so many
SAME = 1e-9
NONE = -1
PATIENCE = 15  # rounds in which no new value is found


class Report(NamedTuple):
    """What she reads of one report: counts, the k of each point, and the results."""

    threshold: int
    counts: np.ndarray  # of the sensitive values, as they are published
    ks: Sequence[int]
    results: Mapping[str, Any]
    rows: slice | None = None  # of the table, where it is a report of a ward; None: of all wards together
    wards: int = 1

    @property
    def stops(self) -> list[float | None]:
        return [one["cap"] for one in self.results["decisions"]]

    def figures(self, key: str) -> list[float]:
        return [point["values"][key] for point in self.results["points"]]

    def view(self, tables: np.ndarray) -> np.ndarray:
        """The people that the report is about."""
        if self.rows is not None:
            return tables[:, self.rows]
        many, rows, values = tables.shape
        return tables.reshape(many, self.wards, rows // self.wards, values).sum(axis=1)


def consistent(reports: Sequence[Report], tables: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The tables of which all that is read in some reports may be published."""
    for report in reports:
        tables = tables[_by_counts(report, report.view(tables))]
    for report in reports:
        for i, k in enumerate([*report.ks, KEEP, REMOVE]):
            naive = Naive(report.view(tables), report.threshold, report.counts)
            low, high = naive.published_privacy(k)
            privacy, utility = report.figures("P_loss")[i], report.figures("U_loss")[i]
            fits = (np.abs(low - privacy) < SAME) | (np.abs(high - privacy) < SAME)
            tables = tables[fits & (np.abs(naive.published_utility(k) - utility) < SAME)]
    for report in reports:
        said = statements(report, report.view(np.concatenate([truth[None], tables])))
        tables = tables[(said[1:] == said[0]).all(axis=1)]
    return tables


def statements(report: Report, tables: np.ndarray) -> np.ndarray:
    """All that a report says of its points besides figures, tables x statements. What it says of the true table is on
    the page: `test_points.py` compares both."""
    naive = Naive(tables, report.threshold, report.counts)
    return np.stack([*_in_words(report, naive), *_of_order(report, naive)], axis=1)


def _by_counts(report: Report, tables: np.ndarray) -> np.ndarray:
    t, totals = report.threshold, tables.sum(axis=1)
    off = totals - report.counts
    fits = ((off > -t) & (off <= t)).all(axis=1) & ((totals > 0).sum(axis=1) > 1)
    records, published = totals.sum(axis=1), int(report.results["table"]["records"])
    below, above = (t // 2, (t - 1) // 2) if report.rows is None else (t - 1, t)
    return fits & (records >= (1 if published == t else published - below)) & (records <= published + above)


def _in_words(report: Report, naive: Naive) -> Iterator[np.ndarray]:
    """Whether something speaks against each release."""
    yield from (naive.is_against(k) for k in report.ks)


def _of_order(report: Report, naive: Naive) -> Iterator[np.ndarray]:
    order = Order.of(report, naive)
    yield from order.efficient.T
    yield from order.ranks.T
    yield from order.dominated().T
    for stop in report.stops:
        yield from order.decision(stop).T


class Order:
    """Which points are efficient, and which is recommended, by the exact figures of many tables."""

    def __init__(self, privacy: np.ndarray, utility: np.ndarray, safe: np.ndarray, baselines: np.ndarray) -> None:
        self.privacy, self.utility, self.safe, self.baselines = privacy, utility, safe, baselines
        self.many, self.points = privacy.shape
        (p, q), (u, w) = ((x[:, :, None], x[:, None, :]) for x in (privacy, utility))
        self.beats = (p <= q) & (u <= w) & ((p < q) | (u < w))  # the first dominates the second
        self.efficient = ~self.beats.any(axis=1)

    @classmethod
    def of(cls, report: Report, naive: Naive) -> Order:
        ks = report.ks
        privacy, utility = (np.stack([of(k) for k in ks], axis=1) for of in (naive.privacy_loss, naive.utility_loss))
        safe = np.stack([~naive.is_against(k) for k in ks], axis=1)
        ends = np.stack([naive.privacy_loss(KEEP), naive.utility_loss(REMOVE)], axis=1)
        return cls(privacy, utility, safe, ends)

    @property
    def ranks(self) -> np.ndarray:
        """How many different efficient points are safer; -1 of the others."""
        first = np.ones_like(self.efficient)  # of those with equal figures
        for i, j in combinations(range(self.points), 2):
            first[:, j] &= ~(self._equal(i, j) & self.efficient[:, i])
        counted = self.efficient & first
        safer = (self.privacy[:, :, None] < self.privacy[:, None, :]) & counted[:, :, None]
        return np.where(self.efficient, safer.sum(axis=1), NONE)

    def _equal(self, i: int, j: int) -> np.ndarray:
        return (self.privacy[:, i] == self.privacy[:, j]) & (self.utility[:, i] == self.utility[:, j])

    def dominated(self) -> np.ndarray:
        """By how many others each point is dominated, and which of them is named."""
        found = []
        reach = [np.ptp(one, axis=1) for one in (self.privacy, self.utility)]
        reach = [np.where(one > 0, one, 1) for one in reach]
        for i in range(self.points):
            by = self.beats[:, :, i]
            ahead = (self.privacy[:, [i]] - self.privacy) / reach[0][:, None]
            ahead = ahead + (self.utility[:, [i]] - self.utility) / reach[1][:, None]
            best = by & ~(self.beats & by[:, :, None]).any(axis=1)
            place = self._first(
                self.privacy, self.utility, among=best & (ahead >= np.where(best, ahead, -np.inf).max(axis=1)[:, None])
            )
            found += [by.sum(axis=1), np.where(by.any(axis=1), place, NONE)]
        return np.stack(found, axis=1)

    def decision(self, stop: float | None) -> np.ndarray:
        """All that is stored of the decision for a stop."""
        within = self.privacy <= np.inf if stop is None else self.privacy <= stop
        by = (self.privacy, self.utility) if stop is None else (self.utility, self.privacy)
        order = self._sorted(*by)
        listed = np.where(np.take_along_axis(within, order, 1), order, NONE)
        first = self._first(*by, among=within)
        chosen = self._knee() if stop is None else self._first(*by, among=within & self.safe)
        chosen = np.where((within & self.safe).any(axis=1), chosen, NONE)
        nearest = self._first(self.privacy, self.utility, self.privacy, among=np.ones_like(within))
        shown = np.where(chosen != NONE, chosen, np.where(within.any(axis=1), first, nearest))
        own = np.take_along_axis(self.privacy, shown[:, None], 1)
        safer = self._last(self.efficient & (self.privacy < own))
        useful = self._first(self.privacy, self.utility, among=self.efficient & (self.privacy > own))
        simple = self._first(self.utility, self.privacy, among=within if stop is not None else self.privacy <= own)
        return np.column_stack([listed, chosen, shown, safer, useful, simple])

    def _knee(self) -> np.ndarray:
        """The knee of the frontier of the points that nothing speaks against, or its middle point."""
        beats = self.beats & self.safe[:, :, None] & self.safe[:, None, :]
        efficient = self.safe & ~beats.any(axis=1)
        spans = self.baselines
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = 1 - self.privacy / spans[:, [0]] - self.utility / spans[:, [1]]
        depth = np.where(efficient & (spans > 0).all(axis=1)[:, None], depth, -np.inf)
        deepest = depth == depth.max(axis=1)[:, None]
        knee = self._first(self.privacy, self.utility, among=efficient & deepest)
        place = np.argsort(np.argsort(np.where(efficient, self._place(), self.points), axis=1), axis=1)
        middle = (efficient & (place == (efficient.sum(axis=1) // 2)[:, None])).argmax(axis=1)
        return np.where(depth.max(axis=1) > 0, knee, middle)

    def _place(self) -> np.ndarray:
        return np.argsort(self._sorted(self.privacy, self.utility), axis=1)

    def _sorted(self, *keys: np.ndarray) -> np.ndarray:
        numbers = np.broadcast_to(np.arange(self.points), self.privacy.shape)
        return np.lexsort([numbers, *keys[::-1]], axis=1)

    def _first(self, *keys: np.ndarray, among: np.ndarray) -> np.ndarray:
        order = self._sorted(*keys)
        there = np.take_along_axis(among, order, 1)
        found = np.take_along_axis(order, there.argmax(axis=1)[:, None], 1)[:, 0]
        return np.where(there.any(axis=1), found, NONE)

    def _last(self, among: np.ndarray) -> np.ndarray:
        order = self._sorted(self.privacy, self.utility)[:, ::-1]
        there = np.take_along_axis(among, order, 1)
        found = np.take_along_axis(order, there.argmax(axis=1)[:, None], 1)[:, 0]
        return np.where(there.any(axis=1), found, NONE)


# --- the tables that may be behind it


class Found(NamedTuple):
    """A count below the threshold, and the values that it may have."""

    what: str
    exact: int
    values: list[int]


def recovered(
    reports: Sequence[Report], truth: np.ndarray, rng: np.random.Generator, most: int = 30_000
) -> list[Found]:
    """The counts below the threshold that are left fewer values than the threshold.

    All tables near the true one are tried, or some at random; where too few values are found, then tables near those
    that fit, until no more are.
    """
    threshold, small = reports[0].threshold, list(targets(truth, reports[0]))
    begun = around(truth, reports[0].counts, threshold, rng, most)
    if wards := [report for report in reports if report.rows is not None]:
        begun = np.concatenate([begun, joined(wards, truth, rng, most)])
    tables = consistent(reports, np.concatenate([truth[None], begun]), truth)
    assert (tables == truth).all(axis=(1, 2)).any(), "the attacker is right about what she knows"
    vain, before = 0, (0, 0)
    while vain < PATIENCE:
        lacking = [weight for _, weight in small if len(possible(tables, weight)) < threshold]
        if not lacking:
            return []
        now = len(lacking), sum(len(possible(tables, weight)) for weight in lacking)
        vain, before = (vain + 1 if now == before else 0), now
        sums = (tables * lacking[int(rng.integers(len(lacking)))]).sum(axis=(1, 2))
        ends = tables[(sums == sums.min()) | (sums == sums.max())]
        tried = [
            nearby(tables, rng, most // 4, 3),
            nearby(tables, rng, most // 6, threshold),
            nearby(ends, rng, most // 4, 4),
        ]
        tables = distinct(np.concatenate([tables, consistent(reports, distinct(np.concatenate(tried)), truth)]))
        tables = tables[rng.permutation(len(tables))[: 4 * most]]
    found = ((what, int((weight * truth).sum()), possible(tables, weight)) for what, weight in small)
    return [Found(what, exact, values.tolist()) for what, exact, values in found if len(values) < threshold]


def around(truth: np.ndarray, counts: np.ndarray, threshold: int, rng: np.random.Generator, most: int) -> np.ndarray:
    """Tables near the true one whose published counts may be the same: all of them, or some at random."""
    each = []
    for column, published in zip(truth.T, counts, strict=True):
        sides = [np.arange(max(n - threshold, 0), max(n, threshold) + threshold + 1) for n in column]
        found = (
            np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, len(sides))
            if len(sides) < 5
            else (np.stack([rng.choice(side, 20 * most) for side in sides], axis=1))
        )
        each.append(found[np.abs(found.sum(axis=1) - published) <= threshold])
    return np.stack(_product(each, rng, most), axis=2)


def joined(wards: Sequence[Report], truth: np.ndarray, rng: np.random.Generator, most: int) -> np.ndarray:
    """Tables of all wards, each ward as its own report allows."""
    each = []
    for report in wards:
        own = around(truth[report.rows], report.counts, report.threshold, rng, 4 * most)
        tables = np.repeat(truth[None], len(own), axis=0)
        tables[:, report.rows] = own
        fitting = consistent([report], tables, truth)[:, report.rows]
        each.append(np.concatenate([truth[report.rows][None], fitting]))
    found = _product(each, rng, 4 * most)
    for i, one in enumerate(each):
        for known in (0, *rng.integers(len(each[1 - i]), size=8)):  # the other ward as it is, or as it may be
            pair = [np.repeat(each[1 - i][known][None], len(one), axis=0)] * 2
            pair[i] = one
            found = [np.concatenate(both) for both in zip(found, pair, strict=True)]
    return np.concatenate(found, axis=1)


def _product(each: Sequence[np.ndarray], rng: np.random.Generator, most: int) -> list[np.ndarray]:
    """All combinations of one of each, or some at random."""
    if np.prod([float(len(one)) for one in each]) <= most:
        places = np.stack(np.meshgrid(*(np.arange(len(one)) for one in each), indexing="ij"), axis=-1).reshape(
            -1, len(each)
        )
    else:
        places = np.stack([rng.integers(len(one), size=most) for one in each], axis=1)
    return [one[places[:, i]] for i, one in enumerate(each)]


def targets(truth: np.ndarray, whole: Report) -> Iterator[tuple[str, np.ndarray]]:
    """The counts below the threshold: of a run of towns and of sensitive values, in a ward and in all."""
    rows, values = truth.shape
    wide = rows // whole.wards
    for wards in dict.fromkeys([*((ward,) for ward in range(whole.wards)), tuple(range(whole.wards))]):
        for a, b in combinations(range(wide + 1), 2):
            for size in range(1, values + 1):
                for chosen in combinations(range(values), size):
                    weight = np.zeros(truth.shape, int)
                    for ward in wards:
                        weight[ward * wide + a : ward * wide + b, list(chosen)] = 1
                    if 0 < (weight * truth).sum() < whole.threshold:
                        yield f"wards {wards}, values {a} to {b - 1}, sensitive {chosen}", weight


def possible(tables: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The different values of a sum of counts."""
    return np.unique((tables * weight).sum(axis=(1, 2)))


def nearby(tables: np.ndarray, rng: np.random.Generator, most: int, far: int) -> np.ndarray:
    """Tables in which a few counts are a little different."""
    begun = tables[rng.integers(len(tables), size=most)].copy()
    flat = begun.reshape(most, -1)
    for _ in range(3):
        cell = rng.integers(flat.shape[1], size=most)
        moved = rng.integers(-far, far + 1, size=most) * (rng.random(most) < 0.7)
        flat[np.arange(most), cell] = np.maximum(flat[np.arange(most), cell] + moved, 0)
    return begun


def distinct(tables: np.ndarray) -> np.ndarray:
    """Each table once."""
    flat = np.ascontiguousarray(tables.reshape(len(tables), -1).astype(np.int16))
    first = np.unique(flat.view(f"V{flat.shape[1] * 2}").ravel(), return_index=True)[1]
    return tables[first]
