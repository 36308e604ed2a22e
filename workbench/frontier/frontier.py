"""The efficient frontier: the points that no other dominates, the best under caps, and what dominates the others.

The baselines are references at the ends of the chart: never efficient, never recommended, and they dominate nothing. A
point that is undefined on a compared measure is excluded, with its reason; infinity is a regular value.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import format_number
from workbench.base.jsonable import jsonable
from workbench.frontier.decision import explain_no_value, limits_of, unreachable
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Measure
from workbench.methods.keep import Keep
from workbench.methods.remove import Remove

if TYPE_CHECKING:
    import altair


FIXED = ("recipe", "line", "method", "model", "seed", "left out", "baseline", "efficient", "reason")
SIDES = ("privacy", "utility")
BLOCK = 256  # rows compared with all others at once
COLUMN = "share of removal"  # the head of a column of such shares; in JSON share_of_removal
MEANING = "the utility loss as a share of the loss of publishing no quasi-identifiers (remove)"


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """Points on two of their measures, one of privacy and one of utility; by default the first of each side.

    Parameters
    ----------
    measured
        The points in the order of the sweep; row i of `points` is `measured[i]`.
    measures
        The measures that the points were measured with.
    complete
        False if the sweep was cancelled.
    privacy, utility
        The measures on the axes, or their keys.
    notes
        A search's attempts, and why it stopped.
    numbers
        The numbers of the points in their study if they differ from the order; None for a point that is not in the
        study.

    Examples
    --------
    >>> from workbench import Frontier, Point, Recipe, measures, methods, models
    >>> def point(k, privacy, utility):
    ...     return Point(Recipe(methods.Mondrian(), models.KAnonymity(k)), {"P_loss": privacy, "U_loss": utility})
    >>> points = [point(2, 0.3, 0.1), point(5, 0.2, 0.2), point(9, 0.2, 0.4)]
    >>> found = Frontier(points, [measures.PrivacyLoss(), measures.UtilityLoss()])
    >>> found.is_efficient().tolist()
    [True, True, False]
    >>> str(found.best({"P_loss": 0.25}).recipe)
    'k-anonymity, k = 5 (mondrian)'
    """

    measured: Sequence[Point]
    measures: Sequence[Measure]
    complete: bool = True
    privacy: Measure | str | None = None
    utility: Measure | str | None = None
    notes: tuple[str, ...] = ()
    numbers: Sequence[int | None] = ()
    _by_key: Mapping[str, Measure] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "measured", tuple(self.measured))
        object.__setattr__(self, "measures", tuple(self.measures))
        object.__setattr__(self, "_by_key", {measure.key: measure for measure in self.measures})
        for side in SIDES:
            fitting, chosen = [one.key for one in self.measures if one.side == side], getattr(self, side)
            key = next(iter(fitting), None) if chosen is None else self.key(chosen)
            if key is not None and key not in fitting:
                known = ", ".join(fitting) or "none"
                raise BadInput(f"{key} is not a measure of {side}; the measures of {side} are: {known}")
            object.__setattr__(self, side, key)

    def on(self, privacy: Measure | str | None = None, utility: Measure | str | None = None) -> Frontier:
        """Return the same points on other axes."""
        return replace(self, privacy=privacy or self.privacy, utility=utility or self.utility)

    def key(self, measure: Measure | str) -> str:
        """Return the key of a measure that the points were measured with."""
        key = measure.key if isinstance(measure, Measure) else measure
        key = key if isinstance(key, str) else safe_repr(key)
        if key not in self._by_key:
            raise BadInput(f"the points were not measured with {key!r}; choose from {', '.join(self._by_key)}")
        return key

    def measure(self, key: Measure | str) -> Measure:
        """Return the measure with that key."""
        return self._by_key[self.key(key)]

    @property
    def axes(self) -> tuple[str, str]:
        """The keys of the measures of privacy and of utility."""
        for side in SIDES:
            if getattr(self, side) is None:
                raise BadInput(
                    f"no measure of {side} was evaluated, so there is no frontier; run the sweep again with one"
                )
        return str(self.privacy), str(self.utility)

    def losses(self, over: Iterable[Measure | str] | None = None) -> np.ndarray:
        """Return an array of points x measures in which lower is better; NaN if undefined."""
        columns = list(self._by_key)
        return self._every_loss[:, [columns.index(key) for key in compared_keys(self, over)]]

    @cached_property
    def _every_loss(self) -> np.ndarray:
        keys = list(self._by_key)
        return np.array([_losses_of(self, point, keys) for point in self.measured]).reshape(-1, len(keys))

    def sign(self, key: str) -> int:
        """Return the factor (1 or -1) that turns a value of the measure into a loss."""
        return -1 if self._by_key[key].better == "higher" else 1

    @cached_property
    def recommendable(self) -> np.ndarray:
        """A mask of the points that are not baselines."""
        return np.array([not point.recipe.baseline for point in self.measured], dtype=bool)

    def is_efficient(self, over: Iterable[Measure | str] | None = None) -> np.ndarray:
        """Return which points no other dominates on these measures (two or more; by default the axes)."""
        losses = self.losses(over)
        compared = np.flatnonzero(self.recommendable & ~np.isnan(losses).any(axis=1))
        efficient = np.zeros(len(losses), bool)
        efficient[compared] = undominated(losses[compared])
        return efficient

    @cached_property
    def points(self) -> pd.DataFrame:
        """One row per point: recipe, parameters, measured values, and whether it is efficient."""
        settings = [_settings(point.recipe, {*FIXED, *self._by_key}) for point in self.measured]
        efficient = self.is_efficient() if self.privacy and self.utility else np.zeros(len(settings), bool)
        recipes = [point.recipe for point in self.measured]
        columns: dict[str, Any] = {
            "recipe": [str(recipe) for recipe in recipes],
            "line": [recipe.line for recipe in recipes],
            "method": [recipe.method.name for recipe in recipes],
            "model": [recipe.model.name if recipe.model else None for recipe in recipes],
        }
        for name in dict.fromkeys(name for found in settings for name, value in found.items() if value is not None):
            columns[name] = _column([found.get(name) for found in settings])
        columns["seed"] = [recipe.seed for recipe in recipes]
        for key in self._by_key:
            columns[key] = np.array([point.values.get(key, math.nan) for point in self.measured], dtype=float)
            for end, name in enumerate(("low", "high")):
                if any(key in point.intervals for point in self.measured):
                    ends = [point.intervals.get(key, (point.values.get(key, math.nan),) * 2) for point in self.measured]
                    columns[f"{key} {name}"] = np.array(ends, dtype=float)[:, end]
        if any(point.left_out for point in self.measured):
            columns["left out"] = [point.left_out for point in self.measured]
        columns["baseline"] = ~self.recommendable
        columns["efficient"] = efficient
        columns["reason"] = [_reason(point, list(self._by_key)) for point in self.measured]
        return FigureFrame(columns)

    @cached_property
    def efficient(self) -> pd.DataFrame:
        """The rows of the efficient points, the most private first."""
        return self.points.loc[self.efficient_order]

    @cached_property
    def efficient_order(self) -> np.ndarray:
        """The efficient points by privacy, then by utility."""
        losses, efficient = self.losses(), np.flatnonzero(self.is_efficient())
        return efficient[np.lexsort(losses[efficient].T[::-1])]

    @cached_property
    def undefined(self) -> pd.DataFrame:
        """Recipes without a value on an axis, with the reason."""
        left_out = np.flatnonzero(np.isnan(self.losses()).any(axis=1))
        reasons = [_reason(self.measured[int(i)], self.axes) for i in left_out]
        return self.points.loc[left_out, ["recipe", "line", "seed"]].assign(reason=reasons)

    def best(
        self,
        caps: Mapping[Any, float] | None = None,  # by measure or its key
        minimise: Measure | str | None = None,
    ) -> Point:
        """Return the point with the best `minimise` (by default the measure of utility) among those that satisfy every
        cap.

        If higher values of a measure are better, its cap is a lower limit, and the highest value is the best. Ties are
        broken by the measure of the other side.
        """
        limits = limits_of(self, {} if caps is None else caps)
        goal = self.key(minimise) if minimise is not None else self.axes[1]
        losses = self.losses([*limits, goal])
        valued = ~np.isnan(losses).any(axis=1)
        compared = np.flatnonzero(self.recommendable & valued)
        if not len(compared):
            raise BadInput(explain_no_value(valued, [*limits, goal]))
        within = losses[compared, :-1] <= [self.sign(key) * limit for key, limit in limits.items()]
        allowed = compared[within.all(axis=1)]
        if not len(allowed):
            raise BadInput(unreachable(self, limits, within, losses[compared, :-1]))
        other = self.privacy if self.measure(goal).side == "utility" else self.utility
        ties = self.losses([other])[allowed, 0] if other else np.zeros(len(allowed))
        return self.measured[int(allowed[np.lexsort((ties, losses[allowed, -1]))[0]])]

    def number(self, place: int) -> int | None:
        """Return the number of a point in its study, from 1; None if the point is not in the study."""
        return self.numbers[place] if self.numbers else place + 1

    def label(self, place: int) -> str:
        """Describe a point by its number and recipe."""
        number, recipe = self.number(place), self.measured[place].recipe
        return f"{recipe} (not in the study)" if number is None else f"number {number}, {recipe}"

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The losses on the axes of the two extreme baselines, which keep everything and remove all
        quasi-identifiers.
        """
        found: dict[str, np.ndarray] = {}
        for point, losses in zip(self.measured, self.losses(), strict=True):
            end = _end(point.recipe)
            if end and not np.isnan(losses).any():
                found.setdefault(end, losses)
        for end in ("keep", "remove"):
            if end not in found:
                raise Undefined(f"the baseline {end!r} was not measured on {' and '.join(self.axes)}")
        return found["keep"], found["remove"]

    @cached_property
    def knee(self) -> Point:
        """The efficient point farthest below the chord between the baselines, each axis in units of their distance.

        Undefined without both baselines, or if no point is below the chord.
        """
        order = self.efficient_order
        losses = self.losses()[order]
        finite = np.isfinite(losses).all(axis=1)  # a point at infinity has no position on the chart
        order, losses = order[finite], losses[finite]
        keep, remove = self._ends
        spans = np.array([keep[0] - remove[0], remove[1] - keep[1]])
        for key, span in zip(self.axes, spans, strict=True):
            if not (0 < span < math.inf):
                raise Undefined(f"on {key} the baselines {'are infinitely far apart' if span > 0 else 'do not differ'}")
        depths = 1 - (losses[:, 0] - remove[0]) / spans[0] - (losses[:, 1] - keep[1]) / spans[1]
        if not len(depths) or depths.max() <= 0:
            raise Undefined("no point lies below the chord between the baselines")
        return self.measured[int(order[depths.argmax()])]

    @cached_property
    def area(self) -> float:
        """The area under the staircase of efficient points, in the box from the best values to the baselines.

        The box ends at the privacy loss of keeping everything and at the utility loss of removing all
        quasi-identifiers. If higher values of a measure are better, the loss is the distance from its best. A smaller
        area is better.
        """
        best = np.array([self.sign(key) * self._by_key[key].best for key in self.axes])
        keep, remove = self._ends
        box = np.array([keep[0], remove[1]]) - best
        for key, side in zip(self.axes, box, strict=True):
            if not math.isfinite(side):
                raise Undefined(f"the frontier has no area, since a baseline is infinitely far away on {key}")
        steps = np.clip(self.losses()[self.efficient_order] - best, 0, np.maximum(box, 0))
        edges = np.concatenate([[0], steps[:, 0], [max(box[0], 0)]])
        heights = np.concatenate([[max(box[1], 0)], steps[:, 1]])
        return float(np.diff(edges) @ heights)

    def dominators(self, point: Point, over: Iterable[Measure | str] | None = None) -> list[Point]:
        """Return the points that dominate this one, the most private first; raise Undefined if it lacks a value."""
        keys = compared_keys(self, over)
        if not isinstance(point, Point):
            raise BadInput(f"{safe_repr(point)} is not a point; use one of frontier.measured, or of best(...)")
        own = np.array(_losses_of(self, point, keys))
        if np.isnan(own).any():
            raise Undefined(_reason(point, keys))
        losses = self.losses(keys)
        beats = self.recommendable & (losses <= own).all(axis=1) & (losses < own).any(axis=1)
        found = np.flatnonzero(beats)
        return [self.measured[int(i)] for i in found[np.lexsort(losses[found].T[::-1])]]

    def explain(self, point: Point, over: Iterable[Measure | str] | None = None) -> str:
        """Explain in one sentence which point dominates this one and by how much, or why none does."""
        keys = compared_keys(self, over)
        if isinstance(point, Point) and point.recipe.baseline:
            return "A baseline: a reference at the end of the chart, never recommended."
        try:
            better = self.dominators(point, keys)
        except Undefined as reason:
            return f"Left out of the frontier. {reason}."
        if not better:
            return f"Efficient: no other point is at least as good on {' and '.join(keys)} and better on one of them."
        chosen = clearest(self, point, better, keys)
        more = {1: "", 2: "; so does one more"}.get(len(better), f"; so do {len(better) - 1} more")
        gains = [describe_gain(key, chosen.values[key], point.values[key]) for key in keys]
        return f"Dominated by {chosen.recipe}: {', '.join(gains)}{more}."

    def chart(self, width: int = 640, height: int = 400) -> altair.LayerChart:
        """Draw the frontier: privacy loss to the right, utility loss upwards."""
        from workbench.charts import frontier_chart  # altair takes a second to load

        return frontier_chart(self, width, height)

    def __repr__(self) -> str:
        counts = f"{len(self.measured)} points, {int((~self.recommendable).sum())} of them baselines"
        if not (self.privacy and self.utility):
            return f"<Frontier: {counts}>"
        left_out = f", {len(self.undefined)} undefined" if len(self.undefined) else ""
        state = "" if self.complete else ", not complete"
        return f"<Frontier on {' and '.join(self.axes)}: {counts}, {len(self.efficient)} efficient{left_out}{state}>"


