"""A background search for better points than those of the study; they appear in the chart when they are found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from widgets.base.worker import Tell, Worker
from widgets.session.sweeping import OFTEN
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.search import search
from workbench.frontier.store import Store
from workbench.studies.study import Study, ranges_from_recipe

Arrived = Callable[[Frontier, str], object]  # the frontier with the new points, and the progress of the search
Found = Callable[[Frontier, Sequence[str]], object]  # the final frontier, and what was tried


class Finder:
    """`start` searches within a budget; `arrived` is called in the kernel's thread now and then, `found` at the end."""

    def __init__(self, arrived: Arrived, found: Found, failed: Callable[[BaseException], object]) -> None:
        self._arrived, self._found, self._worker = arrived, found, Worker(failed)

    @property
    def busy(self) -> bool:
        """Return whether a search is running."""
        return self._worker.busy

    def start(self, table: Table, study: Study, there: Frontier, budget: str, store: Store | None) -> None:
        """Better points than those that are there, on their axes and under the study's caps."""
        measures = sorted(there.measures, key=lambda one: one.key not in there.axes)  # the axes are what is sought
        caps = {key: value for key, value in study.caps.items() if any(one.key == key for one in measures)}

        def job(cancel: threading.Event, tell: Tell) -> None:
            new: list[Point] = []
            last = 0.0

            def progress(done: int, point: Point) -> None:
                nonlocal last
                new.append(point)
                if not cancel.is_set() and time.monotonic() - last >= OFTEN:
                    last = time.monotonic()
                    tell(self._arrived, joined(there, new, complete=False), f"{done} releases tried")

            result = search(
                table, measures, caps, budget, None, store, study.seed, progress=progress, cancel=cancel,
                smallest=study.smallest,
            )  # fmt: skip
            tell(self._found, joined(there, result.measured, complete=True), result.notes)

        self._worker.start(job)

    def cancel(self) -> None:
        """Stop at once; what was found stays."""
        self._worker.cancel()

    def forget(self) -> None:
        """Stop, and say nothing more."""
        self._worker.forget()


def joined(there: Frontier, new: Iterable[Point], complete: bool) -> Frontier:
    """The points that are there, and those of the new ones that are not; the baselines come last."""
    known = {point.recipe.identity for point in there.measured}
    added = [(point, None) for point in new if point.recipe.identity not in known]
    every = [(point, there.number(i)) for i, point in enumerate(there.measured)]
    own = [(point, number) for point, number in every if not point.recipe.baseline]
    ends = [(point, number) for point, number in every if point.recipe.baseline]
    points, numbers = zip(*own, *added, *ends, strict=True)
    return Frontier(points, there.measures, complete, there.privacy, there.utility, numbers=numbers)


def worth_keeping(found: Frontier, there: Sequence[Recipe]) -> list[dict[str, Any]]:
    """The efficient points that the study does not have, as it writes recipes: a list of numbers for each family."""
    known = {recipe.identity for recipe in there}
    families: dict[str, list[Recipe]] = {}
    for point, stands in zip(found.measured, found.is_efficient(), strict=True):
        if stands and point.recipe.identity not in known:
            several = point.recipe.model is not None and point.recipe.model.figure
            families.setdefault(point.recipe.line if several else str(point.recipe), []).append(point.recipe)
    return [_written(recipes) for recipes in families.values()]


def _written(recipes: Sequence[Recipe]) -> dict[str, Any]:
    """Recipes that differ in one number, as one entry of a study."""
    ranges, model = ranges_from_recipe(recipes[0]), recipes[0].model
    if model is not None and len(recipes) > 1:
        ranges["model"][model.figure] = sorted(getattr(one.model, model.figure) for one in recipes)
    return ranges
