"""An attacker who enumerates the tables consistent with everything published about a study of few people.

The attacker reads the counts of the page, the figures of all points, their efficiency, ranks and dominators, the
decision for each stop of the slider, and the objections to each release. She knows every rule and the order of the
candidates, but not the secret of the rounding: a count differs from the published one by less than the threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tests.attacks.naive import Naive

KEEP, REMOVE = 1, 0  # the baselines, as values of k
SAME = 1e-9
NONE = -1
PATIENCE = 15  # rounds without a new value


class Report(NamedTuple):
    """The published figures of one report: counts, the k of each point, and the results."""

    threshold: int
    counts: np.ndarray  # published counts of the sensitive values
    ks: Sequence[int]
    results: Mapping[str, Any]
    rows: slice | None = None  # the table's rows of a ward; None: the report covers all wards
    wards: int = 1

    @property
    def stops(self) -> list[float | None]:
        return [decision["cap"] for decision in self.results["decisions"]]

    def figures(self, key: str) -> list[float]:
        return [point["values"][key] for point in self.results["points"]]

    def view(self, tables: np.ndarray) -> np.ndarray:
        """Return the part of each table that the report covers."""
        if self.rows is not None:
            return tables[:, self.rows]
        many, rows, values = tables.shape
        return tables.reshape(many, self.wards, rows // self.wards, values).sum(axis=1)


def consistent_tables(reports: Sequence[Report], tables: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the tables that are consistent with all published figures of some reports."""
    for report in reports:
        tables = tables[_fits_counts(report, report.view(tables))]
    for report in reports:
        for i, k in enumerate([*report.ks, KEEP, REMOVE]):
            naive = Naive(report.view(tables), report.threshold, report.counts)
            low, high = naive.published_privacy(k)
            privacy, utility = report.figures("P_loss")[i], report.figures("U_loss")[i]
            fits = (np.abs(low - privacy) < SAME) | (np.abs(high - privacy) < SAME)
            tables = tables[fits & (np.abs(naive.published_utility(k) - utility) < SAME)]
    for report in reports:
        derived = statements(report, report.view(np.concatenate([truth[None], tables])))
        tables = tables[(derived[1:] == derived[0]).all(axis=1)]
    return tables


def statements(report: Report, tables: np.ndarray) -> np.ndarray:
    """Return what a report publishes about its points besides figures, as tables x statements.

    `test_points.py` compares the statements of the true table with the page.
    """
    naive = Naive(tables, report.threshold, report.counts)
    return np.stack([*_objections(report, naive), *_order_and_decisions(report, naive)], axis=1)


