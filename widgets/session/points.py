"""The points of the current study, shared by all parts; points that are out of date are dimmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from widgets.frontier.frontier import FrontierChart
from widgets.preview.preview import ReleasePreview
from widgets.release.release import ReleaseCard
from widgets.session.intervals import BackgroundIntervals
from widgets.session.lower_bounds import BackgroundBounds
from widgets.session.search import BackgroundSearch, efficient_recipes
from widgets.session.session import Session
from widgets.session.sweep import BackgroundSweep
from widgets.topbar.topbar import TopBar
from workbench.base.errors import BadInput
from workbench.base.progress import Remaining
from workbench.frontier.decision import decide
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.studies.study import chart_axes


class Points:
    """The measured points: `frontier` is None until this study has some; `on_complete()` is called after the last."""

    def __init__(
        self,
        session: Session,
        store: Callable[[], Store],
        parts: tuple[FrontierChart, ReleaseCard, ReleasePreview, TopBar],
        quietly: Callable[[], AbstractContextManager[None]],
        on_complete: Callable[[], object],
        add_recipes: Callable[[list[dict[str, Any]]], object],
    ) -> None:
        self.frontier: Frontier | None = None
        self._without_intervals: Frontier | None = None  # the complete frontier before intervals are added
        self._interval_settings: Mapping[str, Any] = {}  # of the last intervals
        self._places: dict[str, int] = {}  # positions by recipe
        self._session, self._store, self._quietly, self._on_complete = session, store, quietly, on_complete
        self._chart, self._card, self._preview, self._top = parts
        self._remaining = Remaining()  # time of the sweep
        self._bounds, self._add_recipes = BackgroundBounds(self._chart, self._card), add_recipes
        self._search = BackgroundSearch(self._search_progressed, self._search_ended, self._search_failed)
        self._intervals = BackgroundIntervals(
            self._intervals_progressed, self._intervals_ended, self._intervals_failed, self._bounds.pausable
        )
        self._chart.find, self._chart.stop_finding = self.find, self._stop
        self._chart.finds = True
        self._sweep = BackgroundSweep(self._show_progress, self._failed, lambda text: self._top.state(doing=text))

    @property
    def busy(self) -> bool:
        """Return whether points are being measured."""
        return self._sweep.busy

    def outdate(self) -> None:
        """Mark the points as out of date: they are dimmed on the chart, and no release is compared with them."""
        self.frontier = None
        self._bounds.forget()
        self._discard_results()
        self._chart.finding(False, "", [])  # notes of a search on these points
        with self._quietly():
            self._card.frontier = self._preview.frontier = self._chart.moving = None
        self._chart.stale = True

    def measure(self) -> None:
        """Measure the points of the study; an older sweep is cancelled."""
        study, table = self._session.study, self._session.table
        self._discard_results()
        if table is None:
            self._sweep.forget()
            self._chart.growing = False
            self._chart.total, self._chart.empty = (
                0,
                "Choose at least one quasi-identifier: a column that attackers may know.",
            )
            self._show(None)
            self._top.state(busy=[0, 0, False])
            return
        self._chart.stale = self._chart.growing = True  # stale until the first points of this sweep arrive
        recipes, measures = study.candidates(), study.measured()
        self._chart.total = len(recipes) + 2
        self._top.state(busy=[0, len(recipes) + 2, True], remaining="")
        self._remaining = Remaining()
        self._top.fine("")
        self._sweep.start(table, recipes, measures, self._store(), study.smallest)

    def cancel(self) -> None:
        """Cancel the sweep; the view changes at once, the current point is finished in the background."""
        self._sweep.cancel()
        self._stopped()

    def _stopped(self) -> None:
        self._top.state(busy=[len(self), len(self._session.study.candidates()) + 2, False])

    def forget(self) -> None:
        """Stop all work, and report nothing more."""
        self._sweep.forget()
        self._bounds.forget()
        self._discard_results()

    def __len__(self) -> int:
        return len(self.frontier.measured) if self.frontier is not None else 0

    def _show_progress(self, frontier: Frontier, done: int, total: int, unfinished: bool) -> None:
        """Show the points that have been measured so far."""
        self._show(frontier)
        self._chart.growing = unfinished
        self._top.state(busy=[done, total, unfinished], doing="", remaining=self._remaining.text(done, total))
        if not unfinished:
            self._on_complete()
            self._bounds.compute(self._session.table, frontier)
            self._complete()

    def _complete(self) -> None:
        """Compute intervals, if the study requests them, when no more points are expected."""
        self._without_intervals = self.frontier
        self._show_intervals()

    def _show_intervals(self) -> None:
        """Compute the requested intervals when all points are measured."""
        table, self._interval_settings = self._session.table, self._session.study.intervals
        if self._intervals.busy:
            self._cancel_intervals()
        if table is None or self._without_intervals is None:
            return
        if self.frontier is not self._without_intervals:
            self._chart.finding(False, "")
            self._show(self._without_intervals)
            self._without_intervals = self.frontier
        if self._interval_settings and self._without_intervals is not None:
            self._intervals.start(table, self._without_intervals, self._interval_settings, self._store())

    def _intervals_progressed(self, words: str) -> None:
        self._chart.finding(True, words)

    def _intervals_ended(self, found: Frontier) -> None:
        self._chart.finding(False, "")
        self._show(found)

    def _intervals_failed(self, error: BaseException) -> None:
        self._cancel_intervals()
        self._chart.wrong("intervals", error)

    def _cancel_intervals(self) -> None:
        self._intervals.forget()
        self._chart.finding(False, "")

    def _stop(self) -> None:
        """Cancel the search and keep its points, or cancel the intervals and remove them from the study."""
        if self._intervals.busy:
            self._cancel_intervals()
            self._chart.intervals = {}
        else:
            self._search.cancel()

    def find(self, budget: str) -> None:
        """Search for better points; those that are efficient join the study at the end."""
        study, table = self._session.study, self._session.table
        current = self._without_intervals or self.frontier
        if table is None or current is None or self.busy or self._search.busy or self._intervals.busy:
            raise BadInput("wait until all points are measured")
        self._without_intervals = None
        self._chart.finding(True, "searching", [])
        self._search.start(table, study, current, budget, self._store())

    def _search_progressed(self, found: Frontier, words: str) -> None:
        self._chart.growing = True
        self._show(found)
        self._chart.finding(True, words)

    def _search_ended(self, found: Frontier, notes: Sequence[str]) -> None:
        self._chart.growing = False
        self._show(found)
        new = efficient_recipes(found, self._session.study.candidates())
        self._add_recipes(new)
        self._chart.finding(False, notes[-1], notes[:-1])
        if not new:  # otherwise new points are measured first
            self._complete()

    def _search_failed(self, error: BaseException) -> None:
        self._chart.growing = False
        self._chart.finding(False, "")
        self._chart.wrong("find", error)
        self._complete()

    def _discard_results(self) -> None:
        """Stop searches and intervals of points that are out of date, and remove their results."""
        self._without_intervals = None
        if self._intervals.busy:
            self._cancel_intervals()
        if self._search.busy:
            self._search.forget()
        self._chart.finding(False, "")

    def _failed(self, error: BaseException) -> None:
        """Keep the measured points after an error, and offer to measure the others."""
        self._chart.growing = False
        self._top.wrong("", error)
        self._stopped()

    def update_display(self) -> None:
        """Show the points again after a change of axes or intervals."""
        if self._session.study.intervals != self._interval_settings:
            self._show_intervals()
        elif self.frontier is not None:
            self._show(self.frontier)

    def _show(self, frontier: Frontier | None) -> None:
        """Show a frontier on the study's axes in all parts."""
        self.frontier = _on(frontier, chart_axes(self._session.study)) if frontier is not None else None
        measured = self.frontier.measured if self.frontier is not None else ()
        self._places = {point.recipe.identity: i for i, point in enumerate(measured)}
        self._chart.stale = False
        with self._quietly():
            self._chart.frontier = self._card.frontier = self._preview.frontier = self.frontier
        self.mark()

    def mark(self) -> None:
        """Mark the point of the release, even if it is not on the frontier or only estimated."""
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

    def recipe_at(self, place: int) -> Recipe | None:
        """Return the recipe at a position; None if there is none."""
        return self.frontier.measured[place].recipe if self.frontier is not None and 0 <= place < len(self) else None

    def best(self) -> Recipe | None:
        """Return the recipe of the first release: recommended under the caps, or suggested without; it may be None."""
        frontier = self.frontier
        if frontier is None or not (frontier.privacy and frontier.utility):
            return None
        measured = {one.key for one in frontier.measures}
        caps = {key: cap for key, cap in self._session.study.caps.items() if key in measured}
        number = decide(frontier, caps).recommended
        return None if number is None else frontier.measured[number - 1].recipe


def _on(frontier: Frontier, axes: tuple[str, ...]) -> Frontier:
    """Return the frontier on the study's axes, if both were measured."""
    measured = [key for key in axes if any(measure.key == key for measure in frontier.measures)]
    return frontier.on(*measured) if len(measured) == 2 else frontier
