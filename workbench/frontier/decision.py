"""The decision: which candidate to publish under caps, with the reasons, from exact figures.

Points have numbers, from 1, in the order of the study's candidates with the baselines last; `workbench anonymize
--recipe` accepts them. The rules:

- A candidate satisfies the caps if its exact figure is within each of them. Baselines are not candidates.
- Of the candidates that satisfy the caps and have no objections (`Point.against`), the one with the lowest utility loss
  is recommended; if all caps are on measures of utility, the one with the lowest privacy loss. Ties are broken by the
  loss on the other axis, then by the number.
- If none satisfies the caps, none is recommended, and the nearest is named: the candidate with the smallest maximum
  excess over a cap, in units of the candidates' range on that measure; ties are broken as above.
- Without caps the knee is suggested, of the frontier of the candidates without objections and the baselines; its middle
  point if there is no knee.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import figures_next_to, format_number, join_names, round_digits
from workbench.base.package import Sources
from workbench.base.parameters import canonical
from workbench.data.table import Table
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.measures import Measure
from workbench.releases.base import Release

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier


ENDING = ".against"
SOURCES = Sources("disclosure", "frontier/decision.py")


@dataclass(frozen=True)
class Decision:
    """The recommended or nearest point of a frontier under caps, with the reasons; points by position, from 1."""

    caps: Mapping[str, float]  # by the key of the measure
    goal: str  # the key of the measure that is minimized
    satisfying: tuple[int, ...]  # the candidates that satisfy every cap, the best first
    recommended: int | None
    passed_over: tuple[int, ...]  # better candidates than the recommended one, but with objections
    nearest: int | None  # if no candidate satisfies the caps
    reason: str  # why none is recommended; empty if one is

    @property
    def shown(self) -> int | None:
        """The candidate to look at first: the recommended one, else the best within the caps, else the nearest."""
        if self.recommended is not None:
            return self.recommended
        return self.satisfying[0] if self.satisfying else self.nearest


def decide(
    frontier: Frontier, caps: Mapping[Any, float] | None = None, among: Collection[int] | None = None
) -> Decision:
    """Return the decision under these caps, by measure or its key; see above for the rules.

    Only the candidates whose places, from 1, are in `among` take part; by default all.
    """
    limits = limits_of(frontier, {} if caps is None else caps)
    privacy, utility = frontier.axes
    on_utility = limits and all(frontier.measure(key).side == "utility" for key in limits)
    goal, other = (privacy, utility) if on_utility else (utility, privacy)
    losses = frontier.losses([goal, other, *limits])
    valued = ~np.isnan(losses).any(axis=1)
    if among is not None:
        valued[[i for i in range(len(valued)) if i + 1 not in among]] = False
    candidates = np.flatnonzero(frontier.recommendable & valued)
    if not len(candidates):
        return Decision(limits, goal, (), None, (), None, explain_no_value(valued, [privacy, utility, *limits]))
    candidates = candidates[np.lexsort((candidates, losses[candidates, 1], losses[candidates, 0]))]
    own = losses[candidates, 2:]
    bounds = np.array([frontier.sign(key) * limit for key, limit in limits.items()])
    within = own <= bounds
    satisfying = candidates[within.all(axis=1)]
    if not len(satisfying):
        nearest = int(candidates[_excess(own, bounds).argmin()]) + 1
        return Decision(limits, goal, (), None, (), nearest, unreachable(frontier, limits, within, own))
    safe = [int(i) for i in satisfying if not frontier.measured[i].against]
    if not limits:
        satisfying = satisfying[np.argsort(losses[satisfying, 1], kind="stable")]  # no utility loss is too large
    numbers = tuple(int(i) + 1 for i in satisfying)
    if not safe:
        return Decision(limits, goal, numbers, None, numbers, None, _all_passed_over(frontier, numbers))
    chosen = safe[0] if limits else _suggested(frontier, safe)
    passed_over = numbers[: numbers.index(chosen + 1)] if limits else ()
    return Decision(limits, goal, numbers, chosen + 1, passed_over, None, "")


def nearest_words(frontier: Frontier, decision: Decision) -> str:
    """Describe the nearest candidate by its figures on the capped measures; empty if a candidate satisfies the caps."""
    if decision.nearest is None:
        return ""
    point = frontier.measured[decision.nearest - 1]
    name = frontier.label(decision.nearest - 1)
    values = [f"{key} {format_number(point.values[key], frontier.measure(key).better)}" for key in decision.caps]
    return f"The nearest candidate is {name}: {join_names(values)}."


def neighbors(frontier: Frontier, number: int, among: Collection[int]) -> tuple[int | None, int | None]:
    """Return the next safer and the next more accurate efficient point, of the numbers in `among`."""
    losses, efficient = frontier.losses(), frontier.is_efficient()
    own = losses[number - 1, 0]
    order = sorted((i for i in among if efficient[i - 1]), key=lambda i: (*losses[i - 1], i))
    safer = [i for i in order if losses[i - 1, 0] < own]
    riskier = [i for i in order if losses[i - 1, 0] > own]
    return (safer[-1] if safer else None), (riskier[0] if riskier else None)


def _excess(losses: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return each candidate's maximum excess over the caps, in units of the candidates' range on each measure."""
    finite = np.where(np.isfinite(losses), losses, np.nan)
    with np.errstate(invalid="ignore"):
        ranges = np.array([np.ptp(one[~np.isnan(one)]) if (~np.isnan(one)).any() else 0.0 for one in finite.T])
    return (np.maximum(losses - bounds, 0) / np.where(ranges > 0, ranges, 1)).max(axis=1)


