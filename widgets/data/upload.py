"""Uploads: files that arrive from the browser in chunks, each in a private temporary folder."""

from __future__ import annotations

import shutil
import weakref
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput
from workbench.base.files import scratch
from workbench.data.reading.formats import PACKED, SUFFIXES, TEXT

CHUNK = 1_000_000  # bytes, well below the limit of a websocket
RARE = {".tab", ".pq", ".ndjson", ".jsonl", ".xlsm", ".db", ".sqlite3", ".arrow", ".zsav", ".por", ".xpt"}
KNOWN = ", ".join(one for one in SUFFIXES if one not in RARE)


class Upload:
    """A file that arrives in chunks, in a private temporary folder."""

    def __init__(self, token: str, name: str, size: int) -> None:
        self.token, self.name, self.size, self.received, self.chunks = token, name, size, 0, 0
        ending, folder = suffix(name), scratch()
        self.path = folder / f"upload{ending}"  # not the uploaded name, which could be a path
        self._file = self.path.open("wb")
        self.discard = weakref.finalize(self, _discard, self._file, folder)

    def add(self, index: Any, chunk: memoryview) -> bool:
        """Add a chunk; return whether it was the last."""
        if index != self.chunks:
            raise BadInput(f"{self.name}: the upload arrived out of order; upload the file again")
        if not 0 < chunk.nbytes <= CHUNK or self.received + chunk.nbytes > self.size:
            raise BadInput(f"{self.name}: the upload is larger than announced; upload the file again")
        self._file.write(chunk)
        self.received, self.chunks = self.received + chunk.nbytes, self.chunks + 1
        if self.received == self.size:
            self._file.close()
        return self.received == self.size


def _discard(file: Any, folder: Path) -> None:
    file.close()
    shutil.rmtree(folder)


def suffix(name: str) -> str:
    """Return the extension by which a file is read; BadInput if it is unknown."""
    found = [one.lower() for one in Path(name).suffixes]
    if found[-1:] == [".zip"] and (len(found) < 2 or found[-2] not in TEXT):
        return ".zip"
    packed = found.pop() if found[-1:] and found[-1] in PACKED else ""
    kind = found[-1] if found else ""
    if kind not in (TEXT if packed else SUFFIXES):
        raise BadInput(f"{name}: unknown file type; supported are {KNOWN}, and packed text ({', '.join(PACKED)})")
    return kind + packed
