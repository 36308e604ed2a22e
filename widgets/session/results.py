"""The results of a workbench for the next cell: the points, the release, and methods to wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any, Self

import pandas as pd

from widgets.base.kernel_thread import POLL, KernelThread, wait_until
from widgets.data.data import DataPicker
from widgets.disclosure.disclosure import DisclosureTable
from widgets.frontier.frontier import FrontierChart
from widgets.release.release import ReleaseCard
from widgets.session.points import Points
from widgets.session.session import Session
from workbench.base.errors import BadInput
from workbench.disclosure.exposure import disclosure_table
from workbench.frontier.frontier import Frontier
from workbench.releases.base import Release


class WorkbenchResults:
    """The read-only part of a workbench."""

    session: Session
    data: DataPicker
    chart: FrontierChart
    card: ReleaseCard
    disclosure: DisclosureTable
    _points: Points
    _kernel_thread: KernelThread | None

    @property
    def frontier(self) -> Frontier | None:
        """The points so far; None until the current study has some."""
        return self._points.frontier

    @property
    def points(self) -> pd.DataFrame:
        """A table with one row per point: recipe, parameters, measured values, and whether the point is efficient."""
        if self.frontier is None:
            raise BadInput(f"there are no points yet: {self._why_not()}")
        return self.frontier.points

    @property
    def release(self) -> Release:
        """The chosen release."""
        if self.card.release is None:
            raise BadInput(f"there is no release: {self.card.reason or self._why_not()}")
        return self.card.release

    @property
    def selected_classes(self) -> pd.DataFrame:
        """The selected rows of the table of classes, `disclosure_table(release)`."""
        view = self.disclosure
        rows = disclosure_table(self.release, view.sensitive or None, view.at_risk, view.model)
        return rows.loc[rows.index.isin(view.selected)]

    @property
    def busy(self) -> bool:
        """Return whether work for the study is still running."""
        making = self.data.reading or self.card.making or self._points.busy or self.disclosure.computing
        return making or self.chart.saved_picture.busy

    def wait(self) -> Self:
        """Block until all work has finished, in a cell or a script; the page stays responsive."""
        wait_until(self._kernel_thread, lambda: not self.busy, self._progress)
        return self._checked()

    async def ready(self) -> Self:
        """Wait until all work for the study has finished."""
        while self.busy:
            await asyncio.sleep(POLL)
        return self._checked()

    def __await__(self) -> Generator[Any, None, Self]:
        return self.ready().__await__()

    def _checked(self) -> Self:
        """Return the workbench; raise BadInput if the data cannot be read."""
        if self.session.table is None and self.data.trouble:
            raise BadInput(self.data.trouble)
        return self

    def _progress(self) -> str:
        return "reading the data" if self.data.reading else f"{len(self._points):,} of {self.chart.total:,} points"

    def _why_not(self) -> str:
        if self.busy:
            return "work is still running; wait for it with .wait(), or with await"
        if self.session.table is None:
            return self.data.trouble or "choose at least one quasi-identifier"
        return "choose a point or a model"
