"""What is kept in the store beside the points: what miners predicted, and the clusters of points that are not finished.

Another measure or session asks no miner again, and a clustering that was cancelled goes on.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.variants import canonical
from workbench.frontier.store import ENGINE, Store, own_sources
from workbench.miners import Miner

ENDING, BEGUN = ".mined", ".begun"
MOST = 8  # points that are not finished of which clusters are kept: the last ones


class StoreShelf:
    """Found by all that the miner has seen, and what it is; as private as the records, and for the owner alone."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def mined(self, content: bytes, miner: Miner) -> np.ndarray | None:
        """What the miner predicted, if it is there."""
        path = self._place(content, miner)
        if not path.exists():
            return None
        try:
            return np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise BadInput(f"store: {str(path)!r} cannot be read; delete it, and sweep again") from None

    def keep_mined(self, content: bytes, miner: Miner, found: np.ndarray) -> None:
        """Keep what it predicted; nothing is kept where nothing can be."""
        if self.store.writable:
            sink = BytesIO()
            np.save(sink, found, allow_pickle=False)
            self.store.put_file(self._place(content, miner), sink.getvalue())

    def _place(self, content: bytes, miner: Miner) -> Path:
        about = {"miner": miner.to_dict(), "engine": ENGINE, "own": own_sources([miner])}
        return self.store.folder / f"{self.store.keyed(content + canonical(about).encode())}{ENDING}"


class StorePlace:
    """The clusters of one point, under its key, until it is finished; what somebody else has written is nothing."""

    def __init__(self, store: Store, key: str) -> None:
        self.store, self.path = store, store.folder / f"{key}{BEGUN}"

    def begun(self) -> bytes | None:
        """What was kept, if it is as it was kept here."""
        try:
            return self.store.unsealed(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput(
                f"store: {str(self.path)!r} cannot be read ({error.strerror}); delete it, and sweep again"
            ) from None

    def keep_begun(self, content: bytes) -> None:
        """Keep this instead."""
        self.store.put_file(self.path, self.store.sealed(self.path, content), instead=True)
        there = sorted(self.store.folder.glob(f"*{BEGUN}"), key=_written)
        for path in there[:-MOST]:
            path.unlink(missing_ok=True)

    def clear(self) -> None:
        """The point is finished."""
        self.path.unlink(missing_ok=True)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process has finished its point
        return 0.0
