"""Predictions of miners, stored next to the points: another measure or session does not mine again."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.parameters import canonical
from workbench.frontier.store import ENGINE, Store, own_sources
from workbench.miners import Miner

ENDING = ".mined"


class StoredPredictions:
    """Stored predictions of miners, by the miner's settings and training data; as private as the
    records.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def mined(self, content: bytes, miner: Miner) -> np.ndarray | None:
        """Return the miner's predictions, if they are stored."""
        path = self._place(content, miner)
        if not path.exists():
            return None
        try:
            return np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise BadInput(f"store: {str(path)!r} cannot be read; delete it, and run the sweep again") from None

    def put_predictions(self, content: bytes, miner: Miner, found: np.ndarray) -> None:
        """Store predictions; does nothing if the store is read-only."""
        if self.store.writable:
            sink = BytesIO()
            np.save(sink, found, allow_pickle=False)
            self.store.put_file(self._place(content, miner), sink.getvalue())

    def _place(self, content: bytes, miner: Miner) -> Path:
        about = {"miner": miner.to_dict(), "engine": ENGINE.digest, "own": own_sources([miner])}
        return self.store.folder / f"{self.store.keyed(content + canonical(about).encode())}{ENDING}"
