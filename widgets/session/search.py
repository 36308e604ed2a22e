"""A background search for better points than those of the study; new points appear in the chart as they are found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from widgets.base.part import with_controls
from widgets.base.worker import CallSoon, Worker
from widgets.session.sweep import REPORT_INTERVAL
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.search import search
from workbench.frontier.store import Store
from workbench.studies.study import Study, ranges_from_recipe

OnProgress = Callable[[Frontier, str], object]  # the frontier with the new points, and the progress of the search
OnResult = Callable[[Frontier, Sequence[str]], object]  # the final frontier, and what was tried


class BackgroundSearch:
    """`start` searches within a budget; `on_progress` is called at intervals and `on_result` at the end, both in the
    kernel's thread."""

    def __init__(
        self, on_progress: OnProgress, on_result: OnResult, on_error: Callable[[BaseException], object]
    ) -> None:
        self._on_progress, self._on_result, self._worker = on_progress, on_result, Worker(on_error)

    @property
    def busy(self) -> bool:
        """Return whether a search is running."""
        return self._worker.busy

    def start(self, table: Table, study: Study, current: Frontier, budget: str, store: Store | None) -> None:
        """Search for better points than the current ones, on the same axes and under the study's caps."""
        measures = sorted(current.measures, key=lambda one: one.key not in current.axes)  # the axes are the objectives
        caps = {key: value for key, value in study.caps.items() if any(one.key == key for one in measures)}

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            new: list[Point] = []
            last = 0.0

            def progress(done: int, point: Point) -> None:
                nonlocal last
                new.append(point)
                if not cancel.is_set() and time.monotonic() - last >= REPORT_INTERVAL:
                    last = time.monotonic()
                    call_soon(self._on_progress, join_points(current, new, complete=False), f"{done} releases tried")

            result = search(
                table, measures, caps, budget, None, store, study.seed, progress=progress, cancel=cancel,
                smallest=study.smallest,
            )  # fmt: skip
            call_soon(
                self._on_result,
                join_points(current, result.measured, complete=True),
                [*map(with_controls, result.notes)],
            )

        self._worker.start(job)

    def cancel(self) -> None:
        """Stop at once; the points found so far remain."""
        self._worker.cancel()

    def forget(self) -> None:
        """Stop, and report nothing more."""
        self._worker.forget()


def join_points(current: Frontier, new: Iterable[Point], complete: bool) -> Frontier:
    """Return the current points and the new ones, with the baselines last."""
    known = {point.recipe.identity for point in current.measured}
    added = [(point, None) for point in new if point.recipe.identity not in known]
    every = [(point, current.number(i)) for i, point in enumerate(current.measured)]
    own = [(point, number) for point, number in every if not point.recipe.baseline]
    ends = [(point, number) for point, number in every if point.recipe.baseline]
    points, numbers = zip(*own, *added, *ends, strict=True)
    return Frontier(points, current.measures, complete, current.privacy, current.utility, numbers=numbers)


def efficient_recipes(found: Frontier, current: Sequence[Recipe]) -> list[dict[str, Any]]:
    """Return the efficient recipes that are not in the study, in its format: one entry per family."""
    known = {recipe.identity for recipe in current}
    families: dict[str, list[Recipe]] = {}
    for point, is_efficient in zip(found.measured, found.is_efficient(), strict=True):
        if is_efficient and point.recipe.identity not in known:
            several = point.recipe.model is not None and point.recipe.model.figure
            families.setdefault(point.recipe.line if several else str(point.recipe), []).append(point.recipe)
    return [_study_entry(recipes) for recipes in families.values()]


def _study_entry(recipes: Sequence[Recipe]) -> dict[str, Any]:
    """Return recipes that differ in one number as one entry of a study."""
    ranges, model = ranges_from_recipe(recipes[0]), recipes[0].model
    if model is not None and len(recipes) > 1:
        ranges["model"][model.figure] = sorted(getattr(one.model, model.figure) for one in recipes)
    return ranges
