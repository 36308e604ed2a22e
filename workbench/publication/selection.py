"""The points of a frontier as a published study shows them: their figures, and which of them can be opened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import figures, join_names
from workbench.data.table import Table
from workbench.disclosure.recommendable import against
from workbench.frontier.frontier import Frontier, undominated
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.measures import Measure, Measured
from workbench.models import Model
from workbench.publication.reasons import reason
from workbench.studies.study import Study

Intervals = Mapping[str, tuple[float, float]]
NOT_TOLD = "not told: the measure does not declare how its figure may be"
TOO_FEW = "not told: it would show few people"


def on_axes(swept: Frontier, study: Study) -> Frontier:
    """The points on the study's axes, or else on the first measure of each side."""
    if len(study.axes) not in (0, 2):
        raise BadInput("study: axes name two measures, one of privacy and one of utility")
    frontier = swept.on(*study.axes)
    assert frontier.axes  # says what is missing
    return frontier


def refuse_untold_axes(frontier: Frontier) -> None:
    """Refuse axes on which no figure is told."""
    for key in frontier.axes:
        if any(point.reasons.get(key) == NOT_TOLD for point in frontier.measured):
            raise BadInput(
                f"{key} cannot be published: {frontier.measure(key).name} does not declare how its figure may be told; "
                'write told = "as an average" or a `publish` in its file (docs/adding.md), or choose another axis'
            )
        if any(point.reasons.get(key) == TOO_FEW for point in frontier.measured):
            raise BadInput(
                f"{frontier.measure(key).name} cannot be published of these data, since it would show few people; "
                "name another measure in the axes of the study (docs/study.md says what is told)"
            )


def keeping(frontier: Frontier, study: Study) -> tuple[Frontier, str]:
    """The points that keep the study's limits on other measures than the slider's, and what to say of the others."""
    caps = {frontier.key(key): cap for key, cap in study.caps.items() if frontier.key(key) != frontier.axes[0]}
    if not caps:
        return frontier, ""
    over = frontier.losses(list(caps))
    kept = (over <= [frontier.sign(key) * cap for key, cap in caps.items()]).all(axis=1)
    asked = join_names(
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
    left_out = f"{broken} of {int(own.sum())} releases are left out: they break the study's limit of {asked}."
    return replace(frontier, measured=chosen), left_out if broken else ""


def told(
    swept: Frontier, table: Table, smallest: int, store: Store | None = None, tries: Frontier | None = None
) -> Frontier:
    """The same points as they may be told: each measure says its figures itself, or hides them; so does what speaks
    against a release. Of `tries`, the same points with intervals, each measure says these.

    The releases are made once more, but for those that were drawn at random. What a recipe promises is told as well,
    since the promise is.
    """
    found = [_told(point, swept.measures, table, smallest, store, again) for point, again in _beside(swept, tries)]
    return replace(swept, measured=found)


def _beside(swept: Frontier, tries: Frontier | None) -> list[tuple[Point, Intervals]]:
    """Each point with the intervals that were asked for."""
    others = [point.intervals for point in tries.measured] if tries is not None else [{} for _ in swept.measured]
    return list(zip(swept.measured, others, strict=True))


def _told(
    point: Point, measures: Sequence[Measure], table: Table, smallest: int, store: Store | None, again: Intervals
) -> Point:
    defined = [one for one in measures if not math.isnan(point.values.get(one.key, math.nan))]
    reasons = {key: reason(text, table) for key, text in point.reasons.items()}
    values, sentences, intervals = {}, {}, {}
    release = point.recipe.release(table, store) if defined else None
    again = {} if release is not None and release.guarantee else again  # which does not cover what is true
    found = against(release, smallest, point.recipe.model) if release is not None else []
    for measure in defined:
        assert release is not None
        try:
            value, sentence = measure.publish(
                Measured(point.values[measure.key], "", interval=point.intervals.get(measure.key)), release, smallest
            )
        except Undefined as why:  # it tells its figure by what this release does not have
            reasons[measure.key] = reason(str(why), table)
            continue
        if value is None:
            declared = measure.told != "not at all" or type(measure).publish is not Measure.publish
            reasons[measure.key] = TOO_FEW if declared else NOT_TOLD
            continue
        parts = point.recipe.model.parts if point.recipe.model else ()
        promised = [bound for part in parts if (bound := measure.promised(release, part, smallest)) is not None]
        best = max if measure.better == "higher" else min
        values[measure.key] = best([value, *promised])
        sentences[measure.key] = sentence
        ends = measure.publish_interval(again[measure.key], release, smallest) if measure.key in again else None
        if ends is not None:
            intervals[measure.key] = min(ends[0], values[measure.key]), max(ends[1], values[measure.key])
    return replace(
        point,
        values=values,
        reasons=reasons,
        sentences=sentences,
        against=tuple(found),
        key="",
        intervals=intervals,
        left_out=0,
    )


def worth_opening(frontier: Frontier) -> list[int]:
    """The points that can be opened: those to choose from, and those of the simplest that none of them beats."""
    return sorted({*choice(frontier), *_best_of(frontier, simplest(frontier))})


def choice(frontier: Frontier) -> list[int]:
    """The points to choose from: those that no other beats, of all and of the safe."""
    return sorted({*np.flatnonzero(frontier.is_efficient()).tolist(), *_best_of(frontier, safe(frontier))})


def _best_of(frontier: Frontier, indices: Sequence[int]) -> list[int]:
    """Those of these points that none of them beats."""
    among = np.array(indices, dtype=int)
    return among[undominated(frontier.losses()[among])].tolist() if len(among) else []


def safe(frontier: Frontier) -> list[int]:
    """The points against which nothing speaks: those that may be recommended."""
    defined = ~np.isnan(frontier.losses()).any(axis=1) & frontier.recommendable
    return [i for i in np.flatnonzero(defined).tolist() if not frontier.measured[i].against]


def simplest(frontier: Frontier) -> list[int]:
    """The points whose promise is the easiest to explain: without noise or exchanged values, which need words
    of their own; one model rather than several, about sizes alone."""

    def plainness(recipe: Recipe, model: Model) -> tuple[bool, int, bool]:
        return bool(recipe.guarantee or recipe.method.caution), len(model.parts), model.needs_sensitive

    defined = ~np.isnan(frontier.losses()).any(axis=1) & frontier.recommendable
    recipes = {i: frontier.measured[i].recipe for i in np.flatnonzero(defined).tolist()}
    found = {i: plainness(one, one.model) for i, one in recipes.items() if one.model}
    return [i for i, plain in found.items() if plain == min(found.values())]