def compared_keys(frontier: Frontier, over: Iterable[Measure | str] | None) -> list[str]:
    """Return the keys of these measures, by default those on the axes."""
    return list(frontier.axes) if over is None else [frontier.key(measure) for measure in over]


def _losses_of(frontier: Frontier, point: Point, keys: Sequence[str]) -> list[float]:
    return [frontier.sign(key) * point.values.get(key, math.nan) for key in keys]


def _settings(recipe: Recipe, taken: Collection[str]) -> dict[str, Any]:
    """Return the parameters of model and method; names that are taken or repeated are preceded by their owner's."""
    found: dict[str, Any] = {}
    for variant in (*(recipe.model.parts if recipe.model else ()), recipe.method):
        for name, value in variant.explicit_settings().items():
            found[f"{variant.name}: {name}" if name in found or name in taken else name] = value
    return found


def _reason(point: Point, keys: Iterable[str]) -> str:
    """Return the reasons why the point has no value on some of these measures."""
    reasons: dict[str, list[str]] = {}
    for key in keys:
        if math.isnan(point.values.get(key, math.nan)):
            reasons.setdefault(point.reasons.get(key, "it was not measured"), []).append(key)
    return "; ".join(f"{', '.join(found)}: {reason}" for reason, found in reasons.items())


