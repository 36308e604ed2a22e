"""Search for good points within a budget: touch the caps, and close gaps of the frontier.

Each family (a method and a model) has one free parameter. Under caps it is bisected until the caps are touched, the
most promising family first; families that can no longer reach the best point are abandoned. Points with objections
(`Point.against`) count as beyond the caps. Rough steps of the best families are tried too; then the best ones are
refined around that place, and joined with the models of others. Without caps, or if nothing better is found, the
largest gap between neighbors on the frontier is searched. The notes list what was tried and why the search stopped.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np

from workbench.base import progress as underway
from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import format_number
from workbench.base.progress import describe_duration
from workbench.data.table import Table
from workbench.frontier.decision import limits_of
from workbench.frontier.families import NARROW, FamilySearch, Objective, default_families, families_from_recipes
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import BASELINES, PointMaker, warn_of_failures
from workbench.measures import Measure
from workbench.redaction.controlled_rounding import SMALLEST

Progress = Callable[[int, Point], object]
CLOSE = 1.3  # times the lowest loss: families within it are refined where they touch the caps
PATIENCE = 16  # evaluations without a better point
ROUGH = 15  # steps that are tried of each leading family
BETTER = 0.001  # relative improvement that counts
FIRST = 0.5, 0.3, 0.7  # the first positions without caps
FAR, NEARLY = 2, 0.02  # a family is abandoned at FAR times the loss of a point that is as private, within NEARLY
BEATEN = 3  # evaluated points of a family, none efficient, after which it is abandoned
SAME = 0.002  # share of the range of all points: closer points leave no gap
UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
UNITS |= {f"{unit}s": seconds for unit, seconds in UNITS.items() if len(unit) > 3}
WRITTEN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)
EVALUATIONS = ("evaluation", "evaluations")


def search(
    table: Table,
    measures: Iterable[Measure],
    caps: Mapping[Any, float] | None = None,
    budget: float | str = 30,
    families: Iterable[str | Recipe] | None = None,
    store: Store | str | PathLike[str] | None = None,
    seed: int = 0,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    say: underway.Report | None = None,
    smallest: int = SMALLEST,
) -> Frontier:
    """Search for the best points within a budget.

    Parameters
    ----------
    table
        The original records, with roles.
    measures
        At least one measure of privacy and one of utility; the search uses the first of each.
    caps
        Limits by measure. Without caps, the search closes gaps of the frontier.
    budget
        Seconds (30 or "2 min"), or a number of evaluations ("40 evaluations").
    families
        Recipes whose model parameter is varied; by default the most promising ones.
    store
        A folder in which points are stored and found again.
    seed
        Seed of the recipes.
    progress
        `progress(evaluations, point)` is called after each point.
    cancel
        Setting this event stops the search at once; the frontier then is not complete.
    say
        `say(words)` is called now and then, from another thread, while a point takes long.
    smallest
        Threshold for numbers of people in objections to a candidate (`Point.against`).

    Returns
    -------
    Frontier
        The points found; its notes list what was tried and why the search stopped.

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import Table, measures, search
    >>> people = pd.DataFrame({"age": [30, 31, 60, 61] * 5, "ill": ["flu", "none", "none", "none"] * 5})
    >>> table = Table.from_frame(people, quasi=["age"], sensitive="ill")
    >>> chosen = [measures.PrivacyLoss(), measures.InformationLoss()]
    >>> found = search(table, chosen, {"P_loss": 0.1}, "8 evaluations", ["k-anonymity (mondrian)"])
    >>> found.best({"P_loss": 0.1}).values["P_loss"] <= 0.1
    True
    """
    if not isinstance(table, Table):
        raise BadInput(f"search: {safe_repr(table)} was given as table; call search(table, [...])")
    if not isinstance(measures, Iterable):
        raise BadInput(f"search: {safe_repr(measures)} was given as measures; call search(table, [...])")
    limit = Budget.read(budget)
    tried = [*(default_families(table, seed) if families is None else families_from_recipes(table, families, seed))]
    bench = PointMaker(
        table, [*BASELINES, *(family.recipe(0.5) for family in tried)], measures, store, smallest=smallest
    )
    found = _Search(bench, limit, [FamilySearch(family) for family in tried], progress)
    aim = found.aim(caps or {})
    until = Deadline(limit.seconds, cancel)
    try:
        with underway.cancellable(until, say):
            for _ in found.steps(aim):
                pass
    except underway.Cancelled:
        found.stopped = "it was cancelled" if until.cancelled else f"the time limit is reached ({limit})"
    warn_of_failures(found.points)
    return found.frontier(aim, complete=not until.cancelled)


@dataclass
class _Search:
    """The state of a search: the evaluated points in their order."""

    bench: PointMaker
    limit: Budget
    tracks: list[FamilySearch]
    progress: Progress | None
    points: list[Point] = field(default_factory=list)
    stopped: str = "nothing is left to try"

    def aim(self, caps: Mapping[Any, float]) -> Objective | None:
        """Return the objective under these caps; raise Undefined or BadInput if the caps fit no measure."""
        empty = Frontier([], self.bench.measures)
        privacy, utility = empty.axes
        limits = limits_of(empty, caps)
        by_key = {measure.key: measure for measure in self.bench.measures}
        goal = utility if any(by_key[key].side == "privacy" for key in limits) else privacy
        return Objective(by_key, limits, goal) if limits else None

    def steps(self, aim: Objective | None) -> Iterator[None]:
        """Yield after each evaluation, until there is nothing left to try or the budget is used."""
        for one in (
            self._ends(),
            *(
                (self._touch(aim), self._scan(aim, True), self._vary(aim), self._around(aim), self._scan(aim))
                if aim
                else ()
            ),
            self._fill(aim),
        ):
            for _ in one:
                if len(self.points) >= self.limit.evaluations:
                    self.stopped = f"the budget of {self.limit} is used"
                    return
                yield

    def frontier(self, aim: Objective | None, complete: bool) -> Frontier:
        """Return the points with notes about the attempts and the end of the search; the baselines come last."""
        own = [point for point in self.points if not point.recipe.baseline]
        ends = [point for point in self.points if point.recipe.baseline]
        notes = [track.summarize(aim) for track in self.tracks if track.tried or track.abandoned_because]
        untried = sum(not (track.tried or track.abandoned_because) for track in self.tracks)
        more = [f"{untried} more {'family was' if untried == 1 else 'families were'} not tried."] if untried else []
        notes += [*more, f"It stopped after {len(self.points)} evaluations: {self.stopped}."]
        return Frontier([*own, *ends], self.bench.measures, complete, notes=tuple(notes))

    def _evaluate(self, recipe: Recipe) -> Point:
        underway.checkpoint(f"{recipe}")
        point = self.bench.point(recipe)
        self.points.append(point)
        if self.progress is not None:
            self.progress(len(self.points), point)
        return point

    def _try(self, track: FamilySearch, place: float) -> None:
        try:
            track.tried[place] = self._evaluate(track.family.recipe(place))
        except BadInput as error:  # a recipe that does not fit the table; reported in the notes
            track.abandoned_because = str(error)
            return
        if track.undefined:
            reasons = next(iter(track.tried.values())).reasons
            track.abandoned_because = next(iter(reasons.values()), "it has no value")

    @property
    def _open(self) -> list[FamilySearch]:
        return [track for track in self.tracks if not track.abandoned_because]

    def _ends(self) -> Iterator[None]:
        for recipe in BASELINES:
            self._evaluate(recipe)
            yield

    # --- under caps

    def _touch(self, aim: Objective) -> Iterator[None]:
        """Bisect the most promising family next; abandon those that cannot reach the best point."""
        yield from self._bisect(aim)
        joined = self._joined(aim)
        self.tracks += joined
        if joined:
            yield from self._bisect(aim)

    def _bisect(self, aim: Objective) -> Iterator[None]:
        while unsettled := [track for track in self._open if not track.settled]:
            best = self._best(aim)
            track = min(unsettled, key=lambda one: (not one.tried, one.hoped(aim)))
            if track.tried and track.hoped(aim) > best:
                track.abandoned_because = f"within the caps it loses at least about {format_number(track.hoped(aim))}"
                continue
            place = track.next(aim, self._guess(track, aim))
            if place is None:
                track.settled = True
                track.abandoned_because = "" if track.best(aim) else track.lacking(aim)
                continue
            self._try(track, place)
            yield

    def _scan(self, aim: Objective, until_found: bool = False) -> Iterator[None]:
        """Try rough steps of the leading families from their best point on: losses jump, and objections come and go."""
        for number in range(1, ROUGH + 1):
            for track in [one for one in self.tracks if self._leads(one, aim)]:
                if until_found and np.isfinite(self._best(aim)):
                    return
                place = track.rough(aim, number)
                if track.new(place):
                    self._try(track, place)
                    track.abandoned_because = "" if track.best(aim) else track.abandoned_because
                    yield

    def _leads(self, track: FamilySearch, aim: Objective) -> bool:
        """Return whether a family is nearly the best, or has points within the caps, with objections, that suggest
        better ones.
        """
        best = self._best(aim)
        if track.best(aim):
            return self._lost(track, aim) <= CLOSE * best
        return track.hoped(aim) <= best and any(map(aim.satisfied, track.tried.values()))

    def _vary(self, aim: Objective) -> Iterator[None]:
        """Try other settings of the best family's method at its best point, while one of them is better."""
        while track := min(self._open, key=lambda one: self._lost(one, aim), default=None):
            best = track.best(aim)
            if best is None or track.varied:
                return
            track.varied = True
            place = next(place for place, point in track.tried.items() if point is best)
            for family in track.family.variants():
                variant = FamilySearch(family, settled=True)
                self._try(variant, place)
                yield
                if not variant.abandoned_because and self._lost(variant, aim) < (1 - BETTER) * aim.loss(best):
                    self.tracks.append(variant)

    def _around(self, aim: Objective) -> Iterator[None]:
        """Refine the best families near the place where they touch the caps: losses jump there."""
        idle, best = 0, self._best(aim)
        while idle < PATIENCE and np.isfinite(best):
            leading = [track for track in self._open if self._lost(track, aim) <= CLOSE * best]
            places = {id(track): place for track in leading if (place := track.around(aim)) is not None}
            if not places:
                return
            for track in leading:
                if id(track) in places:
                    self._try(track, places[id(track)])
                    yield
                    idle += 1
            if self._best(aim) < (1 - BETTER) * best:
                idle, best = 0, self._best(aim)

    def _joined(self, aim: Objective) -> list[FamilySearch]:
        """Return families that add a model that satisfies one of several caps by itself to the families of other
        models.
        """
        found = []
        for key in aim.caps if len(aim.caps) > 1 else ():
            alone = Objective(aim.measures, {key: aim.caps[key]}, aim.goal)
            for track in self.tracks:
                point = track.best(alone)
                if point is not None and not aim.within(point):
                    others = (one.family for one in self.tracks if one.family.method == track.family.method)
                    found += [
                        FamilySearch(replace(one, also_requires=point.recipe.model))
                        for one in others
                        if one.model.line != track.family.model.line
                    ]
        return found

    def _best(self, aim: Objective) -> float:
        return min((aim.loss(point) for point in self.points if self._counts(point, aim)), default=np.inf)

    def _counts(self, point: Point, aim: Objective) -> bool:
        return not point.recipe.baseline and aim.within(point)

    def _lost(self, track: FamilySearch, aim: Objective) -> float:
        point = track.best(aim)
        return np.inf if point is None else aim.loss(point)

    def _guess(self, track: FamilySearch, aim: Objective) -> float:
        """Return the median place where families with the same model touch the caps, else the middle."""
        alike = [one for one in self.tracks if one.tried and one.family.model.line == track.family.model.line]
        touched = [one.bracket(aim)[0 if aim.rising else 1] for one in alike if one.best(aim) is not None]
        return float(np.median(touched)) if touched else 0.5

    # --- the whole frontier

    def _fill(self, aim: Objective | None) -> Iterator[None]:
        """Close the largest gap between neighbors with the families of these; abandon families that remain
        dominated.
        """
        for track in self._open if aim is None else ():
            for place in FIRST:
                if not track.abandoned_because and track.new(place):
                    self._try(track, place)
                    yield
                self._abandon_far()
        self._abandon_beaten()
        while (found := find_widest_gap(self.frontier(None, complete=False), self._open)) is not None:
            self._try(*found)
            yield

    def _abandon_far(self) -> None:
        """Abandon families of which every point loses more than `FAR` times as much as another that is nearly as
        private.
        """
        seen = self.frontier(None, complete=False)
        losses = dict(zip(map(id, seen.measured), seen.losses(), strict=True))
        known = np.array([losses[id(p)] for p in seen.measured if not p.recipe.baseline]).reshape(-1, 2)
        for track in self._open:
            own = np.array([losses[id(point)] for point in track.tried.values()]).reshape(-1, 2)
            ahead = [(known[:, 0] <= p + NEARLY * abs(p)) & (FAR * known[:, 1] < u) for p, u in own]
            if len(own) and all(one.any() for one in ahead):
                track.abandoned_because = "another point is far better than each of its points"

    def _abandon_beaten(self) -> None:
        seen = self.frontier(None, complete=False)
        standing = {id(seen.measured[int(i)]) for i in np.flatnonzero(seen.is_efficient())}
        for track in self._open:
            if len(track.tried) >= BEATEN and not standing & {id(point) for point in track.tried.values()}:
                track.abandoned_because = "each of its points is dominated"


