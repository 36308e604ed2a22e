"""A cache of computed results that belongs to one object, such as a table or a release."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from workbench.base.progress import cancellable_lock

T = TypeVar("T")


class ResultCache:
    """Results by key, each computed once across all threads. Pickled copies start empty."""

    def __init__(self) -> None:
        self.results: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.Lock] = {}

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result with this key; compute it if it is missing."""
        if key not in self.results:
            with cancellable_lock(self._locks.setdefault(key, threading.Lock())):
                if key not in self.results:
                    self.results[key] = make()
        found: T = self.results[key]
        return found

    def __reduce__(self) -> tuple[type[ResultCache], tuple[()]]:
        return ResultCache, ()
