"""The points of the present study, shared by all parts; points that are out of date are dimmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from widgets.frontier.frontier import FrontierChart
from widgets.preview.preview import ReleasePreview
from widgets.release.release import ReleaseCard
from widgets.session.finding import Finder, worth_keeping
from widgets.session.possible import Possible
from widgets.session.session import Session
from widgets.session.sweeping import Sweeper
from widgets.session.tries import Tries
from widgets.topbar.topbar import TopBar
from workbench.base.durations import Remaining
from workbench.base.errors import BadInput
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store


class Points:
    """`frontier` is None while there are none of this study; `measured()` is called when all are there."""

    def __init__(
        self,
        session: Session,
        store: Callable[[], Store],
        parts: tuple[FrontierChart, ReleaseCard, ReleasePreview, TopBar],
        quietly: Callable[[], AbstractContextManager[None]],
        measured: Callable[[], object],
        keep: Callable[[list[dict[str, Any]]], object],
    ) -> None:
        self.frontier: Frontier | None = None
        self._bare: Frontier | None = None  # the same when all are there, without intervals that were asked for
        self._over: Mapping[str, Any] = {}  # what intervals were asked for last
        self._places: dict[str, int] = {}  # of its recipes
        self._session, self._store, self._quietly, self._measured = session, store, quietly, measured
        self._chart, self._card, self._preview, self._top = parts
        self._remaining = Remaining()  # of the sweep
        self._possible, self._keep = Possible(self._chart, self._card), keep
        self._finder = Finder(self._finding, self._found, self._find_failed)
        self._tries = Tries(self._trying, self._tried, self._try_failed, self._possible.patient)
        self._chart.find, self._chart.stop_finding = self.find, self._stop
        self._chart.finds = True
        self._sweeper = Sweeper(self._arrived, self._failed, lambda words: self._top.state(doing=words))

    @property
    def busy(self) -> bool:
        """Return whether points are being measured."""
        return self._sweeper.busy

    def outdate(self) -> None:
        """Mark the points as out of date: they are dimmed on the chart, and nothing is compared with them."""
        self.frontier = None
        self._possible.forget()
        self._stop_finding()
        self._chart.finding(False, "", [])  # what was tried, was on what is gone
        with self._quietly():
            self._card.frontier = self._preview.frontier = self._chart.moving = None
        self._chart.stale = True

    def measure(self) -> None:
        """Measure what the study asks for; a newer sweep makes this one stale."""
        study, table = self._session.study, self._session.table
        self._stop_finding()
        if table is None:
            self._sweeper.forget()
            self._chart.growing = False
            self._chart.total, self._chart.empty = 0, "Choose at least one quasi-identifier: what others may know."
            self._show(None)
            self._top.state(busy=[0, 0, False])
            return
        self._chart.stale = self._chart.growing = True  # stale until the first points of this sweep are there
        recipes, measures = study.candidates(), study.measured()
        self._chart.total = len(recipes) + 2
        self._top.state(busy=[0, len(recipes) + 2, True], remaining="")
        self._remaining = Remaining()
        self._top.fine("")
        self._sweeper.start(table, recipes, measures, self._store(), study.smallest)

    def cancel(self) -> None:
        """Cancel; the view changes at once, the present point is finished in the background."""
        self._sweeper.cancel()
        self._stopped()

    def _stopped(self) -> None:
        self._top.state(busy=[len(self), len(self._session.study.candidates()) + 2, False])

    def forget(self) -> None:
        """Stop, and say nothing more."""
        self._sweeper.forget()
        self._possible.forget()
        self._stop_finding()

    def __len__(self) -> int:
        return len(self.frontier.measured) if self.frontier is not None else 0

    def _arrived(self, frontier: Frontier, done: int, total: int, going_on: bool) -> None:
        """Show the points that have been measured so far."""
        self._show(frontier)
        self._chart.growing = going_on
        self._top.state(busy=[done, total, going_on], doing="", remaining=self._remaining.text(done, total))
        if not going_on:
            self._measured()
            self._possible.find(self._session.table, frontier)
            self._all_there()

    def _all_there(self) -> None:
        """No more points are coming: intervals, if the study asks for them."""
        self._bare = self.frontier
        self._show_intervals()

    def _show_intervals(self) -> None:
        """Compute the requested intervals when all points are measured."""
        table, self._over = self._session.table, self._session.study.intervals
        if self._tries.busy:
            self._end_tries()
        if table is None or self._bare is None:
            return
        if self.frontier is not self._bare:
            self._chart.finding(False, "")
            self._show(self._bare)
            self._bare = self.frontier
        if self._over and self._bare is not None:
            self._tries.start(table, self._bare, self._over, self._store())

    def _trying(self, words: str) -> None:
        self._chart.finding(True, words)

    def _tried(self, found: Frontier) -> None:
        self._chart.finding(False, "")
        self._show(found)

    def _try_failed(self, error: BaseException) -> None:
        self._end_tries()
        self._chart.wrong("intervals", error)

    def _end_tries(self) -> None:
        self._tries.forget()
        self._chart.finding(False, "")

    def _stop(self) -> None:
        """A search keeps what it found; intervals are not asked for any more."""
        if self._tries.busy:
            self._end_tries()
            self._chart.intervals = {}
        else:
            self._finder.cancel()

    def find(self, budget: str) -> None:
        """Search for better points; those that are efficient join the study at the end."""
        study, table, there = self._session.study, self._session.table, self._bare or self.frontier
        if table is None or there is None or self.busy or self._finder.busy or self._tries.busy:
            raise BadInput("wait until the points that are being measured are there")
        self._bare = None
        self._chart.finding(True, "searching", [])
        self._finder.start(table, study, there, budget, self._store())

    def _finding(self, found: Frontier, words: str) -> None:
        self._chart.growing = True
        self._show(found)
        self._chart.finding(True, words)

    def _found(self, found: Frontier, notes: Sequence[str]) -> None:
        self._chart.growing = False
        self._show(found)
        new = worth_keeping(found, self._session.study.candidates())
        self._keep(new)
        self._chart.finding(False, notes[-1], notes[:-1])
        if not new:  # else these are measured with the study's
            self._all_there()

    def _find_failed(self, error: BaseException) -> None:
        self._chart.growing = False
        self._chart.finding(False, "")
        self._chart.wrong("find", error)
        self._all_there()

    def _stop_finding(self) -> None:
        """Stop searches and intervals of points that are out of date, and remove their results."""
        self._bare = None
        if self._tries.busy:
            self._end_tries()
        if self._finder.busy:
            self._finder.forget()
        self._chart.finding(False, "")

    def _failed(self, error: BaseException) -> None:
        """Keep the measured points after an error, and offer to measure the others."""
        self._chart.growing = False
        self._top.wrong("", error)
        self._stopped()

    def show_as_asked(self) -> None:
        """The study's axes are others, or the intervals that it asks for."""
        if self._session.study.intervals != self._over:
            self._show_intervals()
        elif self.frontier is not None:
            self._show(self.frontier)

    def _show(self, frontier: Frontier | None) -> None:
        """On the study's axes, wherever it is seen."""
        self.frontier = _on(frontier, self._session.study.chart_axes()) if frontier is not None else None
        measured = self.frontier.measured if self.frontier is not None else ()
        self._places = {point.recipe.identity: i for i, point in enumerate(measured)}
        self._chart.stale = False
        with self._quietly():
            self._chart.frontier = self._card.frontier = self._preview.frontier = self.frontier
        self.mark()

    def mark(self) -> None:
        """Mark the point of the release, also if it is not on the frontier or only expected."""
        expected, place = self._card.expected, self._place(self._card.recipe)
        own = self._card.point if place < 0 and self.frontier is not None else None
        with self._quietly(), self._chart.hold_trait_notifications():
            self._chart.nearly = expected.why if expected else ""
            self._chart.moving = expected.point if expected else own
            self._chart.selected = -1 if expected else place

    def _place(self, recipe: Recipe | None) -> int:
        """Return the position of a recipe's point in the frontier; -1 if it has none."""
        if recipe is None or self.frontier is None:
            return -1
        return self._places.get(recipe.identity, -1)

    def at(self, place: int) -> Recipe | None:
        """The recipe at that place, if there is one."""
        return self.frontier.measured[place].recipe if self.frontier is not None and 0 <= place < len(self) else None

    def best(self) -> Recipe | None:
        """A release to begin with: the recommended one under the caps, or the suggestion without; None if none is."""
        frontier = self.frontier
        if frontier is None or not (frontier.privacy and frontier.utility):
            return None
        measured = {one.key for one in frontier.measures}
        caps = {key: cap for key, cap in self._session.study.caps.items() if key in measured}
        number = frontier.decide(caps).recommended
        return None if number is None else frontier.measured[number - 1].recipe


def _on(frontier: Frontier, axes: tuple[str, ...]) -> Frontier:
    """On the study's axes, as far as they were measured."""
    there = [key for key in axes if any(measure.key == key for measure in frontier.measures)]
    return frontier.on(*there) if len(there) == 2 else frontier
