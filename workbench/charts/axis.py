"""One measure's axis: its finite values, and the edge where infinite ones are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import altair as alt

from workbench.charts.look import axis_title
from workbench.measures import Measure

MANY = "replace(format(datum.value, '~s'), 'G', 'B')"  # billions, not giga
SNUG = 0.6  # an axis stays as it is while the values fill this much of it


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, where every finite value lies; `infinite` where some value is not."""

    measure: Measure
    low: float
    high: float
    infinite: bool
    guessed: bool = False  # no two values yet, so nobody knows how long it must be: the first that are two say it

    @classmethod
    def of(cls, measure: Measure, values: Iterable[float], before: Axis | None = None, growing: bool = False) -> Axis:
        """Around these values; the axis before stays where it fits, so that nothing jumps.

        While points still arrive it only grows.
        """
        known = [value for value in values if not math.isnan(value)]
        finite = [value for value in known if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        guessed = high <= low
        fresh = cls(measure, low, low + 1 if guessed else high, any(map(math.isinf, known)), guessed)
        if before is None or before.measure != measure or before.guessed:
            return fresh
        both = cls(measure, min(low, before.low), max(high, before.high), fresh.infinite or before.infinite)
        snug = high - low >= SNUG * (both.high - both.low) and fresh.infinite == both.infinite
        return both if growing or snug else fresh

    @property
    def edge(self) -> float:
        """Where infinity is drawn."""
        return self.high + 0.08 * (self.high - self.low)

    @property
    def domain(self) -> list[float]:
        """A little wider than the values: marks at the ends are whole, and a name has room above them."""
        pad = 0.03 * (self.high - self.low)
        return [self.low - pad, (self.edge if self.infinite else self.high) + 2.5 * pad]

    @property
    def worst(self) -> float:
        """The end of the axis away from the best."""
        return self.domain[0 if self.measure.better == "higher" else 1]

    @property
    def bound(self) -> str:
        """What a cap on the measure says."""
        return "at least" if self.measure.better == "higher" else "at most"

    def holds(self, value: float) -> bool:
        """Whether the value can be drawn on it."""
        return math.isnan(value) or (self.low <= value <= self.high if math.isfinite(value) else self.infinite)

    def place(self, value: float) -> float:
        """Where a value is drawn."""
        return value if math.isfinite(value) else self.edge

    def share(self, place: float) -> float:
        """How far along the axis a place is, 0 to 1."""
        return (place - self.domain[0]) / (self.domain[1] - self.domain[0])

    def goodness(self, value: float) -> float | None:
        """1 where it is best, 0 where it is worst; beyond 0 to 1 where infinity is drawn; None where undefined."""
        if math.isnan(value):
            return None
        along = (self.place(value) - self.low) / (self.high - self.low)
        return along if self.measure.better == "higher" else 1 - along

    def encoded(self, channel: Any, name: str, length: int) -> Any:
        """The channel with title and scale."""
        scale = alt.Scale(domain=self.domain, nice=False, zero=False)
        label = MANY if self.high >= 1e5 else "datum.label"
        beyond = f"datum.value > {self.high} && {str(self.infinite).lower()}"  # no numbers where infinity is drawn
        axis = alt.Axis(tickCount=8, labelExpr=f"{beyond} ? '' : {label}")
        return channel(f"{name}:Q", title=axis_title(self.measure, length), scale=scale, axis=axis)
