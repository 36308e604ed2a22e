"""The points of a frontier with published, coarser figures; the exact figures decide which are efficient."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from workbench.base.convergence import warning_about
from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier, clearest, compared_keys, describe_gain
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.measures import Measure, Measured, Publication
from workbench.models import Model
from workbench.publication.publishable_reasons import publishable_reason
from workbench.redaction.controlled_rounding import may_list_groups
from workbench.studies.study import Study, chart_axes

Intervals = Mapping[str, tuple[float, float]]
NOT_PUBLISHED = "not published: the measure does not declare how its figure may be published"
TOO_FEW = "not published: the figure would reveal few people"


@dataclass(frozen=True, eq=False, repr=False)
class PublishedFrontier(Frontier):
    """Points with published figures; the exact figures decide which are efficient, and which is the knee.

    Published figures are coarser, so efficient points may look identical, or as if another were better.
    """

    exact: Frontier = None  # type: ignore[assignment]

    def on(self, privacy: Measure | str | None = None, utility: Measure | str | None = None) -> PublishedFrontier:
        """Return the same points on other axes."""
        seen = self.exact.on(privacy, utility)
        return replace(self, privacy=seen.privacy, utility=seen.utility, exact=seen)

    def is_efficient(self, over: Iterable[Measure | str] | None = None) -> np.ndarray:
        """Return which points no other dominates by the exact figures."""
        return self.exact.is_efficient(over)

    @cached_property
    def knee(self) -> Point:
        """The knee by the exact figures."""
        knee = self.exact.knee
        return next(mine for mine, own in zip(self.measured, self.exact.measured, strict=True) if own is knee)

    def explain(self, point: Point, over: Iterable[Measure | str] | None = None) -> str:
        """State which point dominates this one by the exact figures, with published figures."""
        place = next(i for i, one in enumerate(self.measured) if one is point)
        keys, own = compared_keys(self, over), self.exact.measured[place]
        better = [] if own.recipe.baseline or self._undefined(own, keys) else self.exact.dominators(own, keys)
        if not better:
            return self.exact.explain(own, over)
        first = self.exact.measured.index(clearest(self.exact, own, better, keys))
        other, more = (
            self.measured[first],
            {1: "", 2: "; so does one more"}.get(len(better), f"; so do {len(better) - 1} more"),
        )
        gains = ", ".join(self._published_gain(key, other, point) for key in keys)
        return f"Dominated by number {first + 1}, {other.recipe}: {gains}{more}."

    def _undefined(self, point: Point, keys: Sequence[str]) -> bool:
        return any(math.isnan(point.values.get(key, math.nan)) for key in keys)

    def _published_gain(self, key: str, other: Point, own: Point) -> str:
        theirs, mine = (one.values.get(key, math.nan) for one in (other, own))
        better = self.measure(key).better
        if self.sign(key) * theirs < self.sign(key) * mine:
            return describe_gain(key, theirs, mine, better)
        if theirs == mine:
            return f"{key} no worse before rounding (both {format_number(mine, better)})"
        return f"{key} no worse before rounding ({format_number(theirs, better)} and {format_number(mine, better)})"


def on_axes(swept: Frontier, study: Study) -> Frontier:
    """Return the points on the study's axes, by default on the first measure of each side."""
    if len(study.axes) not in (0, 2):
        raise BadInput("study: axes must name two measures, one of privacy and one of utility")
    frontier = swept.on(*chart_axes(study))
    assert frontier.axes  # raises if one is missing
    return frontier


def refuse_unpublished_axes(frontier: Frontier) -> None:
    """Raise BadInput if no figure on an axis may be published."""
    for key in frontier.axes:
        if any(point.reasons.get(key) == NOT_PUBLISHED for point in frontier.measured):
            raise BadInput(
                f"{key} cannot be published: {frontier.measure(key).name} does not declare how to publish its figure; "
                "declare published_as = Publication.AVERAGE or a `publish` in its file (docs/adding.md), or choose "
                "another axis"
            )
        if any(point.reasons.get(key) == TOO_FEW for point in frontier.measured):
            raise BadInput(
                f"{frontier.measure(key).name} cannot be published for these data, since it would reveal few people; "
                "name another measure in the axes of the study (docs/study.md explains what is published)"
            )


