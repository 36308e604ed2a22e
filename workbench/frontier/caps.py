"""Find the best point under caps, or explain which cap excludes every point and name the nearest value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import round_digits
from workbench.frontier.recipe import Point
from workbench.measures import Measure

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier


def best_under(frontier: Frontier, caps: Mapping[Any, float], minimise: Measure | str | None) -> Point:
    """Return the best point under the caps; see `Frontier.best`."""
    limits = limits_of(frontier, caps)
    goal = frontier.key(minimise) if minimise is not None else frontier.axes[1]
    losses = frontier.losses([*limits, goal])
    valued = ~np.isnan(losses).any(axis=1)
    compared = np.flatnonzero(frontier.recommendable & valued)
    if not len(compared):
        who = "no point but the baselines" if valued.any() else "no point"
        raise BadInput(f"{who} has a value on {' and '.join(dict.fromkeys([*limits, goal]))}")
    kept = losses[compared, :-1] <= [frontier.sign(key) * limit for key, limit in limits.items()]
    allowed = compared[kept.all(axis=1)]
    if not len(allowed):
        raise BadInput(unreachable(frontier, limits, kept, losses[compared, :-1]))
    other = frontier.privacy if frontier.measure(goal).side == "utility" else frontier.utility
    ties = frontier.losses([other])[allowed, 0] if other else np.zeros(len(allowed))
    return frontier.measured[int(allowed[np.lexsort((ties, losses[allowed, -1]))[0]])]


def limits_of(frontier: Frontier, caps: Mapping[Any, float]) -> dict[str, float]:
    """Return the caps as numbers, by measure key."""
    if not isinstance(caps, Mapping):
        raise BadInput(f"caps = {safe_repr(caps)}: give a mapping from measure to number, as caps={{'P_loss': 0.2}}")
    return {frontier.key(measure): limit_of(measure, cap) for measure, cap in caps.items()}


def limit_of(measure: Measure | str, cap: float) -> float:
    """Return a cap as a number; raise BadInput if it is not a number."""
    try:
        number = float(cap)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise BadInput(
            f"the cap on {measure.key if isinstance(measure, Measure) else measure} is {safe_repr(cap)}; give a number"
        )
    return number


def unreachable(frontier: Frontier, limits: Mapping[str, float], kept: np.ndarray, losses: np.ndarray) -> str:
    """Describe which cap excludes every point, with the nearest value of any point."""
    for j, key in enumerate(limits):
        if not kept[:, j].any():
            return (
                f"no point has {_describe_cap(frontier, key, limits[key])}; "
                f"{_describe_nearest(frontier, key, losses[:, j])}"
            )
    requested = " and ".join(_describe_cap(frontier, key, limit) for key, limit in limits.items())
    near = []
    for j, key in enumerate(limits):
        within = np.delete(kept, j, axis=1).all(axis=1)
        if within.any():
            near.append(f"within the other caps {_describe_nearest(frontier, key, losses[within, j])}")
    return f"no point has {requested}, though some have each; {', or '.join(near) or 'leave one of them out'}"


def _describe_cap(frontier: Frontier, key: str, limit: float) -> str:
    return f"{key} {'at least' if frontier.sign(key) < 0 else 'at most'} {limit:g}"


def _describe_nearest(frontier: Frontier, key: str, losses: np.ndarray) -> str:
    """Describe the best value of any point, rounded so that a cap at this number still admits the point."""
    higher = frontier.sign(key) < 0
    value = frontier.sign(key) * float(losses.min())
    shown = round_digits(value, "higher" if higher else "lower") if math.isfinite(value) else value
    if frontier.sign(key) * shown < frontier.sign(key) * value:  # after a rounding error
        shown = float(Context(prec=3, rounding=ROUND_FLOOR if higher else ROUND_CEILING).create_decimal(value))
    return f"the {'highest' if higher else 'lowest'} {key} is {shown:g}"
