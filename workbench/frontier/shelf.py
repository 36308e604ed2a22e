"""What miners predicted, kept in the store beside the points: another measure or session asks no miner again."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.variants import canonical
from workbench.frontier.store import ENGINE, Store, own_sources
from workbench.miners import Miner

ENDING = ".mined"


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