def redact_points(
    swept: Frontier, table: Table, smallest: int, store: Store | None = None, tries: Frontier | None = None
) -> PublishedFrontier:
    """Return the points with published figures: each measure rounds its own figures, or hides them.

    `tries` are the same points with intervals, which each measure rounds as well. The releases are made again unless
    they are random. A figure is no better than the recipe promises, since the promise is published.
    """
    found = [
        _redact_point(point, swept.measures, table, smallest, store, again)
        for point, again in _pair_intervals(swept, tries)
    ]
    given = {one.name: getattr(swept, one.name) for one in fields(swept) if one.init}
    return PublishedFrontier(**{**given, "measured": found, "exact": swept})


def _pair_intervals(swept: Frontier, tries: Frontier | None) -> list[tuple[Point, Intervals]]:
    """Pair each point with its requested intervals."""
    others = [point.intervals for point in tries.measured] if tries is not None else [{} for _ in swept.measured]
    return list(zip(swept.measured, others, strict=True))


def _redact_point(
    point: Point, measures: Sequence[Measure], table: Table, smallest: int, store: Store | None, again: Intervals
) -> Point:
    defined = [one for one in measures if not math.isnan(point.values.get(one.key, math.nan))]
    reasons = {key: publishable_reason(text, table) for key, text in point.reasons.items()}
    values, sentences, intervals = {}, {}, {}
    release = point.recipe.release(table, store) if defined else None
    if release is not None and release.about.guarantee:
        again = {}  # the guarantee does not cover true figures
    for measure in defined:
        assert release is not None
        try:
            value, sentence = measure.publish(
                Measured(point.values[measure.key], "", interval=point.intervals.get(measure.key)), release, smallest
            )
        except Undefined as why:  # the release lacks what the published figure needs
            reasons[measure.key] = publishable_reason(str(why), table)
            continue
        if value is None:
            declared = measure.published_as is not Publication.HIDDEN or type(measure).publish is not Measure.publish
            reasons[measure.key] = TOO_FEW if declared else NOT_PUBLISHED
            continue
        parts = point.recipe.model.parts if point.recipe.model else ()
        promised = [bound for part in parts if (bound := measure.guaranteed_bound(release, part, smallest)) is not None]
        best = max if measure.better == "higher" else min
        values[measure.key] = best([value, *promised])
        sentences[measure.key] = " ".join(filter(None, (sentence, warning_about(point.fits.get(measure.key, ())))))
        ends = measure.publish_interval(again[measure.key], release, smallest) if measure.key in again else None
        if ends is not None:
            intervals[measure.key] = min(ends[0], values[measure.key]), max(ends[1], values[measure.key])
    return replace(
        point,
        values=values,
        reasons=reasons,
        sentences=sentences,
        key="",
        intervals=intervals,
        left_out=0,
        against=_against(point, table, smallest),
    )


def _against(point: Point, table: Table, smallest: int) -> tuple[str, ...]:
    """Return the objections against a release; of a table of few people only the fact that one exists."""
    if not point.against or may_list_groups(table.records, smallest):
        return point.against
    return (f"the table has so few {table.settings.wording.many} that the reason is not published",)


def easiest_to_explain(frontier: Frontier) -> list[int]:
    """Return the points with the promise that is easiest to explain.

    These are points without noise or exchanged values, with one model rather than several, about sizes alone.
    """

    def plainness(recipe: Recipe, model: Model) -> tuple[bool, int, bool]:
        return bool(recipe.guarantee or recipe.method.warning), len(model.parts), model.needs_sensitive

    defined = ~np.isnan(frontier.losses()).any(axis=1) & frontier.recommendable
    recipes = {i: frontier.measured[i].recipe for i in np.flatnonzero(defined).tolist()}
    found = {i: plainness(one, one.model) for i, one in recipes.items() if one.model}
    return [i for i, plain in found.items() if plain == min(found.values())]
