"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd

from workbench.errors import BadInput


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; moved into place when all went well, removed otherwise."""
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist; make it, or choose another")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    aside = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def write_frames(frames: Mapping[Path, pd.DataFrame]) -> None:
    """Frames as CSV or Parquet, by the ending of each name; none appears before all are written."""
    for path in frames:
        if path.suffix not in (".csv", ".parquet"):
            raise BadInput(
                f"{path}: cannot write {path.suffix or 'a name without an ending'}; end it in .csv or .parquet"
            )
    with ExitStack() as all_or_none:
        for path, frame in frames.items():
            aside = all_or_none.enter_context(whole(path))
            if path.suffix == ".csv":
                frame.to_csv(aside, index=False)
            else:
                frame.to_parquet(aside, index=False)
