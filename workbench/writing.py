"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from workbench.errors import BadInput


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; moved into place when all went well, removed otherwise."""
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist; make it, or choose another")
    aside = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """A frame as CSV or Parquet, by the ending of the name."""
    suffixes = {".csv": lambda p: frame.to_csv(p, index=False), ".parquet": lambda p: frame.to_parquet(p, index=False)}
    if path.suffix not in suffixes:
        raise BadInput(f"{path}: cannot write {path.suffix or 'a name without an ending'}; end it in .csv or .parquet")
    with whole(path) as aside:
        suffixes[path.suffix](aside)
