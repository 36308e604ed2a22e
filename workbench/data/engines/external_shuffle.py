"""Shuffle many rows with little memory: assign them to files at random, then shuffle each file.

All orders are equally likely, as if each row drew a number whose first digit is the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from workbench.base.progress import checkpoint
from workbench.base.randomness import operating_system_random
from workbench.data.engines import BATCH

PILE = 2**22  # rows per file
MOST = 256  # maximum number of open files


class ExternalShuffle:
    """Anonymous temporary files in a folder, for at most `rows` rows."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._chance, self._kind = operating_system_random(), np.dtype([])
        with ExitStack() as files:
            count = min(-(-rows // PILE), MOST)
            self._files = [files.enter_context(TemporaryFile(dir=folder)) for _ in range(count)]
            self._opened = files.pop_all()

    def __enter__(self) -> ExternalShuffle:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def add(self, columns: Sequence[np.ndarray]) -> None:
        """Add rows, always with the same columns."""
        self._kind = np.dtype([(f"v{i}", column.dtype) for i, column in enumerate(columns)])
        rows = np.empty(len(columns[0]), self._kind)
        for name, column in zip(self._kind.names or (), columns, strict=True):
            rows[name] = column
        pile = self._chance.integers(len(self._files), size=len(rows), dtype=np.uint8, endpoint=False)
        rows = rows[np.argsort(pile, kind="stable")]
        ends = np.cumsum(np.bincount(pile, minlength=len(self._files))).tolist()
        for file, begin, end in zip(self._files, [0, *ends], ends, strict=False):
            file.write(rows[begin:end].tobytes())

    def shuffled(self) -> Iterator[list[np.ndarray]]:
        """Yield all rows in random order, in batches."""
        for file in self._files:
            checkpoint()
            file.seek(0)
            rows = np.frombuffer(file.read(), self._kind)
            rows = rows[self._chance.permutation(len(rows))]
            for start in range(0, len(rows), BATCH):
                some = rows[start : start + BATCH]
                yield [np.ascontiguousarray(some[name]) for name in self._kind.names or ()]
