"""One release as it may be shown: what an attacker would learn, what it costs, its classes, its files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench import findings, published
from workbench.column import spare
from workbench.disclosures import disclosure
from workbench.errors import Undefined
from workbench.exposure import exposed
from workbench.measures import Measure, Measured, classes_of
from workbench.measures.accuracy_gain import AccuracyGain
from workbench.measures.privacy_loss import PrivacyLoss
from workbench.measures.utility_loss import UtilityLoss
from workbench.naming import run_label
from workbench.recipe import Recipe
from workbench.release import Release, operating_system_random
from workbench.table import Table
from workbench.thresholds import coarse, masked, nameable, some_of, tells

FIGURES = 4
SHARES = (0.10, 0.25, 0.50)  # examples of a true share; the first that is common enough is taken
WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.5)  # how far a share may be from the example, as a part of it
ENOUGH = 20  # pairs of population and value that an example needs
MOST = 10  # populations that are named
HARDLY = 0.2  # of the threshold: a difference of so few people stands out of nothing


def opened(
    table: Table, recipe: Recipe, measures: Sequence[Measure], smallest: int, folder: Path, most: float | None = None
) -> dict[str, Any]:
    """Everything about one release but its file: what lies in its folder, and what is said of it.

    `most` is the largest loss of a class that is published anyway.
    """
    folder.mkdir(mode=0o700)
    release = recipe.release(table)
    classes = _or_reason(table, lambda: exposures(release, smallest, most))
    if isinstance(classes, pa.Table):
        pq.write_table(classes, folder / published.EXPOSURES)
    of_utility = next((one for one in measures if isinstance(one, UtilityLoss)), UtilityLoss())
    of_privacy = next((one for one in measures if isinstance(one, PrivacyLoss)), PrivacyLoss())
    misled = _or_reason(table, lambda: of_utility(release))
    rows = _misjudged(table, misled, smallest) if isinstance(misled, Measured) else []
    write_json(folder / published.POPULATIONS, rows)
    hidden, fewer = masked(release.classes.sizes, smallest)
    return {
        "attack": _or_reason(table, lambda: _attack(release, smallest)),
        "accuracy": _accuracy(misled, of_utility, smallest, next(iter(rows), None))
        if isinstance(misled, Measured)
        else misled,
        "worst": _or_reason(table, lambda: findings.most_exposed(release, of_privacy, smallest)),
        "surest": _or_reason(table, lambda: findings.surest(release, smallest)),
        "risk": _or_reason(table, lambda: _risk(release, smallest)),
        "classes": len(classes) if isinstance(classes, pa.Table) else classes,
        "tied": _tied(classes) if isinstance(classes, pa.Table) else 0,
        "small": int(hidden.sum()),
        "fewer": fewer,
        "refused": refused(release),
        "sentences": _sentences(release, measures, smallest),
    }


def _risk(release: Release, smallest: int) -> dict[str, Any]:
    """How many people lose as much as a full disclosure may cost, and which quasi-identifiers make them exposed."""
    seen = exposed(release)
    if seen.losses is None:
        raise Undefined(seen.note)
    count = int(seen.classes.sizes[seen.losses.at_risk()].sum())
    try:
        shares = dict(zip(release.table.quasi, np.round(seen.risk_shares.share, 2).tolist(), strict=True))
    except Undefined:  # of buckets, say
        shares = {}
    return {"at_risk": some_of(count, release.table.records, smallest), "shares": shares}


def _tied(classes: pa.Table) -> int:
    """How many classes that are not small have the largest loss, as far as it is told."""
    losses = classes["loss"].to_numpy()[classes["people"].is_valid().to_numpy()]
    return int((losses == losses.max(initial=0)).sum())


def _or_reason(table: Table, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Undefined as why:
        return {"reason": findings.reason(str(why), table)}


def _sentences(release: Release, measures: Sequence[Measure], smallest: int) -> dict[str, str]:
    """What each measure found, by its key."""
    found = {}
    for measure in measures:
        try:
            found[measure.key] = findings.sentence(measure, measure(release), release, smallest)
        except Undefined:
            continue
    return found


def refused(release: Release) -> str:
    """Why no file of a release is written; nothing where one may be."""
    tales = [f"{name} nearly names people" for name in release.named()]
    tales += [found.tale for found in release.giveaways()]
    return f"columns that would be published as they are undo what the release blurs: {', '.join(tales)}" * bool(tales)


def _attack(release: Release, smallest: int) -> dict[str, Any]:
    """How often an adversary's best guess is right, with the release and without."""
    found = AccuracyGain()(release)
    guess = findings.guesses(release.table, found, smallest)
    if guess is None:
        raise Undefined("so few people have the commonest value that its share is not told")
    return {"sensitive": found.detail["sensitive"], **guess}