def slopes(frontier: Frontier) -> pd.DataFrame:
    """The utility lost per unit of privacy gained between neighbors on the frontier, the least private first."""
    order = frontier.efficient_order[::-1]
    losses = frontier.losses()[order]
    apart = np.append(True, (losses[1:] != losses[:-1]).any(axis=1))[: len(order)]
    order, losses = order[apart], losses[apart]
    gained, lost = losses[:-1, 0] - losses[1:, 0], losses[1:, 1] - losses[:-1, 1]
    with np.errstate(invalid="ignore", over="ignore"):  # infinity for infinity has no slope
        slope = lost / gained
    names = frontier.points["recipe"].to_numpy()[order]
    return FigureFrame(
        {"from": names[:-1], "to": names[1:], "privacy gained": gained, "utility lost": lost, "slope": slope}
    )


def frontier_records(frontier: Frontier) -> list[dict[str, Any]]:
    """Return plain data for JSON (infinity as "inf"), without the store's keys, which are digests of raw data."""
    efficient = frontier.points["efficient"].tolist()
    return [
        {
            "number": frontier.number(i),
            "recipe": str(point.recipe),
            "line": point.recipe.line,
            "settings": point.recipe.to_dict(),
            "values": jsonable({k: v for k, v in point.values.items() if not math.isnan(v)}),
            "reasons": dict(point.reasons),
            "sentences": dict(point.sentences),
            **({"intervals": {k: list(ends) for k, ends in point.intervals.items()}} if point.intervals else {}),
            **({"left_out": point.left_out} if point.left_out else {}),
            **({"fits": {k: [fit._asdict() for fit in v] for k, v in point.fits.items()}} if point.fits else {}),
            "against": list(point.against),
            **({"small_classes": text} if (text := point.recipe.small_classes) else {}),
            "baseline": point.recipe.baseline,
            "efficient": efficient[i],
        }
        for i, point in enumerate(frontier.measured)
    ]


