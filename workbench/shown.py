"""One release as it may be shown: what an attacker would learn, what it costs, its classes, its files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench import published
from workbench.column import spare
from workbench.disclosures import disclosure
from workbench.errors import Undefined
from workbench.measures import Measured, classes_of
from workbench.measures.accuracy_gain import AccuracyGain
from workbench.measures.utility_loss import UtilityLoss
from workbench.recipe import Recipe
from workbench.release import Release, operating_system_random, run_label
from workbench.study import Study
from workbench.table import Table
from workbench.thresholds import nameable, tells

FIGURES = 4
SHARES = (0.10, 0.25, 0.50)  # examples of a true share; the first that is common enough is taken
ENOUGH = 20  # pairs of population and value that an example needs
MOST = 10  # populations that are named


def opened(table: Table, recipe: Recipe, study: Study, folder: Path, releases: bool) -> dict[str, Any]:
    """Everything about one release: files in its folder, and what is said of it."""
    folder.mkdir(mode=0o700)
    release = recipe.release(table)
    classes = _or_reason(lambda: exposures(release, study.smallest))
    if isinstance(classes, pa.Table):
        pq.write_table(classes, folder / published.EXPOSURES)
    of_utility = [measure for measure in study.measured() if isinstance(measure, UtilityLoss)]
    asked = _or_reason(lambda: (of_utility or [UtilityLoss()])[0](release))
    misjudged = asked if isinstance(asked, dict) else _misjudged(table, asked, study.smallest)
    write_json(folder / published.POPULATIONS, misjudged)
    return {
        "attack": _or_reason(lambda: _attack(release, study.smallest)),
        "accuracy": asked if isinstance(asked, dict) else _accuracy(table, asked, of_utility, study.smallest),
        "classes": len(classes) if isinstance(classes, pa.Table) else classes,
        "refused": _export(release, folder) if releases else "the study was published without its releases",
    }


def _or_reason(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Undefined as reason:
        return {"reason": str(reason)}


def _export(release: Release, folder: Path) -> str:
    """Write the released file, or say why not."""
    found = release.giveaways()
    if found:
        tales = ", ".join(f"{known} tells {told}" for known, told in found)
        return f"columns that would be published as they are undo what the release blurs: {tales}"
    release.export(folder / published.RELEASE)
    return ""


def _attack(release: Release, smallest: int) -> dict[str, Any]:
    """How often an adversary's best guess is right, with the release and without."""
    found = AccuracyGain()(release)
    name, chance = found.detail["sensitive"], found.detail["baseline"]
    seen = release.table.sensitive[name]
    commonest = int(seen.totals.argmax())
    return {
        "sensitive": name,
        "right": round(chance + found.value, FIGURES),
        "chance": round(chance, FIGURES),
        "commonest": seen.labels[commonest] if nameable(seen.totals, smallest)[commonest] else None,
    }


def _accuracy(table: Table, measured: Measured, asked: list[UtilityLoss], smallest: int) -> dict[str, Any]:
    """What a true share in a large population is told as, in nine cases out of ten; rounded outwards."""
    detail = measured.detail
    told, truth = (detail[name][detail["support"] >= smallest].ravel() for name in ("told", "truth"))
    for about in SHARES:
        near = np.abs(truth - about) <= about / 2
        if near.sum() >= ENOUGH:
            off = about + told[near] - truth[near]
            low, high = np.quantile(off, 0.05, method="lower"), np.quantile(off, 0.95, method="higher")
            ends = {"low": math.floor(1000 * max(low, 0)) / 1000, "high": math.ceil(1000 * min(high, 1)) / 1000}
            support = (asked or [UtilityLoss()])[0].min_support
            return {"sensitive": detail["sensitive"], "about": about, **ends, "support": support}
    return {"reason": "too few large groups have a share that could serve as an example"}


