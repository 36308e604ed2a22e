"""Many rows in random order with little memory: each is dealt to a pile on the disk, and each pile is shuffled.

Every order is as likely as any other: it is as if each row drew a number, of which the pile is the first digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from workbench.base.progress import step
from workbench.base.randomness import operating_system_random
from workbench.data.engines import BATCH

PILE = 2**22  # rows that are shuffled together
MOST = 256  # piles: files that are open at a time


class Piles:
    """Files without a name in this folder, for so many rows at most."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._chance, self._kind = operating_system_random(), np.dtype([])
        with ExitStack() as files:
            count = min(-(-rows // PILE), MOST)
            self._files = [files.enter_context(TemporaryFile(dir=folder)) for _ in range(count)]
            self._opened = files.pop_all()

    def __enter__(self) -> Piles:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def deal(self, columns: Sequence[np.ndarray]) -> None:
        """Some rows more, always of the same columns."""
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
        """All rows, some at a time."""
        for file in self._files:
            step()
            file.seek(0)
            rows = np.frombuffer(file.read(), self._kind)
            rows = rows[self._chance.permutation(len(rows))]
            for start in range(0, len(rows), BATCH):
                some = rows[start : start + BATCH]
                yield [np.ascontiguousarray(some[name]) for name in self._kind.names or ()]