def _suggested(frontier: Frontier, safe: Sequence[int]) -> int:
    """Return the knee of the frontier of these candidates, or its middle point."""
    among = [*safe, *np.flatnonzero(~frontier.recommendable).tolist()]
    of_safe = replace(frontier, measured=[frontier.measured[i] for i in among], numbers=())
    order = [among[i] for i in of_safe.efficient_order]
    finite = [i for i in order if math.isfinite(frontier.losses()[i].sum())]
    try:
        knee = of_safe.knee
    except Undefined:
        return (finite or order)[len(finite or order) // 2]
    return next(i for i in order if frontier.measured[i] is knee)


def _all_passed_over(frontier: Frontier, numbers: Sequence[int]) -> str:
    """Explain why none of the candidates within the caps is recommended."""
    best, name = frontier.measured[numbers[0] - 1], frontier.label(numbers[0] - 1)
    if len(numbers) == 1:
        return f"the only candidate within the caps is not recommended: {name}: {join_names(best.against)}"
    return f"none of the {len(numbers):,} candidates within the caps is recommended; {name}: {join_names(best.against)}"


def why_none(frontier: Frontier, decision: Decision) -> str:
    """Explain why nothing is recommended, and name the nearest candidate; empty if one is recommended."""
    if decision.recommended is not None:
        return ""
    return " ".join(filter(None, [f"{decision.reason}.", nearest_words(frontier, decision)]))


def require(frontier: Frontier, decision: Decision) -> int:
    """Return the number that is recommended; raise BadInput with the reason and the nearest candidate if none is."""
    if decision.recommended is None:
        raise BadInput(why_none(frontier, decision).rstrip("."))
    return decision.recommended


def explain_no_value(valued: np.ndarray, keys: Iterable[str]) -> str:
    """Explain that no candidate has a value on all of these measures."""
    who = "no point except the baselines" if valued.any() else "no point"
    return f"{who} has a value on {' and '.join(dict.fromkeys(keys))}"


def limits_of(frontier: Frontier, caps: Mapping[Any, float]) -> dict[str, float]:
    """Return the caps as numbers, by measure key."""
    if not isinstance(caps, Mapping):
        raise BadInput(
            f"caps = {safe_repr(caps)}: use a mapping from measures to numbers, such as caps={{'P_loss': 0.2}}"
        )
    return {frontier.key(measure): limit_of(measure, cap) for measure, cap in caps.items()}


def limit_of(measure: Measure | str, cap: float) -> float:
    """Return a cap as a number; raise BadInput if it is not a number."""
    try:
        number = float(cap)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise BadInput(
            f"the cap on {measure.key if isinstance(measure, Measure) else measure} is {safe_repr(cap)}; use a number"
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


def assess_objections(
    table: Table, recipe: Recipe, release: Callable[[], Release], smallest: int, store: Store | None, key: str
) -> tuple[str, ...]:
    """Return the objections to a recipe's release, from the store if they were assessed before.

    They depend on the study's threshold and on the names of its columns and records, which a point does not.

    Parameters
    ----------
    release
        Returns the release; called only if the objections are not stored.
    smallest
        The study's threshold for numbers of people.
    key
        Key of the point in the store.
    """
    if recipe.baseline:
        return ()
    if store is None:
        return tuple(reasons_not_to_recommend(release(), smallest, recipe.model))
    wording = table.settings.wording
    about = [key, smallest, dict(wording.titles), wording.one, wording.many, SOURCES.digest]
    path = store.folder / f"{store.keyed(canonical(about).encode())}{ENDING}"
    kept = store.unsealed(path) if path.exists() else None
    if kept is not None:
        return tuple(json.loads(kept))
    found = tuple(reasons_not_to_recommend(release(), smallest, recipe.model))
    if store.writable:
        content = json.dumps(found, ensure_ascii=False).encode()
        store.put_file(path, store.sealed(path, content), instead=True)
    return found


def reasons_against(recipe: Recipe, release: Release, smallest: int) -> list[str]:
    """Return why a release is not recommended, whatever the caps."""
    if recipe.baseline:
        return ["it is a baseline, a reference that is never recommended"]
    return reasons_not_to_recommend(release, smallest, recipe.model)


def exceeded_caps(
    release: Release, measures: Sequence[Measure], caps: Mapping[str, float], values: Mapping[str, float]
) -> list[str]:
    """Return sentences about the caps that a release violates; figures that are not in `values` are measured."""
    found = []
    for measure in (one for one in measures if one.key in caps):
        key, cap, sign = measure.key, caps[measure.key], -1 if measure.better == "higher" else 1
        try:
            value = values[key] if key in values else float(measure(release).value)
        except Undefined as why:
            found.append(f"its {key}, which has a cap, is undefined ({why})")
            continue
        if sign * value > sign * cap:
            bound = "below the floor" if sign < 0 else "above the cap"
            found.append(f"its {key} is {figures_next_to(value, cap)}, {bound} of {cap:g}")
    return found
