"""What miners predicted is kept: on the release, and in a store where there is one, so that no miner is asked twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from workbench.base.progress import holding, step
from workbench.miners import Miner
from workbench.miners.fitting import Work
from workbench.releases.base import Release


class Shelf(Protocol):
    """Where predictions are kept beyond the release."""

    def mined(self, content: bytes, miner: Miner) -> np.ndarray | None:
        """What the miner predicted of this work."""

    def keep_mined(self, content: bytes, miner: Miner, found: np.ndarray) -> None:
        """Keep what it predicted."""


Mine = Callable[[Sequence[Miner]], Mapping[Miner, np.ndarray]]
Memory = dict[Any, np.ndarray]
_turn = threading.Lock()
_shelf: ContextVar[Shelf | None] = ContextVar("shelf", default=None)


@contextmanager
def kept_in(shelf: Shelf | None) -> Iterator[None]:
    """What is mined in here, in this thread, is looked for on the shelf, and kept there."""
    before = _shelf.set(shelf)
    try:
        yield
    finally:
        _shelf.reset(before)


def remembered(
    release: Release, work: Work, asked: Sequence[Miner], mine: Mine, look: Callable[[], object] = step
) -> dict[Miner, np.ndarray]:
    """What each miner predicts of this work: what is known already, and what `mine` finds of the others.

    Who waits may find what another has mined meanwhile.
    """
    with alone(look):
        return _remembered(release.mined, work, asked, mine)


def alone(look: Callable[[], object] = step) -> AbstractContextManager[None]:
    """One mines at a time: memory is for so many processes."""
    return holding(_turn, look)


def _remembered(memory: Memory, work: Work, asked: Sequence[Miner], mine: Mine) -> dict[Miner, np.ndarray]:
    content, shelf = work.content, _shelf.get()
    for miner in asked:
        if (content, miner) not in memory and shelf is not None:
            found = shelf.mined(content, miner)
            if found is not None and len(found) == len(work.fold):
                memory[content, miner] = found
    missing = [miner for miner in asked if (content, miner) not in memory]
    for miner, predicted in (mine(missing) if missing else {}).items():
        memory[content, miner] = predicted
        if shelf is not None:
            shelf.keep_mined(content, miner, predicted)
    return {miner: memory[content, miner] for miner in asked}
