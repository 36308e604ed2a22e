"""The best point under caps, or why there is none and how near one can come."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.base.errors import BadInput, said
from workbench.frontier.recipe import Point
from workbench.measures import Measure

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier


def best_under(frontier: Frontier, caps: Mapping[Any, float], minimise: Measure | str | None) -> Point:
    """See `Frontier.best`."""
    if not isinstance(caps, Mapping):
        raise BadInput(f"caps = {said(caps)}: give a mapping from measure to number, as caps={{'P_loss': 0.2}}")
    goal = frontier.key(minimise) if minimise is not None else frontier.axes[1]
    limits = {frontier.key(measure): limit_of(measure, cap) for measure, cap in caps.items()}
    losses = frontier.losses([*limits, goal])
    valued = ~np.isnan(losses).any(axis=1)
    compared = np.flatnonzero(frontier.recommendable & valued)
    if not len(compared):
        who = "no point but the baselines" if valued.any() else "no point"
        raise BadInput(f"{who} has a value on {' and '.join(dict.fromkeys([*limits, goal]))}")
    kept = losses[compared, :-1] <= [frontier.sign(key) * limit for key, limit in limits.items()]
    allowed = compared[kept.all(axis=1)]
    if not len(allowed):
        raise BadInput(_unreachable(frontier, limits, kept, losses[compared, :-1]))
    other = frontier.privacy if frontier.measure(goal).side == "utility" else frontier.utility
    ties = frontier.losses([other])[allowed, 0] if other else np.zeros(len(allowed))
    return frontier.measured[int(allowed[np.lexsort((ties, losses[allowed, -1]))[0]])]


def limit_of(measure: Measure | str, cap: float) -> float:
    try:
        number = float(cap)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise BadInput(
            f"the cap on {measure.key if isinstance(measure, Measure) else measure} is {said(cap)}; give a number"
        )
    return number


def _unreachable(frontier: Frontier, limits: Mapping[str, float], kept: np.ndarray, losses: np.ndarray) -> str:
    """Which cap excludes every point, and the nearest value there is."""
    for j, key in enumerate(limits):
        if not kept[:, j].any():
            return f"no point has {_asked(frontier, key, limits[key])}; {_nearest(frontier, key, losses[:, j])}"
    asked = " and ".join(_asked(frontier, key, limit) for key, limit in limits.items())
    near = []
    for j, key in enumerate(limits):
        within = np.delete(kept, j, axis=1).all(axis=1)
        if within.any():
            near.append(f"within the other caps {_nearest(frontier, key, losses[within, j])}")
    return f"no point has {asked}, though some have each; {', or '.join(near) or 'leave one of them out'}"


def _asked(frontier: Frontier, key: str, limit: float) -> str:
    return f"{key} {'at least' if frontier.sign(key) < 0 else 'at most'} {limit:g}"


def _nearest(frontier: Frontier, key: str, losses: np.ndarray) -> str:
    """The best value there is, rounded to where a cap still admits it."""
    higher = frontier.sign(key) < 0
    value = frontier.sign(key) * float(losses.min())
    rounded = Context(prec=3, rounding=ROUND_FLOOR if higher else ROUND_CEILING).create_decimal(value)
    return f"the {'highest' if higher else 'lowest'} {key} is {float(rounded):g}"
