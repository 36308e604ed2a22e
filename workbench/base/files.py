"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from glob import has_magic
from pathlib import Path

from workbench.base.errors import BadInput
from workbench.base.scratch import clear, name_here

ENDING = ".part"  # of a file that is being written
ENDINGS = (".csv", ".parquet")  # of a release
CODEBOOK = "-codebook"  # behind the name of a release: what its labels stand for


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; moved into place when all went well, removed otherwise."""
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist; make it, or choose another")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    clear(path.parent, f".workbench-*{ENDING}")
    aside = path.parent / f"{name_here()}{ENDING}"
    failure = None
    try:
        yield aside
        os.replace(aside, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(aside)):
            raise
        failure = BadInput(
            f"{path}: it cannot be written there ({os.strerror(error.errno)}); choose another place, or make room"
        )
    finally:
        aside.unlink(missing_ok=True)
    if failure:
        raise failure


def refuse_overwriting(outputs: Iterable[Path], read: Iterable[Path]) -> None:
    """Raise BadInput where a file that is read would be written over, or lies in a folder that would be.

    Links and other spellings of a path lead to the same file.
    """
    for out in outputs:
        for path in read:
            if _same(out, path):
                raise BadInput(f"{out} would take the place of {path}, which is read; choose another name")


def _same(out: Path, path: Path) -> bool:
    try:
        if os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path):
            return True
        place, read = Path(os.path.realpath(out)), Path(os.path.realpath(path))
    except ValueError:  # no name of a file
        return False
    return read.is_relative_to(place) or (has_magic(str(path)) and fnmatch(str(place), str(path)))


def codebooks(release: Path) -> list[Path]:
    """The files of the codebook beside a release, as CSV and as JSON."""
    return [release.with_name(f"{release.stem}{CODEBOOK}{ending}") for ending in (".csv", ".json")]


def refuse_nameless(path: Path) -> None:
    """Raise BadInput for what can only be a folder: `.`, `..` and `/`."""
    if path.name in ("", ".."):
        raise BadInput(f"{path} is a folder; name a file in it")


def refuse_ending(path: Path) -> None:
    """Raise BadInput for a file that is neither CSV nor Parquet by its name."""
    if path.suffix not in ENDINGS:
        raise BadInput(f"{path}: cannot write {path.suffix or 'a name without an ending'}; end it in .csv or .parquet")
