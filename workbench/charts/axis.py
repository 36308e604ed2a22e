"""The axis of one measure: its finite values, and edges for infinite values and distant references."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from workbench.charts.look import axis_title
from workbench.measures import Measure

MANY = "replace(format(datum.value, '~s'), 'G', 'B')"  # billions, not giga
SNUG = 0.6  # an axis is not changed while the values fill this share of it
FAR = 1.2  # share of the candidates' range beyond which a reference is drawn at the edge, so as not to compress them
EDGE = 0.08  # distance of an edge from the end of the range, as a share of it


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`, the range of the candidates' finite values.

    `infinite`, `above` and `below` are its edges: for infinity, and for values outside the range. Zero is below a
    logarithmic axis.
    """

    measure: Measure
    low: float
    high: float
    infinite: bool
    guessed: bool = False  # fewer than two distinct values yet, so the length is provisional
    above: bool = False
    below: bool = False
    log: bool = False

    @classmethod
    def from_values(
        cls, measure: Measure, values: Iterable[float], before: Axis | None = None, growing: bool = False,
        *, aside: Iterable[float] = (), log: bool = False,
    ) -> Axis:  # fmt: skip
        """Return the axis for these values and for nearby values in `aside`; logarithmic if any is above 0.

        The previous axis is kept if it fits, so that the chart does not jump; while points arrive, it only grows.
        """
        known, apart = ([value for value in given if not math.isnan(value)] for given in (values, aside))
        log = log and any(0 < value < math.inf for value in (*known, *apart))
        inner = _drawable(known, log) or _drawable(apart, log) or [0.0]
        low, high = min(inner), max(inner)
        guessed = high <= low
        fresh = cls(measure, low, (low * 10 if log else low + 1) if guessed else high, False, guessed, log=log)
        near = [value for value in _drawable(apart, log) if guessed or -FAR <= fresh._along(value) <= 1 + FAR]
        fresh = fresh._fit([low, high, *near])
        if before is not None and before.measure == measure and before.log == log and not before.guessed:
            last = fresh.low if fresh.guessed else fresh.high
            both = replace(before, low=min(fresh.low, before.low), high=max(last, before.high))
            filled = both._along(last) - both._along(fresh.low)
            infinite = before.infinite or math.inf in (*known, *apart)
            if growing or (filled >= SNUG and before.infinite == infinite):
                return both._with_edges([*known, *apart], infinite)
        return fresh._with_edges([*known, *apart], math.inf in (*known, *apart))

    def _fit(self, values: Iterable[float]) -> Axis:
        low, high = min(found := list(values)), max(found)
        return replace(self, low=low, high=high, guessed=False) if high > low else self

    def _with_edges(self, values: list[float], infinite: bool) -> Axis:
        above = any(self.high < value < math.inf for value in values)
        return replace(self, infinite=infinite, above=above, below=any(value < self.low for value in values))

    def _along(self, value: float) -> float:
        """Return the position between low (0) and high (1)."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def _value_at(self, along: float) -> float:
        if self.log:
            return self.low * (self.high / self.low) ** along
        return self.low + along * (self.high - self.low)

    @property
    def edge(self) -> float:
        """The position of infinity."""
        return self._value_at(1 + EDGE * (1 + self.above))

    @property
    def domain(self) -> list[float]:
        """The range of the scale, slightly wider than the values, with space for marks at the ends and for labels."""
        return [
            self._value_at(-EDGE * self.below - 0.03),
            self._value_at(1 + EDGE * (self.above + self.infinite) + 0.075),
        ]

    @property
    def worst(self) -> float:
        """The end of the axis opposite the best value."""
        return self.domain[0 if self.measure.better == "higher" else 1]

    @property
    def bound(self) -> str:
        """The words for a cap on the measure."""
        return "at least" if self.measure.better == "higher" else "at most"

    def holds(self, value: float) -> bool:
        """Return whether the value can be drawn on this axis."""
        if math.isnan(value) or self.low <= value <= self.high:
            return True
        return self.infinite if value == math.inf else self.below and value <= 0 and self.log

    def place(self, value: float) -> float:
        """Return the position of a value."""
        if value == math.inf:
            return self.edge
        return self._value_at(-EDGE) if value < self.low else self._value_at(1 + EDGE) if value > self.high else value

    def outside(self, value: float) -> int:
        """Return -1 if a finite value is drawn at the lower edge, 1 if at the upper, else 0."""
        return int(self.high < value < math.inf) - int(value < self.low)

    def share(self, place: float) -> float:
        """Return the position within the scale's domain, 0 to 1."""
        first, last = map(self._along, self.domain)
        return (self._along(place) - first) / (last - first)

    def goodness(self, value: float) -> float | None:
        """Return 1 for the best value and 0 for the worst; outside of 0 to 1 for infinity; None if undefined."""
        if math.isnan(value):
            return None
        along = self._along(self.place(value))
        return along if self.measure.better == "higher" else 1 - along

    def encoded(self, channel: Any, name: str, length: int) -> Any:
        """Return the channel with title and scale."""
        scale = alt.Scale(type="log" if self.log else "linear", domain=self.domain, nice=False)
        if not self.log:
            scale.zero = False
        label = _ticks(name) if self.log else MANY if self.high >= 1e5 else "datum.label"
        hidden = [f"datum.value > {self.high}"] * (self.above or self.infinite)  # no numbers at the edges
        hidden += [f"datum.value < {self.low}"] * self.below
        label_expr = f"{' || '.join(hidden)} ? '' : {label}" if hidden else label
        axis = alt.Axis(tickCount=8, labelExpr=label_expr, labelOverlap="greedy", labelSeparation=6)
        return channel(f"{name}:Q", title=axis_title(self.measure, length), scale=scale, axis=axis)


def _ticks(name: str) -> str:
    """Return an expression that labels logarithmic ticks: powers of ten; also 2 and 5 for few decades; all for less
    than one.
    """
    first = "round(10 * datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9))) / 10"
    span = f"domain('{name}')[1] / domain('{name}')[0]"
    shown = f"{first} == 1 || ({span} < 2000 && indexof([2, 5], {first}) >= 0) || {span} < 6"
    return f"({shown}) ? (datum.value >= 1e5 ? {MANY} : format(datum.value, '.3~g')) : ''"


def _drawable(values: Iterable[float], log: bool) -> list[float]:
    """Return the values with a position inside the axis."""
    return [value for value in values if math.isfinite(value) and (value > 0 or not log)]
