"""Publishable answers to the study's queries: the answer from the released data and the true answer.

Counts are rounded to the threshold. Sums and averages are published for large groups only, with two significant digits
and in steps no finer than as many people as the threshold can move them. If a step exceeds a tenth of the true answer,
neither answer is published.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.base.small_counts import round_count, small_limit
from workbench.publication.published_types import Queries, QueryRow
from workbench.publication.tellable_queries import Named, how_many, met_by, people, tellable
from workbench.queries.exact import AVG, COUNT
from workbench.queries.query import AGGREGATES
from workbench.queries.workload import Workload
from workbench.releases.base import Release

COARSEST = 0.1  # largest step of a sum or an average, as a share of the true answer
FINDS = {"count": "count", "sum": "find a sum of", "avg": "find an average of"}


def queries(release: Release, smallest: int) -> Queries:
    """Return the published queries of one release; raise Undefined if none may be published."""
    table = release.table
    if not how_many(table):
        return {"rows": [], "hidden": 0}
    named = tellable(table, smallest)
    if release.suppressed:
        raise Undefined("records are suppressed, and counts of the original would reveal their values")
    rows = [row for one in named if (row := _row(release, one, smallest))]
    return {"rows": rows, "hidden": how_many(table) - len(rows)}


def _row(release: Release, one: Named, smallest: int) -> QueryRow | None:
    """Return the row of one query; None if its answer is not published."""
    workload = Workload.from_texts(release.table, [one.text])
    answers = float(workload.truth[0]), float(release.count(workload)[0])
    if workload.aggregate[0] == COUNT:
        truth, released = (_count(round(answer, 6), smallest) for answer in answers)
        rounded = f" (rounded to multiples of {smallest})" if smallest > 1 else ""
    else:
        step = one_figure(_moved(workload, smallest))
        if not 0 < step <= COARSEST * abs(answers[0]):
            return None
        truth, released = (_amount(answer, step) for answer in answers)
        rounded = ""
    finds = FINDS[AGGREGATES[workload.aggregate[0]]]
    sentence = f"A user of the released data would {finds} {released}; in truth {truth}{rounded}."
    return {"workload": one.workload, "query": one.text, "told": released, "truth": truth, "sentence": sentence}


def _count(count: float, smallest: int) -> str:
    if smallest <= 1:
        return format_number(count)
    return (
        f"fewer than {small_limit(smallest):,}"
        if count < small_limit(smallest)
        else f"about {round_count(count, smallest):,}"
    )


def _moved(workload: Workload, smallest: int) -> float:
    """Return how far as many people as the threshold can move a sum or an average at most."""
    table, name = workload.table, workload.columns[int(workload.summed[0])]
    values = table.columns[name].values.astype(float)
    if workload.aggregate[0] != AVG:
        return 2 * max(smallest, 1) * float(np.abs(values).max())
    return 2 * max(smallest, 1) * float(values.max() - values.min()) / float(people(table, [met_by(workload)])[0])


def one_figure(step: float) -> float:
    """Round a step up to one significant digit."""
    if not (math.isfinite(step) and step > 0):
        return 0.0
    power = 10.0 ** math.floor(math.log10(step))
    return math.ceil(round(step / power, 9)) * power


def _amount(value: float, step: float) -> str:
    """Round to a multiple of the step, or to two significant digits if that is coarser."""
    if math.isnan(value):
        return "nothing"
    unit = max(step, 10.0 ** (math.floor(math.log10(abs(value))) - 1)) if value else step
    return f"about {format_number(round(round(value / unit) * unit, 9))}"
