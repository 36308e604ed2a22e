"""What a search knows of one family: the points at the positions that it has tried, and where to look next.

`Aim` says what is sought: how far beyond the caps a point is, and what it loses. Positions run from the most private
recipe to the least; what is beyond the caps there grows, or falls where the caps are about utility.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.base.figures import figures
from workbench.frontier.families import Family
from workbench.frontier.recipe import Point
from workbench.measures import Measure

NARROW, NEAR = 0.002, 0.003  # of positions that are one, and of a cap that is touched
STEEP, LOOSE = 3.0, 0.9  # how fast losses fall towards a cap at most, and by how much they may jump
FAR = 3.0  # times a cap: the most private recipe is tried next
HIDDEN = 0.05  # of positions: where caps are not touched nearer to each other, nothing lies hidden
INNER = 0.1  # of a bracket: nearer to its ends nothing is tried
AROUND, ABOVE = 0.005, 0.5  # how far from where the caps are touched it is tried once more, and the part beyond


@dataclass(frozen=True)
class Aim:
    """Within the caps (by key), the least of one measure."""

    measures: Mapping[str, Measure]
    caps: Mapping[str, float]
    goal: str

    @property
    def rising(self) -> bool:
        """Whether less private recipes are farther beyond the caps."""
        return any(self.measures[key].side == "privacy" for key in self.caps)

    def beyond(self, point: Point) -> float:
        """At most 1 where the point is within the caps, else more; 0 where there is no release."""
        side = "privacy" if self.rising else "utility"
        found = [self._part(point, key) for key in self.caps if self.measures[key].side == side]
        return max(found, default=0.0)

    def within(self, point: Point) -> bool:
        """Whether it keeps every cap, and has a value."""
        return self.goal in point.values and all(
            key in point.values and self._part(point, key) <= 1 for key in self.caps
        )

    def loss(self, point: Point) -> float:
        """What is lost, 0 at best."""
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
class Track:
    """The points of one family by position, and why it was given up."""

    family: Family
    tried: dict[float, Point] = field(default_factory=dict)
    given_up: str = ""
    settled: bool = False
    again: int = 0  # tries around the place where the caps are touched

    @property
    def undefined(self) -> bool:
        """Whether the first two tries had no release, or no value."""
        return len(self.tried) > 1 and not any(point.values for point in self.tried.values())

    def lacking(self, aim: Aim) -> str:
        """Why what is sought, or capped, has no value at any point; nothing where some point has it."""
        for key in (aim.goal, *aim.caps):
            if all(key not in point.values for point in self.tried.values()):
                reasons = next(iter(self.tried.values())).reasons
                return reasons.get(key, next(iter(reasons.values()), f"{key} has no value"))
        return ""

    def best(self, aim: Aim) -> Point | None:
        """The point within the caps that loses least."""
        return min((p for p in self.tried.values() if aim.within(p)), key=aim.loss, default=None)

    def hoped(self, aim: Aim) -> float:
        """What is lost at least where the caps are touched, as far as the points tell: an optimistic guess."""
        inside, outside = self.best(aim), [p for p in self.tried.values() if aim.beyond(p) > 1 and p.values]
        least = LOOSE * max((aim.loss(p) for p in outside), default=0.0)
        if inside is None:
            return least
        known = aim.loss(inside)
        return min(known, max(least, known * max(aim.beyond(inside), 0.0) ** STEEP))

    def bracket(self, aim: Aim) -> tuple[float, float]:
        """Between which positions the caps are touched: the last one within them, and the first one beyond."""
        beyond = {place: aim.beyond(point) > 1 for place, point in self.tried.items()}
        if aim.rising:
            high = min((place for place, out in beyond.items() if out), default=1.0)
            return max((place for place, out in beyond.items() if not out and place <= high), default=0.0), high
        low = max((place for place, out in beyond.items() if out), default=0.0)
        return low, min((place for place, out in beyond.items() if not out and place >= low), default=1.0)

    def next(self, aim: Aim, guess: float) -> float | None:
        """The next position on the way to where the caps are touched; None where it is found."""
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

    def around(self, aim: Aim) -> float | None:
        """Another position near the one where the caps are touched; None where all are the same recipe."""
        low, high = self.bracket(aim)
        center = low if aim.rising else high
        for _ in range(8):
            self.again += 1
            side = ABOVE if self.again % 3 == 0 else -1.0
            place = center + (side if aim.rising else -side) * AROUND * _spread(self.again)
            if 0 <= place <= 1 and self.new(place):
                return place
        return None

    def gap(self, low: float, high: float) -> float | None:
        """A new position in the middle; None where there is none."""
        place = (low + high) / 2
        return place if high - low > NARROW and not self._one(low, high) and self.new(place) else None

    def said(self, aim: Aim | None) -> str:
        """What came of it, in a sentence."""
        model = self.family.model
        many = f"{len(self.tried)} {'point' if len(self.tried) == 1 else 'points'}"
        values = sorted(self.family.value(place) for place in self.tried)
        span = f", {model.figure} from {figures(values[0])} to {figures(values[-1])}" if len(values) > 1 else ""
        best = None if aim is None else self.best(aim)
        found = "" if aim is None or best is None else f"; within the caps at best {aim.goal} {_value(best, aim.goal)}"
        return f"{self.family}: {many}{span}{found}{'; given up: ' if self.given_up else ''}{self.given_up}."

    def _one_sided(self, aim: Aim) -> float | None:
        """The end of all positions to which the tries so far point, where one is far beyond the caps or two are on one
        side."""
        beyond = [aim.beyond(point) for point in self.tried.values()]
        out = {one > 1 for one in beyond}
        return None if len(out) > 1 or (len(beyond) < 2 and beyond[0] < FAR) else float(out != {aim.rising})

    def _hidden(self, aim: Aim) -> float | None:
        """Where all are within the caps, and the least private one is not the best: between the best and the next one,
        since somewhere there it was beyond them."""
        if not aim.rising or any(aim.beyond(point) > 1 for point in self.tried.values()):
            return None
        best = min(self.tried, key=lambda place: aim.loss(self.tried[place]))
        if aim.loss(self.tried[best]) >= aim.loss(self.tried[max(self.tried)]):
            return None
        above = min(place for place in self.tried if place > best)
        place = (best + above) / 2
        return place if above - best > HIDDEN and self.new(place) else None

    def _end(self, aim: Aim, low: float, high: float) -> float | None:
        """The end of a bracket that was not tried, if it is one."""
        place = low if aim.rising else high
        return place if place not in self.tried and self.new(place) else None

    def _touches(self, aim: Aim, low: float, high: float) -> bool:
        point = self.tried.get(low if aim.rising else high)
        return point is not None and 1 - NEAR <= aim.beyond(point) <= 1

    def _between(self, aim: Aim, low: float, high: float) -> float:
        """By the rule of false position on logarithms, in the middle of a bracket every third time."""
        ends = [self.tried.get(place) for place in (low, high)]
        if len(self.tried) % 3 and all(ends):
            first, last = (math.log(max(aim.beyond(point), 1e-9)) for point in ends if point is not None)
            if math.isfinite(first) and math.isfinite(last) and first != last:
                part = min(max(first / (first - last), INNER), 1 - INNER)
                return low + part * (high - low)
        return (low + high) / 2

    def _one(self, low: float, high: float) -> bool:
        """Whether there is no value between those of two positions."""
        first, last = self.family.value(low), self.family.value(high)
        return first == last or (isinstance(first, int) and isinstance(last, int) and abs(first - last) <= 1)

    def new(self, place: float) -> bool:
        """Whether the recipe there was not tried."""
        value = self.family.value(place)
        return all(self.family.value(one) != value for one in self.tried)


def _spread(number: int) -> float:
    """Numbers between 0 and 1, each far from those before it (van der Corput)."""
    found, part = 0.0, 0.5
    while number:
        found, number, part = found + part * (number % 2), number // 2, part / 2
    return found


def _value(point: Point, key: str) -> str:
    return figures(point.values[key], "lower")
