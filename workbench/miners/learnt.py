"""What a miner has learnt: how much each column tells it, and a small tree of what it predicts of whom."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.data.table import Table
from workbench.miners import Miner, workers
from workbench.miners.conditions import conditions_on
from workbench.miners.cross_fitting import Progress, columns_known, every_fold, refuse_unable, work_of
from workbench.miners.fitting import Work, shuffled, taught
from workbench.miners.keeping import alone
from workbench.miners.sets import called, chosen
from workbench.miners.small_tree import Branch, Says, grown
from workbench.releases.base import Release
from workbench.releases.shown import Shown
from workbench.workloads.query_text import text_of

FOLDS = 3


@dataclass(frozen=True)
class Learnt:
    """`importance` of a column: how much worse predictions are with its values exchanged among the records.

    Predictions are compared with what the release shows. `right` is the share that are; of numbers, and so are their
    `importance`, it is how far they are off on average. The tree quotes values: all of it is for the analyst.
    """

    target: str
    miner: Miner
    numbers: bool
    right: float
    importance: dict[str, float]
    tree: Branch
    records: int

    def __repr__(self) -> str:
        return f"<Learnt of {self.target!r} by {self.miner}>"

    @property
    def text(self) -> str:
        """The tree as indented plain text."""
        return "\n".join(self.tree.lines())


def learnt(
    release: Release,
    target: str,
    miner: Any,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Learnt:
    """What a miner learns of a column from the other published ones: of records not seen, in three folds."""
    one, *others = chosen(miner)
    if others:
        raise BadInput(f"these are {len(others) + 1} miners; ask what one of them has learnt")
    shown, names = release.shown(target, seed), columns_known(release, target)
    work = work_of(release, shown, names, FOLDS, seed)
    refuse_unable(one, work, shown)
    truth = work.labels if one.predicts == "values" else work.numbers
    assert truth is not None
    found = np.empty((len(names) + 1, len(truth)), truth.dtype)

    def take(job: workers.Job, answer: np.ndarray) -> None:
        found[:, work.sides(job[1])[1]] = answer

    with alone():
        every_fold(work, [one], shuffled, take, progress, cancel)
    numbers = one.predicts == "numbers"
    known = ~np.isnan(truth) if numbers else np.ones(len(truth), bool)
    if not known.any():
        raise Undefined(f"every value of {target!r} is missing, so no prediction is right or wrong")
    well = np.abs(found - truth) if numbers else found == truth
    means = well[:, known].mean(axis=1)
    worse = (means[1:] - means[0]) * (1 if numbers else -1)
    labels = None if numbers else _labels(release.table, shown)
    tree = _tree(release.table, work, names, Says(found[0], labels, well[0]), known)
    return Learnt(
        target, one, numbers, float(means[0]), dict(zip(names, worse.tolist(), strict=True)), tree, len(truth)
    )


def sentence(found: Learnt) -> str:
    """How well the miner predicts, in words without a value of the data."""
    what = f"{called(found.miner)} predicts {found.target} of records that it has not seen"
    more = taught(found.records, FOLDS)
    if found.numbers:
        return f"{what} off by {found.right:.4g} on average, from what is published of the others.{more}"
    return f"{what} right for {100 * found.right:.3g} %, from what is published of the others.{more}"


def _tree(table: Table, work: Work, names: tuple[str, ...], says: Says, known: np.ndarray) -> Branch:
    columns = [conditions_on(table.columns[n], one) for n, one in zip(names, work.features, strict=True)]
    there = np.flatnonzero(known)
    columns = [one._replace(at=one.at[there]) for one in columns]
    return grown(columns, Says(says.predicted[there], says.labels, says.well[there]))


def _labels(table: Table, shown: Shown) -> Callable[[int], str]:
    """What a prediction is called: a value, a node of a sensitive column, or a region as a condition."""
    name = shown.column.name
    if shown.codes is not None:
        return shown.column.value_labels().__getitem__
    if table.levels.get(name, 0):
        return table.sensitive[name].labels.__getitem__
    regions = shown.regions
    assert regions is not None

    def region(number: int) -> str:
        held = Shown(shown.column, group=np.full(shown.column.size, number), regions=regions)
        return text_of(table, {name: held.held(np.arange(shown.column.size))})

    return region
