"""Search: within a budget, points that a grid would not find. Caps are touched, gaps of the frontier are filled.

Each family (a method and a model) has one free parameter. Under caps it is bisected until the caps are touched, the
most promising family first; families that can't reach the best any more are given up; then the best ones are tried
around that place, and with the models of others joined to theirs. Without caps, or where nothing better is found, the
largest gap between neighbours on the frontier is looked into. What was tried, and why it stopped, is in the notes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from workbench.base import progress as underway
from workbench.base.errors import BadInput, said
from workbench.base.figures import figures
from workbench.data.table import Table
from workbench.frontier.budget import Budget, Deadline
from workbench.frontier.caps import limit_of
from workbench.frontier.families import asked, proposed
from workbench.frontier.frontier import Frontier
from workbench.frontier.gaps import widest
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import BASELINES, Bench
from workbench.frontier.track import Aim, Track
from workbench.measures import Measure

Progress = Callable[[int, Point], object]
CLOSE = 1.3  # times the best: families that are tried around where they touch the caps
PATIENCE = 16  # tries without a better point
BETTER = 0.001  # by so much a point is better
FIRST = 0.5, 0.3, 0.7  # positions that are tried first where there are no caps
FAR, NEARLY = 2, 0.02  # times what another loses that is as private: a family is given up at once
BEATEN = 3  # points of a family, none of them efficient, after which it is given up


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
    say: underway.Say | None = None,
) -> Frontier:
    """The points that were found in seconds ("2 min"), or in a number of evaluations ("40 evaluations").

    `families` are recipes, whose model's parameter is free; by default those that are promising. `caps` are by measure.
    `progress(evaluations, point)` is called after each point. What is sought is about the first measure of each side.
    Setting `cancel` stops it at once; what is found comes
    back in a frontier that is not complete.
    """
    if not isinstance(table, Table):
        raise BadInput(f"search: {said(table)} was given as table; call search(table, [...])")
    if not isinstance(measures, Iterable):
        raise BadInput(f"search: {said(measures)} was given as measures; call search(table, [...])")
    limit = Budget.read(budget)
    tried = [*(proposed(table, seed) if families is None else asked(table, families, seed))]
    bench = Bench(table, [*BASELINES, *(family.recipe(0.5) for family in tried)], measures, store)
    found = _Search(bench, limit, [Track(family) for family in tried], progress, say)
    aim = found.aim(caps or {})
    until = Deadline(limit.seconds, cancel)
    try:
        with underway.listening(until, say):
            for _ in found.steps(aim):
                pass
    except underway.Cancelled:
        found.stopped = "it was cancelled" if until.cancelled else f"the time is over ({limit})"
    return found.frontier(aim, complete=not until.cancelled)


@dataclass
class _Search:
    """What was evaluated, in the order in which it was."""

    bench: Bench
    limit: Budget
    tracks: list[Track]
    progress: Progress | None
    say: underway.Say | None
    points: list[Point] = field(default_factory=list)
    stopped: str = "nothing is left to try"

    def aim(self, caps: Mapping[Any, float]) -> Aim | None:
        """What the caps ask for; Undefined or BadInput where they fit no measure."""
        empty = Frontier([], self.bench.measures)
        privacy, utility = empty.axes
        if not isinstance(caps, Mapping):
            raise BadInput(f"caps = {said(caps)}: give a mapping from measure to number, as caps={{'P_loss': 0.2}}")
        limits = {empty.key(measure): limit_of(measure, cap) for measure, cap in caps.items()}
        by_key = {measure.key: measure for measure in self.bench.measures}
        goal = utility if any(by_key[key].side == "privacy" for key in limits) else privacy
        return Aim(by_key, limits, goal) if limits else None

    def steps(self, aim: Aim | None) -> Iterator[None]:
        """One evaluation after the other, until there is nothing to try or the budget is used."""
        for one in (self._ends(), *((self._touch(aim), self._around(aim)) if aim else ()), self._fill(aim)):
            for _ in one:
                if len(self.points) >= self.limit.evaluations:
                    self.stopped = f"the budget of {self.limit} is used"
                    return
                yield

    def frontier(self, aim: Aim | None, complete: bool) -> Frontier:
        """The points, with what was tried and why it stopped; the baselines come last."""
        own = [point for point in self.points if not point.recipe.baseline]
        ends = [point for point in self.points if point.recipe.baseline]
        notes = [track.said(aim) for track in self.tracks if track.tried or track.given_up]
        untried = sum(not (track.tried or track.given_up) for track in self.tracks)
        more = [f"{untried} more {'family was' if untried == 1 else 'families were'} not tried."] if untried else []
        notes += [*more, f"It stopped after {len(self.points)} evaluations: {self.stopped}."]
        return Frontier([*own, *ends], self.bench.measures, complete, notes=tuple(notes))

    def _evaluate(self, recipe: Recipe) -> Point:
        underway.step(f"{recipe}")
        point = self.bench.point(recipe)
        self.points.append(point)
        if self.progress is not None:
            self.progress(len(self.points), point)
        return point

    def _try(self, track: Track, place: float) -> None:
        try:
            track.tried[place] = self._evaluate(track.family.recipe(place))
        except BadInput as error:  # what does not go with the table: the notes say so
            track.given_up = str(error)
            return
        if track.undefined:
            reasons = next(iter(track.tried.values())).reasons
            track.given_up = next(iter(reasons.values()), "it has no value")

    @property
    def _open(self) -> list[Track]:
        return [track for track in self.tracks if not track.given_up]

    def _ends(self) -> Iterator[None]:
        for recipe in BASELINES:
            self._evaluate(recipe)
            yield

    # --- under caps

    def _touch(self, aim: Aim) -> Iterator[None]:
        """The family that promises most is bisected next; those that can't reach the best are given up."""
        yield from self._bisect(aim)
        joined = self._joined(aim)
        self.tracks += joined
        if joined:
            yield from self._bisect(aim)

    def _bisect(self, aim: Aim) -> Iterator[None]:
        while unsettled := [track for track in self._open if not track.settled]:
            best = self._best(aim)
            track = min(unsettled, key=lambda one: (not one.tried, one.hoped(aim)))
            if track.tried and track.hoped(aim) > best:
                track.given_up = f"within the caps it loses at least about {figures(track.hoped(aim), 'lower')}"
                continue
            place = track.next(aim, self._guess(track, aim))
            if place is None:
                track.settled = True
                track.given_up = (
                    "" if track.best(aim) else track.lacking(aim) or "none of its recipes is within the caps"
                )
                continue
            self._try(track, place)
            yield

    def _around(self, aim: Aim) -> Iterator[None]:
        """The best families once more, near to where they touch the caps: losses jump there."""
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

    def _joined(self, aim: Aim) -> list[Track]:
        """Under several caps, where one model keeps one of them alone: with it, those that another model makes."""
        found = []
        for key in aim.caps if len(aim.caps) > 1 else ():
            alone = Aim(aim.measures, {key: aim.caps[key]}, aim.goal)
            for track in self.tracks:
                point = track.best(alone)
                if point is not None and not aim.within(point):
                    others = (one.family for one in self.tracks if one.family.method == track.family.method)
                    found += [
                        Track(replace(one, beside=point.recipe.model))
                        for one in others
                        if one.model.line != track.family.model.line
                    ]
        return found

    def _best(self, aim: Aim) -> float:
        return min((aim.loss(point) for point in self.points if self._counts(point, aim)), default=np.inf)

    def _counts(self, point: Point, aim: Aim) -> bool:
        return not point.recipe.baseline and aim.within(point)

    def _lost(self, track: Track, aim: Aim) -> float:
        point = track.best(aim)
        return np.inf if point is None else aim.loss(point)

    def _guess(self, track: Track, aim: Aim) -> float:
        """Where others with the same model touch the caps, else the middle."""
        alike = [one for one in self.tracks if one.tried and one.family.model.line == track.family.model.line]
        touched = [one.bracket(aim)[0 if aim.rising else 1] for one in alike if one.best(aim) is not None]
        return float(np.median(touched)) if touched else 0.5

    # --- the whole frontier

    def _fill(self, aim: Aim | None) -> Iterator[None]:
        """The largest gap between neighbours, by the families of these; those that stay beaten are given up."""
        for track in self._open if aim is None else ():
            for place in FIRST:
                if not track.given_up and track.new(place):
                    self._try(track, place)
                    yield
                self._give_up_far()
        self._give_up_beaten()
        while (found := widest(self.frontier(None, complete=False), self._open)) is not None:
            self._try(*found)
            yield

    def _give_up_far(self) -> None:
        """Families of which every point loses more than `FAR` times as much as another that is nearly as private."""
        seen = self.frontier(None, complete=False)
        losses = dict(zip(map(id, seen.measured), seen.losses(), strict=True))
        known = np.array([losses[id(p)] for p in seen.measured if not p.recipe.baseline]).reshape(-1, 2)
        for track in self._open:
            own = np.array([losses[id(point)] for point in track.tried.values()]).reshape(-1, 2)
            ahead = [(known[:, 0] <= p + NEARLY * abs(p)) & (FAR * known[:, 1] < u) for p, u in own]
            if len(own) and all(one.any() for one in ahead):
                track.given_up = "each of its points loses far more than another"

    def _give_up_beaten(self) -> None:
        seen = self.frontier(None, complete=False)
        standing = {id(seen.measured[int(i)]) for i in np.flatnonzero(seen.is_efficient())}
        for track in self._open:
            if len(track.tried) >= BEATEN and not standing & {id(point) for point in track.tried.values()}:
                track.given_up = "each of its points is dominated"
