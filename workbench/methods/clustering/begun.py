"""A clustering that was cancelled goes on from the clusters that it had, to the same release."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from workbench.base.progress import Cancelled, step
from workbench.data.table import Table
from workbench.methods.clustering.entries import Entries
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods import Method

EVERY = 5.0  # seconds between two times that clusters are kept
MOST = 4  # releases of a table of which clusters are kept in memory: those that were cancelled last
DIGEST = 16  # bytes


class Grown(NamedTuple):
    """The entry of each record that is in a cluster, cluster after cluster, and the sizes of the clusters."""

    taken: np.ndarray
    sizes: np.ndarray


NOTHING = Grown(np.empty(0, np.int32), np.empty(0, np.int32))


class Place(Protocol):
    """Where the clusters of one release are kept beyond the table."""

    def begun(self) -> bytes | None:
        """What was kept there, if nobody else has changed it."""

    def keep_begun(self, content: bytes) -> None:
        """Keep this instead."""


_place: ContextVar[Place | None] = ContextVar("place", default=None)
_turn = threading.Lock()


@contextmanager
def kept_at(place: Place | None) -> Iterator[None]:
    """Clusters that are grown in here, in this thread, are looked for in a place, and kept there.

    They stay when all are grown: what else is made of them may be cancelled. Who needs them no more removes them.
    """
    before = _place.set(place)
    try:
        yield
    finally:
        _place.reset(before)


class Follower:
    """Follows how clusters are grown, which begin with those that were `grown` before."""

    grown = NOTHING

    def watch(self, now: Callable[[], Grown]) -> None:
        """Whom to ask for all clusters that are whole."""

    def step(self, records: int) -> None:
        """So many records are in clusters."""
        step()


NOBODY = Follower()


class Begun(Follower):
    """The clusters of one release: those that were grown before it was cancelled, and those that are grown now."""

    def __init__(self, table: Table, method: Method, model: Model | None, seed: int, entries: Entries) -> None:
        self._memory, self._key, self._place = _memory(table), (method, model, seed), _place.get()
        self._about, self._records = _about(self._key, entries), int(entries.records.sum())
        with _turn:
            about, grown = self._memory.get(self._key, (b"", NOTHING))
        if about != self._about:
            grown = self._read(self._place.begun() if self._place else None)
        self.grown = grown
        self._now: Callable[[], Grown] = lambda: grown
        self._kept = time.monotonic()

    def watch(self, now: Callable[[], Grown]) -> None:
        self._now = now

    def step(self, records: int) -> None:
        """Say it, and now and then keep them."""
        before = len(self.grown.taken) / self._records
        on = f" goes on from {100 * before:.0f} %" if before else ""
        step(f"clustering{on}: {records:,} of {self._records:,} records")
        if time.monotonic() - self._kept >= EVERY:
            self.keep()

    def keep(self) -> None:
        """In the table's memory, and in the place if there is one."""
        taken, sizes = (array.astype("<i4") for array in self._now())
        with _turn:
            self._memory.pop(self._key, None)
            self._memory[self._key] = self._about, Grown(taken, sizes)
            while len(self._memory) > MOST:
                del self._memory[next(iter(self._memory))]
        if self._place is not None:
            count = np.array([len(sizes)], "<i4")
            self._place.keep_begun(self._about + count.tobytes() + sizes.tobytes() + taken.tobytes())
        self._kept = time.monotonic()

    def forget(self) -> None:
        """Nothing in memory any more."""
        with _turn:
            self._memory.pop(self._key, None)

    def _read(self, content: bytes | None) -> Grown:
        """What is in the place, if it is about the same entries."""
        if content is None or content[:DIGEST] != self._about:
            return NOTHING
        count, *_ = found = np.frombuffer(content, "<i4", offset=DIGEST)
        return Grown(found[1 + count :], found[1 : 1 + count])


@contextmanager
def going_on(table: Table, method: Method, model: Model | None, seed: int, entries: Entries) -> Iterator[Begun]:
    """The clusters that this release has; if it is cancelled in here, those that it has by then are kept."""
    begun, began = Begun(table, method, model, seed, entries), time.monotonic()
    try:
        yield begun
    except (Cancelled, KeyboardInterrupt):
        begun.keep()
        raise
    if time.monotonic() - began >= EVERY:
        begun.keep()
    begun.forget()


def share_begun(table: Table, method: Method, model: Model | None, seed: int) -> float:
    """The share of the records that are in clusters which the table remembers of a release."""
    with _turn:
        _, grown = _memory(table).get((method, model, seed), (b"", NOTHING))
    return len(grown.taken) / max(table.records, 1)


Memory = dict[tuple["Method", Model | None, int], tuple[bytes, Grown]]


def _memory(table: Table) -> Memory:
    found: Memory = table.remember("begun clusterings", dict)
    return found


def _about(key: tuple[Method, Model | None, int], entries: Entries) -> bytes:
    """A digest of what decides the clusters: the settings, and the entries in their order."""
    found = hashlib.blake2b(repr(key).encode(), digest_size=DIGEST)
    for array in (entries.codes, entries.records, *entries.values.values()):
        found.update(np.ascontiguousarray(array).data)
    return found.digest()
