"""A sweep beside the kernel: points arrive in the chart as they are measured, and it can be cancelled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from widgets.base.worker import Tell, Worker
from workbench.base.progress import Cancelled, Say, listening
from workbench.base.variants import canonical
from workbench.data.table import Table
from workbench.frontier.duration import seconds
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import BASELINES, sweep
from workbench.measures import Measure

OFTEN = 0.15  # seconds between two pictures of an unfinished frontier
Arrived = Callable[[Frontier, int, int, bool], object]  # what there is, how many are done, of how many, going on?


class Sweeper:
    """`start` measures recipes; `arrived` is called in the kernel's thread now and then, and when it is over.

    `said` is called with words about a point that takes long, `expected` with the seconds that all will take. What does
    not go with the table is a point that says why; it stops no other.
    """

    def __init__(
        self,
        arrived: Arrived,
        failed: Callable[[BaseException], object],
        said: Say,
        expected: Callable[[float], object],
    ) -> None:
        self._arrived, self._said, self._expected = arrived, said, expected
        self._worker = Worker(failed)

    def start(self, table: Table, recipes: Sequence[Recipe], measures: Sequence[Measure], store: Store | None) -> None:
        """A newer sweep makes this one stale."""

        def job(cancel: threading.Event, tell: Tell) -> None:
            place = {told_apart(recipe): i for i, recipe in enumerate([*recipes, *BASELINES])}
            done: dict[int, Point] = {}
            last = 0.0

            def progress(count: int, total: int, point: Point) -> None:
                nonlocal last
                done[place[told_apart(point.recipe)]] = point
                if not cancel.is_set() and time.monotonic() - last >= OFTEN:
                    last = time.monotonic()
                    there = [done[i] for i in sorted(done)]
                    tell(self._arrived, Frontier(there, measures, False), len(there), len(place), True)

            def say(words: str) -> None:
                tell(self._said, words)

            def measure(asked: Sequence[Recipe], processors: int) -> None:
                sweep(table, asked, measures, store, threads=processors, progress=progress, cancel=cancel, say=say,
                      partly=True)  # fmt: skip

            try:
                measure([], 1)  # the ends first: they span the axes, and nothing jumps afterwards
                if recipes and not cancel.is_set():
                    with suppress(Cancelled), listening(cancel):
                        tell(self._expected, seconds(table, recipes, measures, store) / min(threads(), len(recipes)))
                    measure(recipes, threads())
            finally:  # also after an error there is what could be made
                there = [done[i] for i in sorted(done)]
                found = Frontier(there, measures, complete=len(there) == len(place))
                tell(self._arrived, found, len(there), len(place), False)

        self._worker.start(job)

    @property
    def busy(self) -> bool:
        """Whether points are being measured."""
        return self._worker.busy

    def forget(self) -> None:
        """Stop, and say nothing more."""
        self._worker.forget()

    def cancel(self) -> None:
        """Stop before the next point; what is measured stays."""
        self._worker.cancel()


def told_apart(recipe: Recipe) -> str:
    """Equal for recipes that a sweep takes as one."""
    about = recipe.to_dict()
    return canonical({**about, "seed": 0} if recipe.baseline else about)


def threads() -> int:
    """One processor is left to the person in front of it."""
    return max(1, (os.cpu_count() or 1) - 1)