def _fits_counts(report: Report, tables: np.ndarray) -> np.ndarray:
    t, totals = report.threshold, tables.sum(axis=1)
    off = totals - report.counts
    fits = ((off > -t) & (off <= t)).all(axis=1) & ((totals > 0).sum(axis=1) > 1)
    records, published = totals.sum(axis=1), int(report.results["table"]["records"])
    below, above = (t // 2, (t - 1) // 2) if report.rows is None else (t - 1, t)
    return fits & (records >= (1 if published == t else published - below)) & (records <= published + above)


def _objections(report: Report, naive: Naive) -> Iterator[np.ndarray]:
    """Yield whether there is an objection to each release."""
    yield from (naive.has_objection(k) for k in report.ks)


def _order_and_decisions(report: Report, naive: Naive) -> Iterator[np.ndarray]:
    decisions = Decisions.from_report(report, naive)
    yield from decisions.efficient.T
    yield from decisions.ranks.T
    yield from decisions.dominated().T
    for stop in report.stops:
        yield from decisions.decision(stop).T


class Decisions:
    """The efficient and the recommended points, by the exact figures of many tables."""

    def __init__(self, privacy: np.ndarray, utility: np.ndarray, safe: np.ndarray, baselines: np.ndarray) -> None:
        self.privacy, self.utility, self.safe, self.baselines = privacy, utility, safe, baselines
        self.number, self.points = privacy.shape
        (p, q), (u, w) = ((x[:, :, None], x[:, None, :]) for x in (privacy, utility))
        self.beats = (p <= q) & (u <= w) & ((p < q) | (u < w))  # the first dominates the second
        self.efficient = ~self.beats.any(axis=1)

    @classmethod
    def from_report(cls, report: Report, naive: Naive) -> Decisions:
        ks = report.ks
        privacy, utility = (
            np.stack([loss(k) for k in ks], axis=1) for loss in (naive.privacy_loss, naive.utility_loss)
        )
        safe = np.stack([~naive.has_objection(k) for k in ks], axis=1)
        ends = np.stack([naive.privacy_loss(KEEP), naive.utility_loss(REMOVE)], axis=1)
        return cls(privacy, utility, safe, ends)

    @property
    def ranks(self) -> np.ndarray:
        """Return how many distinct efficient points are safer than each efficient point; -1 for the others."""
        first = np.ones_like(self.efficient)  # of those with equal figures
        for i, j in combinations(range(self.points), 2):
            first[:, j] &= ~(self._equal(i, j) & self.efficient[:, i])
        counted = self.efficient & first
        safer = (self.privacy[:, :, None] < self.privacy[:, None, :]) & counted[:, :, None]
        return np.where(self.efficient, safer.sum(axis=1), NONE)

    def _equal(self, i: int, j: int) -> np.ndarray:
        return (self.privacy[:, i] == self.privacy[:, j]) & (self.utility[:, i] == self.utility[:, j])

    def dominated(self) -> np.ndarray:
        """Return for each point how many others dominate it and which of them is named."""
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
        """Return everything stored about the decision for a stop."""
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
        """Return the knee of the frontier of the points without objection, or its middle point."""
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
        mask = np.take_along_axis(among, order, 1)
        found = np.take_along_axis(order, mask.argmax(axis=1)[:, None], 1)[:, 0]
        return np.where(mask.any(axis=1), found, NONE)

    def _last(self, among: np.ndarray) -> np.ndarray:
        order = self._sorted(self.privacy, self.utility)[:, ::-1]
        mask = np.take_along_axis(among, order, 1)
        found = np.take_along_axis(order, mask.argmax(axis=1)[:, None], 1)[:, 0]
        return np.where(mask.any(axis=1), found, NONE)


# --- the tables that may be behind the published figures


class Recovered(NamedTuple):
    """A count below the threshold with too few feasible values."""

    what: str
    exact: int
    values: list[int]


def recover_counts(
    reports: Sequence[Report], truth: np.ndarray, rng: np.random.Generator, most: int = 30_000
) -> list[Recovered]:
    """Return the counts below the threshold that have fewer feasible values than the threshold.

    Try all tables near the true one, or a random sample. While a count has too few values, try tables near the
    consistent ones, until no more values are found.
    """
    threshold, small = reports[0].threshold, list(targets(truth, reports[0]))
    start = tables_around(truth, reports[0].counts, threshold, rng, most)
    if wards := [report for report in reports if report.rows is not None]:
        start = np.concatenate([start, joined_wards(wards, truth, rng, most)])
    tables = consistent_tables(reports, np.concatenate([truth[None], start]), truth)
    assert (tables == truth).all(axis=(1, 2)).any(), "the true table is consistent"
    rounds_in_vain, before = 0, (0, 0)
    while rounds_in_vain < PATIENCE:
        lacking = [weight for _, weight in small if len(feasible_values(tables, weight)) < threshold]
        if not lacking:
            return []
        now = len(lacking), sum(len(feasible_values(tables, weight)) for weight in lacking)
        rounds_in_vain, before = (rounds_in_vain + 1 if now == before else 0), now
        sums = (tables * lacking[int(rng.integers(len(lacking)))]).sum(axis=(1, 2))
        ends = tables[(sums == sums.min()) | (sums == sums.max())]
        tried = [
            perturbed_tables(tables, rng, most // 4, 3),
            perturbed_tables(tables, rng, most // 6, threshold),
            perturbed_tables(ends, rng, most // 4, 4),
        ]
        tables = unique_tables(
            np.concatenate([tables, consistent_tables(reports, unique_tables(np.concatenate(tried)), truth)])
        )
        tables = tables[rng.permutation(len(tables))[: 4 * most]]
    found = ((what, int((weight * truth).sum()), feasible_values(tables, weight)) for what, weight in small)
    return [Recovered(what, exact, values.tolist()) for what, exact, values in found if len(values) < threshold]


def tables_around(
    truth: np.ndarray, counts: np.ndarray, threshold: int, rng: np.random.Generator, most: int
) -> np.ndarray:
    """Return tables near the true one whose published counts may be identical: all of them, or a random sample."""
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


def joined_wards(wards: Sequence[Report], truth: np.ndarray, rng: np.random.Generator, most: int) -> np.ndarray:
    """Return tables of all wards, each ward consistent with its own report."""
    each = []
    for report in wards:
        own = tables_around(truth[report.rows], report.counts, report.threshold, rng, 4 * most)
        tables = np.repeat(truth[None], len(own), axis=0)
        tables[:, report.rows] = own
        fitting = consistent_tables([report], tables, truth)[:, report.rows]
        each.append(np.concatenate([truth[report.rows][None], fitting]))
    found = _product(each, rng, 4 * most)
    for i, one in enumerate(each):
        for known in (0, *rng.integers(len(each[1 - i]), size=8)):  # the other ward's true or feasible counts
            pair = [np.repeat(each[1 - i][known][None], len(one), axis=0)] * 2
            pair[i] = one
            found = [np.concatenate(both) for both in zip(found, pair, strict=True)]
    return np.concatenate(found, axis=1)


def _product(each: Sequence[np.ndarray], rng: np.random.Generator, most: int) -> list[np.ndarray]:
    """Return all combinations of one of each, or a random sample."""
    if np.prod([float(len(one)) for one in each]) <= most:
        places = np.stack(np.meshgrid(*(np.arange(len(one)) for one in each), indexing="ij"), axis=-1).reshape(
            -1, len(each)
        )
    else:
        places = np.stack([rng.integers(len(one), size=most) for one in each], axis=1)
    return [one[places[:, i]] for i, one in enumerate(each)]


def targets(truth: np.ndarray, whole: Report) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the counts below the threshold: of each run of towns and set of sensitive values, in a ward and in all."""
    rows, values = truth.shape
    width = rows // whole.wards
    for wards in dict.fromkeys([*((ward,) for ward in range(whole.wards)), tuple(range(whole.wards))]):
        for a, b in combinations(range(width + 1), 2):
            for size in range(1, values + 1):
                for chosen in combinations(range(values), size):
                    weight = np.zeros(truth.shape, int)
                    for ward in wards:
                        weight[ward * width + a : ward * width + b, list(chosen)] = 1
                    if 0 < (weight * truth).sum() < whole.threshold:
                        yield f"wards {wards}, values {a} to {b - 1}, sensitive {chosen}", weight


def feasible_values(tables: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the distinct values of a sum of counts."""
    return np.unique((tables * weight).sum(axis=(1, 2)))


def perturbed_tables(tables: np.ndarray, rng: np.random.Generator, most: int, far: int) -> np.ndarray:
    """Return copies of random tables in which a few counts are slightly changed."""
    start = tables[rng.integers(len(tables), size=most)].copy()
    flat = start.reshape(most, -1)
    for _ in range(3):
        cell = rng.integers(flat.shape[1], size=most)
        moved = rng.integers(-far, far + 1, size=most) * (rng.random(most) < 0.7)
        flat[np.arange(most), cell] = np.maximum(flat[np.arange(most), cell] + moved, 0)
    return start


def unique_tables(tables: np.ndarray) -> np.ndarray:
    """Return the tables without duplicates."""
    flat = np.ascontiguousarray(tables.reshape(len(tables), -1).astype(np.int16))
    first = np.unique(flat.view(f"V{flat.shape[1] * 2}").ravel(), return_index=True)[1]
    return tables[first]
