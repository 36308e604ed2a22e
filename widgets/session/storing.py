"""The store of points: in a named folder, next to the study's file, or temporary."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from widgets.session.keeping import Keeper
from workbench.base.scratch import scratch
from workbench.frontier.store import Store
from workbench.studies.study import results_folder


class Storing:
    """The present store, created when the first points are stored; it follows the file of the study."""

    def __init__(self, named: str | PathLike[str] | None, keeper: Callable[[], Keeper | None]) -> None:
        self._named, self._keeper = named, keeper
        self._stores: dict[str, Store] = {}
        self._discard: weakref.finalize | None = None
        if named is not None:
            self._stores[str(named)] = Store(named)  # raises BadInput for an unusable folder

    @property
    def store(self) -> Store:
        """The folder of the study at hand."""
        keeper = self._keeper()
        place = self._named if self._named is not None else results_folder(keeper.path) if keeper is not None else ""
        if str(place) not in self._stores:
            self._stores[str(place)] = Store(place or self._private())
        return self._stores[str(place)]

    def _private(self) -> Path:
        """A folder that goes when the workbench does, or the kernel ends."""
        folder = scratch()
        self._discard = weakref.finalize(self, shutil.rmtree, folder, True)
        return folder

    @property
    def lasting(self) -> Path | None:
        """The folder, if it stays when the workbench is closed."""
        folder = self.store.folder
        return folder if self._discard is None else None

    def close(self) -> None:
        """Remove the temporary store."""
        if self._discard is not None:
            self._discard()
