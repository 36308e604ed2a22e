"""Answers to the queries that a study names: what a user of the released data would find beside the truth, as told.

Counts are rounded to the threshold. Sums and averages are told of large groups alone, in two figures and in no finer
steps than as many people as the threshold can move them, whatever anybody's number is; where a step is a tenth of the
truth, they are not told.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.small_counts import coarse, few
from workbench.publication.shapes import Queries, QueryRow
from workbench.publication.tellable_queries import Named, how_many, met_by, people, tellable
from workbench.releases.base import Release
from workbench.workloads.exact import AVG, COUNT
from workbench.workloads.query import AGGREGATES
from workbench.workloads.workload import Workload

COARSEST = 0.1  # of the truth, the step of a sum or an average
FINDS = {"count": "count", "sum": "find a sum of", "avg": "find an average of"}


def queries(release: Release, smallest: int) -> Queries:
    """What is told of one release; Undefined where nothing is."""
    table = release.table
    if not how_many(table):
        return {"rows": [], "hidden": 0}
    named = tellable(table, smallest)
    if release.left_out:
        raise Undefined("records are left out, and counts of the original would tell what they have")
    rows = [row for one in named if (row := _row(release, one, smallest))]
    return {"rows": rows, "hidden": how_many(table) - len(rows)}


def _row(release: Release, one: Named, smallest: int) -> QueryRow | None:
    """One query; None where its answer is not told."""
    asked = Workload.of(release.table, [one.text])
    answers = float(asked.truth[0]), float(release.count(asked)[0])
    if asked.aggregate[0] == COUNT:
        truth, told = (_count(round(answer, 6), smallest) for answer in answers)
        rounded = f" (rounded to {smallest})" if smallest > 1 else ""
    else:
        step = one_figure(_moved(asked, smallest))
        if not 0 < step <= COARSEST * abs(answers[0]):
            return None
        truth, told = (_amount(answer, step) for answer in answers)
        rounded = ""
    finds = FINDS[AGGREGATES[asked.aggregate[0]]]
    sentence = f"A user of the released data would {finds} {told}; in truth {truth}{rounded}."
    return {"workload": one.workload, "query": one.text, "told": told, "truth": truth, "sentence": sentence}


def _count(count: float, smallest: int) -> str:
    if smallest <= 1:
        return figures(count)
    return f"fewer than {few(smallest):,}" if count < few(smallest) else f"about {coarse(count, smallest):,}"


def _moved(asked: Workload, smallest: int) -> float:
    """How far as many people as the threshold, more or fewer, move a sum or an average at most."""
    table, name = asked.table, asked.columns[int(asked.summed[0])]
    values = table.columns[name].values.astype(float)
    if asked.aggregate[0] != AVG:
        return 2 * max(smallest, 1) * float(np.abs(values).max())
    return 2 * max(smallest, 1) * float(values.max() - values.min()) / float(people(table, [met_by(asked)])[0])


def one_figure(step: float) -> float:
    """A step in one figure, rounded up."""
    if not (math.isfinite(step) and step > 0):
        return 0.0
    power = 10.0 ** math.floor(math.log10(step))
    return math.ceil(round(step / power, 9)) * power


def _amount(value: float, step: float) -> str:
    """The nearest multiple of the step, or of the second figure where that is coarser."""
    if math.isnan(value):
        return "nothing"
    unit = max(step, 10.0 ** (math.floor(math.log10(abs(value))) - 1)) if value else step
    return f"about {figures(round(round(value / unit) * unit, 9))}"