def _column(values: list[Any]) -> Any:
    """Return integers with missing values as a nullable integer array, so that they are not converted to floats."""
    whole = all(value is None or type(value) is int for value in values)
    return pd.array(values, dtype="Int64") if whole else values


def _end(recipe: Recipe) -> str | None:
    """Return which of the two extreme baselines a recipe is, if it is one."""
    if isinstance(recipe.method, Keep):
        return "keep"
    return "remove" if isinstance(recipe.method, Remove) and recipe.method.columns is None else None


def relative_costs(frontier: Frontier) -> list[float | None]:
    """Return each point's utility loss as a share of that of publishing no quasi-identifiers.

    None for a point without a figure, and for all points if that baseline has no figure or a loss of 0.
    """
    measure = frontier.measure(frontier.axes[1])
    best = frontier.sign(measure.key) * measure.best
    losses = frontier.losses([measure.key])[:, 0] - best
    removed = (loss for point, loss in zip(frontier.measured, losses, strict=True) if _end(point.recipe) == "remove")
    baseline = next(removed, math.nan)
    if not 0 < baseline < math.inf:
        return [None] * len(losses)
    return [float(loss / baseline) if math.isfinite(loss) else None for loss in losses]


def undominated(losses: np.ndarray) -> np.ndarray:
    """Return which rows no other dominates: at least as low in every column, and lower in one.

    Equal rows do not dominate each other.
    """
    if losses.shape[1] == 2 and len(losses) and not np.isnan(losses).any():  # for two columns, sorting is enough
        _, group = np.unique(losses[:, 0], return_inverse=True)
        lowest = np.full(group.max() + 1, np.inf)
        np.minimum.at(lowest, group, losses[:, 1])
        before = np.append(np.inf, np.minimum.accumulate(lowest)[:-1])
        return ~(((group > 0) & (before[group] <= losses[:, 1])) | (lowest[group] < losses[:, 1]))
    dominated = np.zeros(len(losses), bool)
    for start in range(0, len(losses), BLOCK):
        here = losses[start : start + BLOCK, None, :]
        beats = np.logical_and((losses <= here).all(axis=2), (losses < here).any(axis=2))
        dominated[start : start + BLOCK] = beats.any(axis=1)
    return ~dominated