def find_widest_gap(seen: Frontier, tracks: Sequence[FamilySearch]) -> tuple[FamilySearch, float] | None:
    """Return the family and the position next to a point at the widest gap; the next widest if no position is left
    there.

    A gap is the distance between neighbors, relative to the span of all points: a point is then near any cap that
    a user may set. The first and the last gap extend to the best values of any point.
    """
    losses, efficient = seen.losses(), seen.efficient_order
    drawn = losses[np.isfinite(losses).all(axis=1)]
    if not len(efficient) or not len(drawn):
        return None
    corners = np.vstack([_corner(drawn, 0), losses[efficient], _corner(drawn, 1)])
    span = np.maximum(np.ptp(drawn, axis=0), np.finfo(float).tiny)
    lengths = [float(np.hypot(*((after - before) / span))) for before, after in pairwise(corners)]
    at = {id(point): own / span for point, own in zip(seen.measured, losses, strict=True)}
    neighbors = [None, *(seen.measured[int(i)] for i in efficient), None]
    for gap in np.argsort(-np.nan_to_num(lengths, posinf=0), kind="stable"):
        for track in tracks:
            place = _inside(track, neighbors[gap], neighbors[gap + 1], at)
            if place is not None:
                return track, place
    return None


def _corner(losses: np.ndarray, best: int) -> np.ndarray:
    """Return the point that is best on one side, with the lowest loss on the other."""
    return losses[np.lexsort((losses[:, 1 - best], losses[:, best]))[0]]


