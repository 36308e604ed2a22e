"""Cache of predictions, on the release and optionally in a store, so that no miner is trained twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from workbench.base.progress import cancellable_lock, checkpoint
from workbench.miners import Miner
from workbench.miners.fitting import TrainingData
from workbench.releases.base import Release


class PredictionCache(Protocol):
    """Storage for predictions that outlives the release."""

    def mined(self, content: bytes, miner: Miner) -> np.ndarray | None:
        """Return the predictions of a miner for this work, if stored."""

    def put_predictions(self, content: bytes, miner: Miner, found: np.ndarray) -> None:
        """Store the predictions of a miner."""


Mine = Callable[[Sequence[Miner]], Mapping[Miner, np.ndarray]]
Memory = dict[Any, np.ndarray]
_turn = threading.Lock()
_cache: ContextVar[PredictionCache | None] = ContextVar("predictions", default=None)


@contextmanager
def use_cache(cache: PredictionCache | None) -> Iterator[None]:
    """Use this storage for everything mined in this context and thread."""
    before = _cache.set(cache)
    try:
        yield
    finally:
        _cache.reset(before)


def cached_predictions(
    release: Release, work: TrainingData, asked: Sequence[Miner], mine: Mine, look: Callable[[], object] = checkpoint
) -> dict[Miner, np.ndarray]:
    """Return the predictions of each miner: from the cache, or from `mine` for the missing ones.

    Another thread may have mined them while this one waited for its turn.
    """
    with mining_lock(look):
        return _cached_predictions(release.mined, work, asked, mine)


def mining_lock(look: Callable[[], object] = checkpoint) -> AbstractContextManager[None]:
    """Return a context that one thread can enter at a time, since memory is budgeted for one set of processes."""
    return cancellable_lock(_turn, look)


def _cached_predictions(
    memory: Memory, work: TrainingData, asked: Sequence[Miner], mine: Mine
) -> dict[Miner, np.ndarray]:
    content, cache = work.content, _cache.get()
    for miner in asked:
        if (content, miner) not in memory and cache is not None:
            found = cache.mined(content, miner)
            if found is not None and len(found) == len(work.fold):
                memory[content, miner] = found
    missing = [miner for miner in asked if (content, miner) not in memory]
    for miner, predicted in (mine(missing) if missing else {}).items():
        memory[content, miner] = predicted
        if cache is not None:
            cache.put_predictions(content, miner, predicted)
    return {miner: memory[content, miner] for miner in asked}
