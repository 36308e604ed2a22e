"""Accuracy of one release about large populations, in publishable figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workbench.data import weights
from workbench.data.published import published_total
from workbench.data.table import Table
from workbench.data.wording import brief
from workbench.disclosure.recommendable import FAR, NEARLY
from workbench.measures import Measured, require_sensitive, size_in_thresholds
from workbench.measures.utility.random_sample import published_share
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.methods.remove import Remove
from workbench.models.distribution_distances import misplaced_share, variation
from workbench.publication.published_types import Accuracy, Details, Example, PopulationRow
from workbench.redaction.controlled_rounding import may_list_groups, round_average, share_resolution
from workbench.releases.base import Release
from workbench.releases.labels import run_label
from workbench.releases.published_classes import prior_bounds

FINE = 20  # times the threshold: the minimum size of a large population with published shares
SHARES = (0.10, 0.25, 0.50)  # examples of a true share; the first that is common enough is used
WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.5)  # maximum relative distance of a share from the example
ENOUGH = 20  # minimum pairs of population and value for an example
MOST = 10  # maximum number of listed populations
STEPS_APART = 2  # minimum number of steps between two rounded shares that is an error
NOISE = 1e-9


def accuracy_of(
    release: Release, measure: UtilityLoss, smallest: int, value: float | None
) -> tuple[Accuracy, list[PopulationRow]]:
    """Return the share of a large population counted under a wrong value, and the most misjudged populations.

    `value` is the published loss by the measure. For a small table the share is the maximum that this loss allows; for
    a larger table it is counted. All releases of a table use the same sensitive column, so that they can be compared.
    """
    table = release.table
    misled, many = measure.measure_column(release, dearest(table, measure)), may_list_groups(table.records, smallest)
    rows = _misjudged(table, misled, smallest) if many else []
    bound = None if value is None else misplaced_share(measure.distance, value)
    wrong = bound
    if many and value is not None:
        counted = _wrong(release, misled, measure, smallest)
        wrong = counted if bound is None else min(counted, bound)
    found: Accuracy = {
        "key": measure.key,
        "sensitive": misled.detail["sensitive"],
        "wrong": wrong,
        "counted": many,
        "most": _worst_share(table, misled, smallest, wrong or 0.0) if many else None,
        "estimated": misled.interval is not None,
        "sample": published_share(table, measure, value, smallest),
        "support": measure.min_support,
        "example": _example(table, misled, measure, smallest),
        "worst": next(iter(rows), None),
    }
    return found, rows


def dearest(table: Table, measure: UtilityLoss) -> str:
    """Return the sensitive column with the largest loss if only its distribution in the whole table is known."""

    def found() -> str:
        nothing = Remove()(table)
        lost = {name: measure.measure_column(nothing, name).value for name in require_sensitive(nothing)}
        return max(lost, key=lambda name: lost[name])

    return table.remember(("dearest column", measure), found)


def comparable(details: Mapping[int, Details], points: Mapping[int, Mapping[str, float]]) -> dict[int, Details]:
    """Adjust the details so that no release shows a larger share than a release with a larger loss.

    Releases are ranked by their loss, but the share that is counted wrong may rank two close releases in the other
    order. So each release shows the largest share among the releases that lose no more.
    """
    found = dict(details)
    for i, one in details.items():
        own = one["accuracy"]
        if "reason" in own or not own["counted"]:
            continue
        key, shown = own["key"], []
        for j, other in details.items():
            theirs = other["accuracy"]
            if "reason" not in theirs and theirs["wrong"] is not None and points[j][key] <= points[i][key]:
                shown.append(theirs["wrong"])
        wrong = max(shown, default=None)
        most = None if own["most"] is None else max(own["most"], wrong or 0.0)
        found[i] = {**one, "accuracy": {**own, "wrong": wrong, "most": most}}
    return found


def _wrong(release: Release, misled: Measured, measure: UtilityLoss, smallest: int) -> float:
    """Return the average share counted under a wrong value, in whole per cent, rounded up."""
    apart = variation(misled.detail["truth"], misled.detail["told"])
    step = replace(measure, distance="variation").rounding_step(release, smallest)
    mean = round_average(float(apart.mean()), step, crowd=size_in_thresholds(release, smallest))
    return math.ceil(100 * min(mean, 1.0) - NOISE) / 100


def _records(table: Table, misled: Measured) -> np.ndarray:
    """Return the minimum number of records in each population; they differ from people if records are weighted."""
    return np.floor(misled.detail["support"] / weights.max_weight(table) + NOISE).astype(np.int64)


def _worst_share(table: Table, misled: Measured, smallest: int, mean: float) -> float | None:
    """Return the same share of the most misjudged population; None if a population has few people."""
    fewest = int(_records(table, misled).min())
    if fewest < FINE * max(smallest, 1):
        return None
    n = share_resolution(fewest, smallest)
    most = float(variation(misled.detail["truth"], misled.detail["told"]).max())
    return max(math.ceil(n * most - NOISE) / n, mean)


def _example(table: Table, misled: Measured, measure: UtilityLoss, smallest: int) -> Example | None:
    """Return the error of a share in a large population in nine of ten cases, rounded up.

    The shares are those near an example, within the smallest window that contains enough of them.
    """
    detail, records = misled.detail, _records(table, misled)
    large = records >= FINE * max(smallest, 1)
    released, truth = (detail[name][large].ravel() for name in ("told", "truth"))
    n = share_resolution(int(records[large].min()), smallest) if large.any() else 1
    for window, about in ((window, about) for window in WINDOWS for about in SHARES):
        near = np.abs(truth - about) <= about * window + 1e-12
        if near.sum() >= ENOUGH:
            off = float(np.quantile(np.abs(released - truth)[near], 0.9, method="higher"))
            return {
                "about": about,
                "low": round(about * (1 - window), 4),
                "high": round(about * (1 + window), 4),
                "off": math.ceil(n * off - 1e-9) / n,
                "support": max(measure.min_support, math.ceil(100 * FINE * smallest / table.records) / 100),
            }
    return None


def _misjudged(table: Table, misled: Measured, smallest: int) -> list[PopulationRow]:
    """Return the most misjudged large populations, in whole per cent or coarser.

    No release states the truth, so a nearly certain true value is not published. Two shares one step apart may differ
    by rounding alone, so they are no error.
    """
    detail, seen = misled.detail, table.sensitive[misled.detail["sensitive"]]
    records, everybody = _records(table, misled), float(weights.people(table).sum())
    large = np.flatnonzero((records >= FINE * max(smallest, 1)) & _has_allowed_ends(table, detail["runs"]))
    n, every = _parts(records[large], smallest)[:, None], share_resolution(published_total(table, smallest), smallest)
    truth, released = (np.round(n * detail[name][large]) / n for name in ("truth", "told"))
    tells = (truth >= NEARLY - NOISE) & (truth - prior_bounds(seen, smallest).low >= FAR)
    off = np.where(seen.may_name(smallest), np.abs(released - truth).round(9), 0)
    off[tells.any(axis=1)] = 0
    off[off < STEPS_APART / n - NOISE] = 0
    most = off.max(axis=1)
    rows = []
    for i in np.flatnonzero((most > 0) & (most >= np.sort(most)[-MOST:].min(initial=1))).tolist():
        v = int(off[i].argmax())
        row: PopulationRow = {
            "who": _population(table, detail["runs"][large[i]]),
            "share": round(every * float(detail["support"][large[i]]) / everybody) / every,
            "value": table.settings.wording.having(seen.name, seen.labels[v]),
            "truth": float(truth[i, v]),
            "told": float(released[i, v]),
        }
        rows.append((-off[i, v], row["who"], row))
    return [row for *_, row in sorted(rows, key=lambda one: one[:2])[:MOST]]


def _has_allowed_ends(table: Table, runs: np.ndarray) -> np.ndarray:
    """Return which populations have only publishable ranges; others would reveal values of few records."""
    allowed = np.ones(len(runs), bool)
    for a, name in enumerate(table.quasi):
        column = table.columns[name]
        if (ends := column.ends) is None:
            continue
        for low, high in np.unique(runs[:, a], axis=0).tolist():
            group = low < high and column.hierarchy is not None and column.hierarchy.label(low, high) is not None
            if not (group or (low, high) == (0, column.size - 1) or ends.allows(low, high)):
                allowed &= (runs[:, a] != (low, high)).any(axis=1)
    return allowed


def _parts(totals: np.ndarray, smallest: int) -> np.ndarray:
    """Return the number of steps in which shares of so many people are published."""
    numbers, which = np.unique(totals, return_inverse=True)
    return np.array([share_resolution(int(number), smallest) for number in numbers], np.int64)[which]


def _population(table: Table, runs: np.ndarray) -> str:
    labels = [
        None if (low, high) == (0, table.columns[name].size - 1) else brief(run_label(table.columns[name], low, high))
        for name, (low, high) in zip(table.quasi, runs.tolist(), strict=True)
    ]
    return table.settings.wording.who(table.quasi, labels)
