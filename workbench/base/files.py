"""Atomic writing of files, and checks of output paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from glob import has_magic
from pathlib import Path

from workbench.base.errors import BadInput
from workbench.base.scratch import clear, own_name

ENDING = ".part"  # of a file that is being written
ENDINGS = (".csv", ".parquet")  # of a release
CODEBOOK = "-codebook"  # suffix of the file that explains the labels of a release


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; moved to `path` on success, removed otherwise."""
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist; create it, or choose another")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    clear(path.parent, f".workbench-*{ENDING}")
    aside = path.parent / f"{own_name()}{ENDING}"
    failure = None
    try:
        yield aside
        os.replace(aside, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(aside)):
            raise
        failure = BadInput(
            f"{path}: cannot write the file ({os.strerror(error.errno)}); choose another folder, or free some space"
        )
    finally:
        aside.unlink(missing_ok=True)
    if failure:
        raise failure


def refuse_overwriting(outputs: Iterable[Path], read: Iterable[Path]) -> None:
    """Raise BadInput if an output would overwrite an input or its folder, also through links."""
    for out in outputs:
        for path in read:
            if _same(out, path):
                raise BadInput(f"{out} would overwrite {path}, which is an input; choose another name")


def _same(out: Path, path: Path) -> bool:
    try:
        if os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path):
            return True
        place, read = Path(os.path.realpath(out)), Path(os.path.realpath(path))
    except ValueError:  # no name of a file
        return False
    return read.is_relative_to(place) or (has_magic(str(path)) and fnmatch(str(place), str(path)))


def codebooks(release: Path) -> list[Path]:
    """Return the paths of a release's codebook, as CSV and as JSON."""
    return [release.with_name(f"{release.stem}{CODEBOOK}{ending}") for ending in (".csv", ".json")]


def refuse_nameless(path: Path) -> None:
    """Raise BadInput for paths without a file name: `.`, `..` and `/`."""
    if path.name in ("", ".."):
        raise BadInput(f"{path} is a folder; name a file in it")


def refuse_ending(path: Path) -> None:
    """Raise BadInput for file names that do not end in .csv or .parquet."""
    if path.suffix not in ENDINGS:
        raise BadInput(f"{path}: unsupported file type; use a name that ends in .csv or .parquet")