def clearest(frontier: Frontier, point: Point, better: Sequence[Point], keys: Sequence[str]) -> Point:
    """Return the efficient one of these dominators with the largest advantage, in units of each measure's range."""
    losses = np.array([_losses_of(frontier, other, keys) for other in better])
    own = np.array(_losses_of(frontier, point, keys))
    return better[clearest_dominator(own, losses, frontier.losses(keys)[frontier.recommendable])]


def clearest_dominator(own: np.ndarray, dominators: np.ndarray, all_losses: np.ndarray) -> int:
    """Return the row of the efficient dominator with the largest advantage, in units of each column's range."""
    efficient = np.flatnonzero(undominated(dominators))
    finite = all_losses[np.isfinite(all_losses).all(axis=1)]
    ranges = np.ptp(finite, axis=0) if len(finite) else np.ones(len(own))
    with np.errstate(invalid="ignore", over="ignore"):
        advantage = np.nan_to_num((own - dominators[efficient]) / np.where(ranges > 0, ranges, 1), posinf=1e9)
    return int(efficient[advantage.sum(axis=1).argmax()])


def describe_gain(key: str, value: float, own: float, better: str = "") -> str:
    """Describe the difference between another point's value and this point's."""
    if value == own:
        return f"{key} the same ({format_number(own)})"
    word = "higher" if value > own else "lower"
    by = f" by {format_number(abs(value - own))}" if math.isfinite(value - own) else ""
    return f"{key} {word}{by} ({format_number(value, better)} instead of {format_number(own, better)})"


class FigureFrame(pd.DataFrame):
    """A frame that shows its numbers with three significant digits; its values are exact."""

    @property
    def _constructor(self) -> type[FigureFrame]:
        return FigureFrame

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.float_format", format_number):
            html: str | None = super()._repr_html_()  # type: ignore[misc]
        return html

    def __repr__(self) -> str:
        with pd.option_context("display.float_format", format_number):
            return super().__repr__()
