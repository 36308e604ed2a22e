"""Accuracy: how wrong a researcher is about large populations with one release, as it may be shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workbench.base.small_counts import averaged, may_list_groups, named, parts
from workbench.data import weights
from workbench.data.table import Table
from workbench.data.wording import brief
from workbench.disclosure.recommendable import FAR, NEARLY
from workbench.measures import Measured, crowd, sensitive_of
from workbench.measures.utility.random_sample import told_share
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.methods.remove import Remove
from workbench.models.distances import misplaced_share, variation
from workbench.publication.shapes import Accuracy, Details, Example, PopulationRow
from workbench.releases.base import Release
from workbench.releases.labels import run_label
from workbench.releases.published_classes import everybodys

FINE = 20  # times the threshold: the fewest people of a large population of which shares are told
SHARES = (0.10, 0.25, 0.50)  # examples of a true share; the first that is common enough is taken
WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.5)  # how far a share may be from the example, as a part of it
ENOUGH = 20  # pairs of population and value that an example needs
MOST = 10  # populations that are named
NOISE = 1e-9


def accuracy_of(
    release: Release, measure: UtilityLoss, smallest: int, value: float | None
) -> tuple[Accuracy, list[PopulationRow]]:
    """How many of a large population are counted under a wrong value, and the populations that are misjudged most.

    `value` is the loss by the measure as it is told. Of few people the share is the largest that this loss allows; of
    more it is counted. It is always of the same sensitive column of a table, so that releases can be compared.
    """
    table = release.table
    misled, many = measure.of(release, dearest(table, measure)), may_list_groups(table.records, smallest)
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
        "most": _most(table, misled, smallest, wrong or 0.0) if many else None,
        "estimated": misled.interval is not None,
        "sample": told_share(table, measure, value, smallest),
        "support": measure.min_support,
        "example": _example(table, misled, measure, smallest),
        "worst": next(iter(rows), None),
    }
    return found, rows


def dearest(table: Table, measure: UtilityLoss) -> str:
    """The sensitive column of which most is lost where only its distribution in the whole table is known."""

    def found() -> str:
        nothing = Remove()(table)
        lost = {name: measure.of(nothing, name).value for name in sensitive_of(nothing)}
        return max(lost, key=lambda name: lost[name])

    return table.remember(("dearest column", measure), found)


def comparable(details: Mapping[int, Details], points: Mapping[int, Mapping[str, float]]) -> dict[int, Details]:
    """The same, so that no release shows a larger share than one that loses more.

    Releases are ranked by their loss. The share that is counted wrong may rank two that are close the other way round:
    so each release shows the largest share of those that lose no more than it.
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
    """The share of a large population that is counted under a wrong value, on average; whole per cent, rounded up."""
    apart = variation(misled.detail["truth"], misled.detail["told"])
    step = replace(measure, distance="variation").step(release, smallest)
    mean = averaged(float(apart.mean()), step, crowd=crowd(release, smallest))
    return math.ceil(100 * min(mean, 1.0) - NOISE) / 100


def _records(table: Table, misled: Measured) -> np.ndarray:
    """How many records each population has at least, where these stand for different numbers of people."""
    return np.floor(misled.detail["support"] / weights.heaviest(table) + NOISE).astype(np.int64)


def _most(table: Table, misled: Measured, smallest: int, mean: float) -> float | None:
    """The same of the population that is misjudged most; not told where one of them has few people."""
    fewest = int(_records(table, misled).min())
    if fewest < FINE * max(smallest, 1):
        return None
    n = parts(fewest, smallest)
    most = float(variation(misled.detail["truth"], misled.detail["told"]).max())
    return max(math.ceil(n * most - NOISE) / n, mean)


def _example(table: Table, misled: Measured, measure: UtilityLoss, smallest: int) -> Example | None:
    """How far a share in a large population is off, in nine cases out of ten; rounded up.

    The shares are those near an example, so near as there are enough of them.
    """
    detail, records = misled.detail, _records(table, misled)
    large = records >= FINE * max(smallest, 1)
    released, truth = (detail[name][large].ravel() for name in ("told", "truth"))
    n = parts(int(records[large].min()), smallest) if large.any() else 1
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
    """The large populations that the release is most wrong about, in whole per cent or coarser.

    The truth is what no release says, so it is not told where a value is nearly certain in it.
    """
    detail, seen = misled.detail, table.sensitive[misled.detail["sensitive"]]
    records, everybody = _records(table, misled), float(weights.people(table).sum())
    large = np.flatnonzero(records >= FINE * max(smallest, 1))
    n, every = _parts(records[large], smallest)[:, None], parts(table.records, smallest)
    truth, released = (np.round(n * detail[name][large]) / n for name in ("truth", "told"))
    tells = (truth >= NEARLY - NOISE) & (truth - everybodys(seen.totals, smallest).low >= FAR)
    off = np.where(named(seen.totals, smallest), np.abs(released - truth).round(9), 0)
    off[tells.any(axis=1)] = 0
    most = off.max(axis=1)
    rows = []
    for i in np.flatnonzero((most > 0) & (most >= np.sort(most)[-MOST:].min(initial=1))).tolist():
        v = int(off[i].argmax())
        row: PopulationRow = {
            "who": _population(table, detail["runs"][large[i]]),
            "share": round(every * float(detail["support"][large[i]]) / everybody) / every,
            "value": f"{table.wording.column(seen.name)} {seen.labels[v]}",
            "truth": float(truth[i, v]),
            "told": float(released[i, v]),
        }
        rows.append((-off[i, v], row["who"], row))
    return [row for *_, row in sorted(rows, key=lambda one: one[:2])[:MOST]]


def _parts(of: np.ndarray, smallest: int) -> np.ndarray:
    """In how many parts shares of so many people are told."""
    numbers, which = np.unique(of, return_inverse=True)
    return np.array([parts(int(number), smallest) for number in numbers], np.int64)[which]


def _population(table: Table, runs: np.ndarray) -> str:
    labels = [
        None if (low, high) == (0, table.columns[name].size - 1) else brief(run_label(table.columns[name], low, high))
        for name, (low, high) in zip(table.quasi, runs.tolist(), strict=True)
    ]
    return table.wording.who(table.quasi, labels)