# --- large populations


def _accuracy(misled: Measured, measure: UtilityLoss, smallest: int, worst: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a true share in a large population is told as, in nine cases out of ten; rounded outwards.

    The shares are those near an example, so near as there are enough of them, and the range is that of these alone.
    """
    detail = misled.detail
    told, truth = (detail[name][detail["support"] >= smallest].ravel() for name in ("told", "truth"))
    for window, about in ((window, about) for window in WINDOWS for about in SHARES):
        near = np.abs(truth - about) <= about * window + 1e-12
        if near.sum() >= ENOUGH:
            low, high = np.quantile(told[near], 0.05, method="lower"), np.quantile(told[near], 0.95, method="higher")
            return {
                "sensitive": detail["sensitive"],
                "about": about,
                "from": round(about * (1 - window), 4),
                "to": round(about * (1 + window), 4),
                "pairs": int(near.sum()),
                "low": math.floor(1000 * low) / 1000,
                "high": math.ceil(1000 * high) / 1000,
                "support": measure.min_support,
                "worst": worst,
            }
    return {"reason": "too few large groups have a share that could serve as an example"}


def _tellable(table: Table, detail: Any, smallest: int) -> np.ndarray:
    """Of which population and value a share may be told: enough people are in it and have it, in it and don't,
    and so among all the others; or the rest of the table would tell those that are few."""
    seen = table.sensitive[detail["sensitive"]]
    support = detail["support"][:, None]
    having = np.round(detail["truth"] * support)
    cells = having, support - having, seen.totals - having, table.records - support - (seen.totals - having)
    return np.logical_and.reduce([count >= smallest for count in cells]) & nameable(seen.totals, smallest)


def _misjudged(table: Table, misled: Measured, smallest: int) -> list[dict[str, Any]]:
    """The large populations that the release is most wrong about, in whole per cent."""
    detail, rows = misled.detail, []
    off = np.where(_tellable(table, detail, smallest), np.abs(detail["told"] - detail["truth"]), -1)
    for i in np.argsort(-off.max(axis=1), kind="stable")[:MOST].tolist():
        if off[i].max() >= 0:
            rows.append(_row(table, misled, i, int(off[i].argmax())))
    return rows


def _row(table: Table, misled: Measured, i: int, v: int) -> dict[str, Any]:
    detail, seen = misled.detail, table.sensitive[misled.detail["sensitive"]]
    return {
        "who": _population(table, detail["runs"][i]),
        "share": round(int(detail["support"][i]) / table.records, 2),
        "value": f"{published.words(seen.name)} {seen.labels[v]}",
        "truth": round(float(detail["truth"][i, v]), 2),
        "told": round(float(detail["told"][i, v]), 2),
    }


def _population(table: Table, runs: np.ndarray) -> str:
    labels = [
        None if (low, high) == (0, table.columns[name].size - 1) else run_label(table.columns[name], low, high)
        for name, (low, high) in zip(table.quasi, runs.tolist(), strict=True)
    ]
    return published.who(table.quasi, labels)


# --- classes


def exposures(release: Release, smallest: int, most: float | None = None) -> pa.Table:
    """One row a class, in random order: who, how many, how much is lost, and what is believed of them.

    `loss`, `people` and `posterior` are as the threshold allows: a class of few people has no size, a loss rounded up
    to a tenth (or to `most`) and a share in words; so has a count of few in a larger class. The loss is the
    Jensen-Shannon divergence from everybody, whatever the study measures; without sensitive columns it is 1 / size.
    """
    classes, table = classes_of(release), release.table
    order = operating_system_random().permutation(len(classes))
    sizes = classes.sizes[order]
    few = masked(classes.sizes, smallest)[0][order]
    columns: dict[str, Any] = {}
    for a, name in enumerate(table.quasi):
        labels = release.class_labels(name)
        labels[(classes.low[:, a] == 0) & (classes.high[:, a] == table.columns[name].size - 1)] = None  # type: ignore[index]
        columns[spare(name, published.OWN)] = pa.array(labels[order], pa.string())
    everyone = zip(*(column.to_pylist() for column in columns.values()), strict=True)
    columns["who"] = [published.who(table.quasi, labels) for labels in everyone]
    columns["people"] = pa.array([coarse(int(size), smallest) for size in sizes], mask=few)
    if not classes.histograms:
        columns["loss"], columns["rounded"] = np.where(few, 1.0, np.round(1 / sizes, 3)), few
        lacking = {name: pa.nulls(len(sizes)) for name in published.OWN if name not in columns}
        return pa.table({**columns, **lacking})
    found = _worst(release, order)
    told = zip(found["count"].tolist(), sizes.tolist(), strict=True)
    hidden = few | np.array([tells(count, of, smallest) for count, of in told])
    pairs = list(zip(found["sensitive"], found["value"], strict=True))
    rare = _rare(table, pairs, smallest)
    holds_few = _holds_few(release, smallest)[order]
    more = found["count"] - found["prior"] * sizes  # that a value moves most, if hardly, bounds all others
    alike = (found["loss"] <= findings.NOTHING) & ~holds_few
    untold = holds_few & ((found["loss"] <= findings.NOTHING) | (more < smallest * HARDLY))
    rounded, hushed = hidden | rare | holds_few, rare | alike | untold
    banded = _banded(found["loss"], hidden | hushed, sizes, smallest, most)
    columns["loss"], columns["rounded"] = np.round(np.where(rounded, banded, found["loss"]), 3), rounded
    rows = zip(pairs, rare, alike, untold, found["prior"], found["count"], sizes, few, strict=True)
    return pa.table(
        {
            **columns,
            "sensitive": pa.array(found["sensitive"], pa.string()),
            "value": pa.array(found["value"], pa.string(), mask=hushed),
            "prior": pa.array(np.round(found["prior"], FIGURES), mask=hushed),
            "posterior": pa.array(np.round(found["posterior"], 2), mask=hidden | hushed),
            "sentence": [_told(row, smallest) for row in rows],
        }
    )


def _rare(table: Table, pairs: Sequence[tuple[str, str]], smallest: int) -> np.ndarray:
    """Which of these columns and values are of so few people that they go without their name."""
    known = {
        (name, label)
        for name, seen in table.sensitive.items()
        for label, named in zip(seen.labels, nameable(seen.totals, smallest), strict=True)
        if named
    }
    return np.array([pair not in known for pair in pairs])


def _told(row: tuple[Any, ...], smallest: int) -> str:
    """What is believed of the people of a class, or why that is left out."""
    (name, value), rare, alike, untold, prior, count, of, few = row
    if alike:
        return f"They are about as mixed in {published.words(name)} as everybody."
    if untold:
        return f"Which {published.words(name)} stands out among them would tell of few people, and is left out."
    return findings.believed(name, None if rare else value, prior, int(count), int(of), smallest, bool(few))


def _holds_few(release: Release, smallest: int) -> np.ndarray:
    """Which classes have a count that is not told, of any value."""
    return np.logical_or.reduce(
        [((counts > 0) & (counts < smallest)).any(axis=1) for counts in release.classes.histograms.values()]
    )


def _banded(loss: np.ndarray, hidden: np.ndarray, sizes: np.ndarray, smallest: int, most: float | None) -> np.ndarray:
    """Losses so coarse that they fit several counts, never too low: hundredths in large classes, tenths elsewhere."""
    steps = np.where(hidden | (sizes < findings.LARGE * smallest), 10, 100)
    coarse = np.maximum(np.ceil(np.round(steps * loss, 6)), 1) / steps
    return coarse if most is None else np.minimum(coarse, most)


def _worst(release: Release, order: np.ndarray) -> dict[str, np.ndarray]:
    """For each class, the sensitive column that it loses most on: the most exposed value, and how exposed it is."""
    names = list(release.classes.histograms)
    frames = [disclosure(release, name).sort_index().iloc[order] for name in names]
    which = np.stack([frame["loss"] for frame in frames]).argmax(axis=0)
    rows = np.arange(len(order))

    def of(column: str) -> np.ndarray:
        return np.stack([frame[column].to_numpy() for frame in frames])[which, rows]

    count = np.round(of("posterior").astype(float) * release.classes.sizes[order]).astype(int)
    return {
        "sensitive": np.array(names, dtype=object)[which],
        "value": of("worst value"),
        "loss": of("loss").astype(float),
        "prior": of("prior").astype(float),
        "posterior": of("posterior").astype(float),
        "count": count,
    }


def write_json(path: Path, said: Any) -> None:
    """Plain data in a file; infinity has to be a word already."""
    path.write_text(json.dumps(said, indent=1, ensure_ascii=False, allow_nan=False), "utf-8")