def _misjudged(table: Table, measured: Measured, smallest: int) -> list[dict[str, Any]]:
    """The large populations that the release is most wrong about, in whole per cent."""
    detail, rows = measured.detail, []
    seen = table.sensitive[detail["sensitive"]]
    named = nameable(seen.totals, smallest)
    for i in np.argsort(-detail["loss"], kind="stable"):
        told, truth, support = detail["told"][i], detail["truth"][i], int(detail["support"][i])
        enough = np.minimum(truth, 1 - truth) * support >= smallest - 1e-6  # that nobody has it would be news as well
        fine = np.flatnonzero(named & enough).tolist()
        if not fine:
            continue
        v = max(fine, key=lambda value: abs(told[value] - truth[value]))
        rows.append(
            {
                "who": _population(table, detail["runs"][i]),
                "share": round(support / table.records, 2),
                "loss": round(float(detail["loss"][i]), 3),
                "value": f"{published.words(seen.name)} {seen.labels[v]}",
                "truth": round(float(truth[v]), 2),
                "told": round(float(told[v]), 2),
            }
        )
        if len(rows) == MOST:
            break
    return rows


def _population(table: Table, runs: np.ndarray) -> str:
    labels = [
        None if (low, high) == (0, table.columns[name].size - 1) else run_label(table.columns[name], low, high)
        for name, (low, high) in zip(table.quasi, runs.tolist(), strict=True)
    ]
    return published.who(table.quasi, labels)


def exposures(release: Release, smallest: int) -> pa.Table:
    """One row a class, in random order: who, how many, how much is lost, and what is believed of them.

    `loss`, `people` and `posterior` are as the threshold allows: a class of few people has no size, a loss rounded up
    to a tenth (or to the release's largest) and a share in words; so has a count of few in a larger class.
    Without sensitive columns what is lost is 1 / size, at most.
    """
    classes, table = classes_of(release), release.table
    order = operating_system_random().permutation(len(classes))
    sizes = classes.sizes[order]
    few = sizes < smallest
    columns: dict[str, Any] = {}
    for a, name in enumerate(table.quasi):
        labels = release.class_labels(name)
        labels[(classes.low[:, a] == 0) & (classes.high[:, a] == table.columns[name].size - 1)] = None  # type: ignore[index]
        columns[spare(name, published.OWN)] = pa.array(labels[order], pa.string())
    everyone = zip(*(column.to_pylist() for column in columns.values()), strict=True)
    columns["who"] = [published.who(table.quasi, labels) for labels in everyone]
    columns["people"] = pa.array(sizes, mask=few)
    if not classes.histograms:
        columns["loss"] = np.where(few, 1.0, np.round(1 / sizes, 3))
        lacking = {name: pa.nulls(len(sizes)) for name in published.OWN if name not in columns}
        return pa.table({**columns, **lacking})
    found = _worst(release, order)
    tenths = np.minimum(np.ceil(np.round(10 * found["loss"], 6)) / 10, found["loss"].max())
    columns["loss"] = np.round(np.where(few, tenths, found["loss"]), 3)
    hidden = np.array([tells(int(c), int(n), smallest) for c, n in zip(found["count"], sizes, strict=True)])
    known = {
        (name, label)
        for name, seen in table.sensitive.items()
        for label, named in zip(seen.labels, nameable(seen.totals, smallest), strict=True)
        if named
    }
    pairs = list(zip(found["sensitive"], found["value"], strict=True))
    rare = np.array([pair not in known for pair in pairs])
    rows = zip(pairs, rare, found["prior"], found["count"], sizes, strict=True)
    return pa.table(
        {
            **columns,
            "sensitive": pa.array(found["sensitive"], pa.string()),
            "value": pa.array(found["value"], pa.string(), mask=rare),
            "prior": pa.array(np.round(found["prior"], FIGURES), mask=rare),
            "posterior": pa.array(np.round(found["posterior"], 3), mask=hidden),
            "sentence": [
                published.exposed(name, None if unnamed else value, prior, int(count), int(size), smallest)
                for (name, value), unnamed, prior, count, size in rows
            ],
        }
    )


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
