"""The points of a frontier as a published study shows them: their figures, and which of them can be opened."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context

import numpy as np

from workbench import findings
from workbench.errors import BadInput, Undefined, Unsatisfiable
from workbench.figures import figures, listed
from workbench.frontier import Frontier, undominated
from workbench.measures import Measure
from workbench.measures.accuracy_gain import AccuracyGain
from workbench.measures.privacy_loss import PrivacyLoss
from workbench.measures.reidentification_risk import ReidentificationRisk
from workbench.models import Model
from workbench.recipe import Point
from workbench.shown import FIGURES
from workbench.study import Study
from workbench.table import Table
from workbench.thresholds import nameable, small


def on_axes(swept: Frontier, study: Study) -> Frontier:
    if len(study.axes) not in (0, 2):
        raise BadInput("study: axes name two measures, one of privacy and one of utility")
    frontier = swept.on(*study.axes)
    assert frontier.axes  # says what is missing
    return frontier


def keeping(frontier: Frontier, study: Study) -> tuple[Frontier, str]:
    """The points that keep the study's limits on other measures than the slider's, and what to say of the others."""
    caps = {frontier.key(key): cap for key, cap in study.caps.items() if frontier.key(key) != frontier.axes[0]}
    if not caps:
        return frontier, ""
    over = frontier.losses(list(caps))
    kept = (over <= [frontier.sign(key) * cap for key, cap in caps.items()]).all(axis=1)
    asked = listed(
        [
            f"{'at most' if frontier.sign(key) > 0 else 'at least'} {figures(cap)} on {frontier.measure(key).name}"
            for key, cap in caps.items()
        ]
    )
    own = frontier.recommendable
    if not (kept & own).any():
        return frontier, f"No release keeps to the study's limit of {asked}; it is left aside here."
    broken = int((own & ~kept).sum())
    chosen = [point for point, keep in zip(frontier.measured, kept | ~own, strict=True) if keep]
    said = f"{broken} of {int(own.sum())} releases are left out: they break the study's limit of {asked}."
    return replace(frontier, measured=chosen), said if broken else ""


def rounded(frontier: Frontier) -> Frontier:
    """The same points with four figures; what lies under a limit lies under it still."""

    def short(key: str, value: float) -> float:
        if not math.isfinite(value):
            return value
        measure = frontier.measure(key)
        towards = ROUND_FLOOR if measure.better == "higher" else ROUND_CEILING
        rounding = towards if measure.side == "privacy" else ROUND_HALF_EVEN
        return float(Context(prec=FIGURES, rounding=rounding).create_decimal(repr(float(value))))

    points = [
        replace(point, values={key: short(key, value) for key, value in point.values.items()}, key="")
        for point in frontier.measured
    ]
    return replace(frontier, measured=points)


def allowed(frontier: Frontier, table: Table, smallest: int) -> Frontier:
    """The same points with no figure that a value decides which few people have, or that counts out a few.

    The releases are made once more, where there is such a value or such a measure.
    """
    rare = any(not nameable(seen.totals, smallest).all() for seen in table.sensitive.values())
    commonest = [float(seen.prior.max()) for seen in table.sensitive.values()]
    privacy = [measure for measure in frontier.measures if measure.side == "privacy"]

    def counts(measure: Measure, value: float) -> bool:
        """Whether a figure may be the share of all people but a few, or of a few."""
        if isinstance(measure, AccuracyGain):
            return any(small(table.records - round((share + value) * table.records), smallest) for share in commonest)
        return isinstance(measure, ReidentificationRisk) and measure.statistic == "alone"

    def held(point: Point) -> Point:
        own = {m.key: m for m in privacy if m.key in point.values and not math.isnan(point.values[m.key])}
        if not rare and not any(counts(measure, point.values[key]) for key, measure in own.items()):
            return point
        try:
            release = point.recipe.release(table)
        except (Undefined, Unsatisfiable):
            return point
        told = {key: findings.allowed(measure, point.values[key], release, smallest) for key, measure in own.items()}
        return replace(point, values={**point.values, **told})

    return replace(frontier, measured=[held(point) for point in frontier.measured])


def largest_loss(frontier: Frontier, point: Point) -> float | None:
    """The largest Jensen-Shannon loss of a class, where a measure publishes it."""
    keys = [one.key for one in frontier.measures if isinstance(one, PrivacyLoss) and one.distance == "js"]
    return point.values.get(keys[0]) if keys else None


def worth_opening(frontier: Frontier) -> list[int]:
    """The points that may be recommended: the efficient ones, and those that are among the simplest."""
    efficient, plainest = frontier.is_efficient(), simplest(frontier)
    among = np.array(plainest, dtype=int)
    of_them = among[undominated(frontier.losses()[among])].tolist() if plainest else []
    return sorted({*np.flatnonzero(efficient).tolist(), *of_them})


def simplest(frontier: Frontier) -> list[int]:
    """The points whose promise is the easiest to explain: one model rather than several, about sizes alone."""

    def plainness(model: Model) -> tuple[int, bool]:
        return len(model.parts), model.needs_sensitive

    defined = ~np.isnan(frontier.losses()).any(axis=1) & frontier.recommendable
    found = {i: plainness(m) for i in np.flatnonzero(defined).tolist() if (m := frontier.measured[i].recipe.model)}
    return [i for i, plain in found.items() if plain == min(found.values())]
