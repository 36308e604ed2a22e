"""The store of points: in a named folder, next to the study's file, or temporary."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from widgets.session.study_file import StudyFile
from workbench.base.files import scratch
from workbench.frontier.store import Store
from workbench.studies.study import results_folder


class PointStore:
    """The current store, created when the first points are stored; it follows the file of the study."""

    def __init__(self, named: str | PathLike[str] | None, file: Callable[[], StudyFile | None]) -> None:
        self._named, self._file = named, file
        self._stores: dict[str, Store] = {}
        self._discard: weakref.finalize | None = None
        if named is not None:
            self._stores[str(named)] = Store(named)  # raises BadInput for an unusable folder

    @property
    def store(self) -> Store:
        """The store of the current study."""
        file = self._file()
        place = self._named if self._named is not None else results_folder(file.path) if file is not None else ""
        if str(place) not in self._stores:
            self._stores[str(place)] = Store(place or self._temporary_folder())
        return self._stores[str(place)]

    def _temporary_folder(self) -> Path:
        """Create a folder that is removed with the workbench, or at the end of the kernel."""
        folder = scratch()
        self._discard = weakref.finalize(self, shutil.rmtree, folder, True)
        return folder

    @property
    def permanent_folder(self) -> Path | None:
        """The folder, if it remains when the workbench is closed."""
        folder = self.store.folder
        return folder if self._discard is None else None

    def close(self) -> None:
        """Remove the temporary store."""
        if self._discard is not None:
            self._discard()
