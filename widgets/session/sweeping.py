"""A background sweep: points appear in the chart when they are measured, and it can be cancelled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence

from widgets.base.worker import Tell, Worker
from workbench.base.progress import Report
from workbench.base.small_counts import SMALLEST
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import numbered_recipes, sweep
from workbench.measures import Measure

OFTEN = 0.15  # seconds between two pictures of an unfinished frontier
Arrived = Callable[[Frontier, int, int, bool], object]  # what there is, how many are done, of how many, going on?


class Sweeper:
    """`start` measures recipes; `arrived` is called in the kernel's thread now and then, and when it is over.

    `said` is called with words about a point that takes long. What does not go with the table is a point that says why;
    it stops no other.
    """

    def __init__(
        self,
        arrived: Arrived,
        failed: Callable[[BaseException], object],
        said: Report,
    ) -> None:
        self._arrived, self._said = arrived, said
        self._worker = Worker(failed)

    def start(
        self,
        table: Table,
        recipes: Sequence[Recipe],
        measures: Sequence[Measure],
        store: Store | None,
        smallest: int = SMALLEST,
    ) -> None:
        """A newer sweep makes this one stale."""

        def job(cancel: threading.Event, tell: Tell) -> None:
            place = {recipe.identity: i for i, recipe in enumerate(numbered_recipes(recipes))}
            done: dict[int, Point] = {}
            last = 0.0

            def there() -> Frontier:
                order, complete = sorted(done), len(done) == len(place)
                return Frontier([done[i] for i in order], measures, complete, numbers=[i + 1 for i in order])

            def progress(count: int, total: int, point: Point) -> None:
                nonlocal last
                done[place[point.recipe.identity]] = point
                if not cancel.is_set() and time.monotonic() - last >= OFTEN:
                    last = time.monotonic()
                    tell(self._arrived, there(), len(done), len(place), True)

            def say(words: str) -> None:
                tell(self._said, words)

            def measure(asked: Sequence[Recipe], processors: int) -> None:
                sweep(table, asked, measures, store, threads=processors, progress=progress, cancel=cancel, say=say,
                      partly=True, smallest=smallest)  # fmt: skip

            try:
                measure([], 1)  # the ends first: they span the axes, and nothing jumps afterwards
                if recipes and not cancel.is_set():
                    measure(recipes, threads())
            finally:  # also after an error there is what could be made
                tell(self._arrived, there(), len(done), len(place), False)

        self._worker.start(job)

    @property
    def busy(self) -> bool:
        """Return whether points are being measured."""
        return self._worker.busy

    def forget(self) -> None:
        """Stop, and say nothing more."""
        self._worker.forget()

    def cancel(self) -> None:
        """Stop before the next point; what is measured stays."""
        self._worker.cancel()


def threads() -> int:
    """One processor is left to the person in front of it."""
    return max(1, (os.cpu_count() or 1) - 1)
