"""Families of recipes: a method and a model with one free parameter, which sets how private the release is.

`FamilySearch` searches within one family; `Objective` measures how far a point is beyond the caps, and its loss.
Positions run from the most private recipe to the least private one; the excess over the caps grows along them, or falls
if the caps are on utility.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import format_number, join_names
from workbench.data.table import Table
from workbench.frontier.recipe import Point, Recipe, parse_recipe
from workbench.measures import Measure
from workbench.methods import Method
from workbench.methods.mondrian.mondrian import Mondrian
from workbench.methods.raking.raked_buckets import RakedBuckets
from workbench.models import Model
from workbench.models.beta_likeness import BetaLikeness
from workbench.models.k_anonymity import KAnonymity
from workbench.models.probabilistic_l_diversity import ProbabilisticLDiversity
from workbench.models.t_closeness import TCloseness

OPEN = 10  # times the default, for a parameter without an upper bound
SMALLEST = 1 / 500  # of the largest value, if the minimum is 0
FACTORS = 20  # the ratio of the ends above which positions are logarithmic
DIGITS = 6  # of parameters in recipes
SMALL, LARGEST = 10, 10_000  # records: range of the tried minimum sizes of buckets, which double
NEARBY = 2**0.5  # factor between neighboring sizes that are tried around the best one
NARROW, NEAR = 0.002, 0.003  # positions this close are one; a cap within this share of it is touched
STEEP, LOOSE = 3.0, 0.9  # the steepest assumed fall of losses toward a cap, and how far they may jump
OBJECTED = 1.5  # times a cap: assumed figure of a point with objections, since less private points have them too
FAR = 3.0  # times a cap: beyond it, the most private recipe is tried next
HIDDEN = 0.05  # between positions closer than this, no excess over the caps is suspected
INNER = 0.1  # share of a bracket at each end that is not tried
AROUND, ABOVE = 0.005, 0.5  # range of refinement around the touched cap, and the share of it beyond the cap


@dataclass(frozen=True)
class Family:
    """Recipes that differ in the parameter that the model's figure is named after (k, l, t, ...).

    A position from 0 (most private) to 1 selects the recipe. `also_requires` is a second model that the release must
    satisfy.
    """

    method: Method
    model: Model
    table: Table
    also_requires: Model | None = None
    seed: int = 0

    def __str__(self) -> str:
        more = "" if self.also_requires is None else f" & {self.also_requires}"
        return f"{self.model.line}{more} ({self.method})"

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The parameter of the most private recipe, and of the least private one."""
        declared, default = self.model.number(self.model.figure), getattr(self.model, self.model.figure)
        low, high = declared.bounds(self.table)
        top = OPEN * default if high is None else high
        bottom = low if low else top * SMALLEST
        return (top, bottom) if self.model.at_least else (bottom, top)

    def value(self, position: float) -> float:
        """Return the parameter at a position, with as many digits as recipes are written with."""
        first, last = self.ends
        if max(first, last) > FACTORS * min(first, last):
            found = math.exp(math.log(first) + position * math.log(last / first))
        else:
            found = first + position * (last - first)
        whole = self.model.number_type(self.model.figure) is int
        return round(found) if whole else float(f"{found:.{DIGITS}g}")

    def variants(self) -> Iterator[Family]:
        """Yield the family with other minimum sizes of buckets, if its method has this setting."""
        if not isinstance(self.method, RakedBuckets):
            return
        now, largest = self.method.smallest, min(self.table.records // 4, LARGEST)
        sizes = _doubled(SMALL, largest) if now is None else [round(now / NEARBY), round(now * NEARBY)]
        for size in sizes:
            if 1 <= size <= largest:
                yield replace(self, method=replace(self.method, smallest=size))

    def recipe(self, position: float) -> Recipe:
        """Return the recipe at a position."""
        model = type(self.model)(**{**self.model.settings(), self.model.figure: self.value(position)})
        return Recipe(self.method, model if self.also_requires is None else model & self.also_requires, self.seed)


def default_families(table: Table, seed: int = 0) -> list[Family]:
    """Return the families that a search tries by default, the most promising first."""
    wide, gains = Mondrian(), [Mondrian("information_gain", name, "binary") for name in table.sensitive]
    bucketized, *gain_buckets = (replace(one, publish="bucketized") for one in (wide, *gains))
    close, mixed = TCloseness(distance="js"), ProbabilisticLDiversity()
    tried: list[tuple[Method, Model]] = [
        *((method, close) for method in (RakedBuckets(), RakedBuckets(publish="dealt"))),
        *((method, close) for method in (*gain_buckets, bucketized, *gains, wide)),
        *((bucketized, model) for model in (mixed, BetaLikeness(), KAnonymity())),
        *((wide, model) for model in (KAnonymity(), mixed)),
    ]
    return [Family(method, model, table, seed=seed) for method, model in tried]


def families_from_recipes(table: Table, given: Iterable[str | Recipe], seed: int = 0) -> Iterator[Family]:
    """Yield a family for each recipe, whose parameter becomes free; recipes may be written in the notation of
    `str(recipe)`.
    """
    for one in [given] if isinstance(given, (str, Recipe)) else given:
        model, method = parse_recipe(one) if isinstance(one, str) else _parts(one)
        if model is None or method is None or len(model.parts) != 1:
            joined = ", but several joined ones" if model is not None and len(model.parts) > 1 else ""
            raise BadInput(
                f"families: {safe_repr(one)} is not a method and a single model{joined}; write 'k-anonymity (mondrian)'"
            )
        if model.figure not in model.parameters():
            raise BadInput(f"families: {model.name} has no parameter that sets how private a release is")
        yield Family(method, model, table, seed=seed)


def _doubled(first: int, last: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= 2


def _parts(recipe: object) -> tuple[Model | None, Method | None]:
    return (recipe.model, recipe.method) if isinstance(recipe, Recipe) else (None, None)


@dataclass(frozen=True)
class Objective:
    """The objective: minimize one measure within the caps (by measure key)."""

    measures: Mapping[str, Measure]
    caps: Mapping[str, float]
    goal: str

    @property
    def rising(self) -> bool:
        """True if less private recipes exceed the caps by more."""
        return any(self.measures[key].side == "privacy" for key in self.caps)

    def beyond(self, point: Point) -> float:
        """Return at most 1 if the point satisfies the caps and has no objections, otherwise a larger number; a missing
        release counts as very private.

        Under caps on utility, objections do not count here: they are on the other side of the permitted range.
        """
        if not point.values:
            return 0.0 if self.rising else math.inf
        side = "privacy" if self.rising else "utility"
        found = [self._part(point, key) for key in self.caps if self.measures[key].side == side]
        return max([*found, OBJECTED if self.rising and point.against else 0.0])

    def satisfied(self, point: Point) -> bool:
        """Return whether the point satisfies every cap and has a value."""
        return self.goal in point.values and all(
            key in point.values and self._part(point, key) <= 1 for key in self.caps
        )

    def within(self, point: Point) -> bool:
        """Return whether the point may be recommended: it satisfies every cap and has no objections."""
        return not point.against and self.satisfied(point)

    def loss(self, point: Point) -> float:
        """Return the loss, 0 at best."""
        measure = self.measures[self.goal]
        lost = point.values.get(self.goal, math.inf) - measure.best
        return abs(lost) if math.isfinite(lost) else math.inf

    def _part(self, point: Point, key: str) -> float:
        value, limit = point.values.get(key, 0.0), self.caps[key]
        part, whole = (limit, value) if self.measures[key].better == "higher" else (value, limit)
        if part <= whole:
            return part / whole if whole > 0 and part > 0 else 0.0
        return part / whole if whole > 0 else math.inf


@dataclass
class FamilySearch:
    """The evaluated points of one family by position, the next position to try, and why the family was abandoned."""

    family: Family
    tried: dict[float, Point] = field(default_factory=dict)
    abandoned_because: str = ""
    settled: bool = False
    varied: bool = False  # other settings of its method were tried
    again: int = 0  # evaluations around the touched cap

    @property
    def undefined(self) -> bool:
        """True if the first two evaluations had no release or no value."""
        return len(self.tried) > 1 and not any(point.values for point in self.tried.values())

    def lacking(self, aim: Objective) -> str:
        """Explain why no point is within the caps: the goal or a cap has no value, or there are objections."""
        for key in (aim.goal, *aim.caps):
            if all(key not in point.values for point in self.tried.values()):
                reasons = next(iter(self.tried.values())).reasons
                return reasons.get(key, next(iter(reasons.values()), f"{key} has no value"))
        objected = min((p for p in self.tried.values() if aim.satisfied(p)), key=aim.loss, default=None)
        if objected is None:
            return "none of its recipes is within the caps"
        return f"those of its recipes that are within the caps are not recommended: {join_names(objected.against)}"

    def best(self, aim: Objective) -> Point | None:
        """Return the point with the lowest loss within the caps."""
        return min((p for p in self.tried.values() if aim.within(p)), key=aim.loss, default=None)

    def hoped(self, aim: Objective) -> float:
        """Return an optimistic estimate of the loss where the caps are touched."""
        inside, outside = self.best(aim), [p for p in self.tried.values() if aim.beyond(p) > 1 and p.values]
        least = LOOSE * max((aim.loss(p) for p in outside), default=0.0)
        if inside is None:
            return least
        known = aim.loss(inside)
        return min(known, max(least, known * max(aim.beyond(inside), 0.0) ** STEEP))

    def bracket(self, aim: Objective) -> tuple[float, float]:
        """Return the positions between which the caps are touched: the last one within them, and the first one
        beyond.
        """
        beyond = {place: aim.beyond(point) > 1 for place, point in self.tried.items()}
        if aim.rising:
            high = min((place for place, out in beyond.items() if out), default=1.0)
            return max((place for place, out in beyond.items() if not out and place <= high), default=0.0), high
        low = max((place for place, out in beyond.items() if out), default=0.0)
        return low, min((place for place, out in beyond.items() if not out and place >= low), default=1.0)

    def next(self, aim: Objective, guess: float) -> float | None:
        """Return the next position towards the place where the caps are touched; None if it is found."""
        if not self.tried:
            return guess
        if (end := self._one_sided(aim)) is not None and self.new(end):
            return end
        if (hidden := self._hidden(aim)) is not None:
            return hidden
        low, high = self.bracket(aim)
        if high - low <= NARROW or self._one(low, high) or self._touches(aim, low, high):
            return self._end(aim, low, high)
        place = self._between(aim, low, high)
        return place if self.new(place) else self._end(aim, low, high)

    def around(self, aim: Objective) -> float | None:
        """Return another position near the place where the caps are touched; None if all are the same recipe."""
        low, high = self.bracket(aim)
        center = low if aim.rising else high
        for _ in range(8):
            self.again += 1
            side = ABOVE if self.again % 3 == 0 else -1.0
            place = center + (side if aim.rising else -side) * AROUND * _spread(self.again)
            if 0 <= place <= 1 and self.new(place):
                return place
        return None

    def rough(self, aim: Objective, number: int) -> float:
        """Return one of several rough steps from the best position, or from the most private one, to less private ones.

        Under caps on utility the steps lead to more private ones, from the least private one.
        """
        best = self.best(aim)
        start = next((place for place, point in self.tried.items() if point is best), 0.0 if aim.rising else 1.0)
        return start + _spread(number) * ((1.0 if aim.rising else 0.0) - start)

    def gap(self, low: float, high: float) -> float | None:
        """Return a new position in the middle; None if there is none."""
        place = (low + high) / 2
        return place if high - low > NARROW and not self._one(low, high) and self.new(place) else None

    def summarize(self, aim: Objective | None) -> str:
        """Summarize the family's results in a sentence."""
        model = self.family.model
        many = f"{len(self.tried)} {'point' if len(self.tried) == 1 else 'points'}"
        values = sorted(self.family.value(place) for place in self.tried)
        span = (
            f", {model.figure} from {format_number(values[0])} to {format_number(values[-1])}"
            if len(values) > 1
            else ""
        )
        best = None if aim is None else self.best(aim)
        found = (
            ""
            if aim is None or best is None
            else f"; within the caps at best {aim.goal} {format_number(best.values[aim.goal])}"
        )
        abandoned = f"; abandoned: {self.abandoned_because}" if self.abandoned_because else ""
        return f"{self.family}: {many}{span}{found}{abandoned}."

    def _one_sided(self, aim: Objective) -> float | None:
        """Return the end of the range towards which the tries point, if one is far beyond the caps or two are on one
        side.
        """
        beyond = [aim.beyond(point) for point in self.tried.values()]
        out = {one > 1 for one in beyond}
        return None if len(out) > 1 or (len(beyond) < 2 and beyond[0] < FAR) else float(out != {aim.rising})

    def _hidden(self, aim: Objective) -> float | None:
        """Return a position between the best and the next one, if all tries are within the caps but the least private
        one is not the best: somewhere there the caps were exceeded.
        """
        if not aim.rising or any(aim.beyond(point) > 1 for point in self.tried.values()):
            return None
        best = min(self.tried, key=lambda place: aim.loss(self.tried[place]))
        if aim.loss(self.tried[best]) >= aim.loss(self.tried[max(self.tried)]):
            return None
        above = min(place for place in self.tried if place > best)
        place = (best + above) / 2
        return place if above - best > HIDDEN and self.new(place) else None

    def _end(self, aim: Objective, low: float, high: float) -> float | None:
        """Return the end of a bracket if it was not tried."""
        place = low if aim.rising else high
        return place if place not in self.tried and self.new(place) else None

    def _touches(self, aim: Objective, low: float, high: float) -> bool:
        point = self.tried.get(low if aim.rising else high)
        return point is not None and 1 - NEAR <= aim.beyond(point) <= 1

    def _between(self, aim: Objective, low: float, high: float) -> float:
        """Interpolate by the rule of false position on logarithms; every third time, bisect."""
        ends = [self.tried.get(place) for place in (low, high)]
        if len(self.tried) % 3 and all(ends):
            first, last = (math.log(max(aim.beyond(point), 1e-9)) for point in ends if point is not None)
            if math.isfinite(first) and math.isfinite(last) and first != last:
                part = min(max(first / (first - last), INNER), 1 - INNER)
                return low + part * (high - low)
        return (low + high) / 2

    def _one(self, low: float, high: float) -> bool:
        """Return whether the values at two positions are equal or adjacent."""
        first, last = self.family.value(low), self.family.value(high)
        return first == last or (isinstance(first, int) and isinstance(last, int) and abs(first - last) <= 1)

    def new(self, place: float) -> bool:
        """Return whether the recipe at this position was not tried."""
        value = self.family.value(place)
        return all(self.family.value(one) != value for one in self.tried)


def _spread(number: int) -> float:
    """Return a number between 0 and 1 that is far from its predecessors (van der Corput sequence)."""
    found, part = 0.0, 0.5
    while number:
        found, number, part = found + part * (number % 2), number // 2, part / 2
    return found