def _inside(
    track: FamilySearch, private: Point | None, useful: Point | None, at: Mapping[int, np.ndarray]
) -> float | None:
    """Return a new position of the family between its own points, next to the point at either side of the gap; beyond
    the last of them, the end of its range. There is none between nearly identical points.
    """
    places, own = sorted(track.tried), {id(point): place for place, point in track.tried.items()}
    for point, step in ((private, 1), (useful, -1)):
        if (place := own.get(id(point))) is None:
            continue
        near = places.index(place) + step
        if not 0 <= near < len(places):
            end = max(step, 0.0)
            if abs(end - place) > NARROW and track.new(end):
                return end
            continue
        low, high = sorted((place, places[near]))
        apart = np.abs(at[id(track.tried[low])] - at[id(track.tried[high])])
        if not apart.max() <= SAME and (found := track.gap(low, high)) is not None:
            return found
    return None


@dataclass(frozen=True)
class Budget:
    """Seconds of wall-clock time, or evaluations: releases that are computed and measured, or read from the store."""

    seconds: float = math.inf
    evaluations: float = math.inf

    @classmethod
    def read(cls, given: object) -> Budget:
        """Parse 30, "30 s", "2 min" or "40 evaluations"."""
        found = WRITTEN.fullmatch(str(given)) if isinstance(given, (int, float, str)) else None
        number, unit = (float(found[1]), found[2].lower()) if found else (0.0, "")
        whole = unit not in EVALUATIONS or number.is_integer()
        if not number or unit not in (*UNITS, *EVALUATIONS) or isinstance(given, bool) or not whole:
            raise BadInput(f"budget = {safe_repr(given)}: use seconds, such as 30 or '2 min', or '40 evaluations'")
        if unit in EVALUATIONS:
            return cls(evaluations=number)
        return cls(seconds=number * UNITS[unit])

    def __str__(self) -> str:
        return f"{self.evaluations:.0f} evaluations" if math.isinf(self.seconds) else describe_duration(self.seconds)


class Deadline(threading.Event):
    """An event that is set on cancellation or when the time is over."""

    def __init__(self, seconds: float, cancel: threading.Event | None = None) -> None:
        super().__init__()
        self._end, self._cancel = time.monotonic() + seconds, cancel

    @property
    def cancelled(self) -> bool:
        """True if the user has cancelled."""
        return self._cancel is not None and self._cancel.is_set()

    def is_set(self) -> bool:
        return super().is_set() or self.cancelled or time.monotonic() >= self._end
