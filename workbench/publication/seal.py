"""A folder with a list of its files: changed files and links are refused, other files are ignored."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.base.errors import BadInput

LIST = "files.json"
LARGE = ".csv"  # released files may be large: their contents are compared when they are requested
AGAIN = "copy the published folder again, or publish the study again"


def seal(folder: Path) -> None:
    """List the files of a folder that was just written, each with its size and digest."""
    (folder / LIST).unlink(missing_ok=True)
    listed = {name: [path.stat().st_size, _digest(path)] for name, path in sorted(_plain(folder))}
    (folder / LIST).write_text(json.dumps(listed, indent=1), "utf-8")


def check(folder: Path, under: str = "", large: bool = False) -> list[Path]:
    """Return the listed files below `under`; raise BadInput if one has changed.

    Large files are compared by size only, unless `large` is set.
    """
    present = dict(_plain(folder))
    listed = {name: given for name, given in _listed(folder).items() if name.startswith(under)}
    for name, (size, digest) in listed.items():
        if name not in present:
            raise BadInput(f"the published folder is incomplete: {name} is missing: {AGAIN}")
        path = present[name]
        if path.stat().st_size != size or ((large or path.suffix != LARGE) and _digest(path) != digest):
            raise BadInput(f"{name} in the published folder is damaged, or was changed: {AGAIN}")
    return [present[name] for name in listed]


def _plain(folder: Path, before: str = "") -> Iterator[tuple[str, Path]]:
    """Yield all files below; raise BadInput for a link, which could lead to any file of this machine."""
    for entry in os.scandir(folder):
        name = before + entry.name
        kind = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(kind.st_mode):
            yield from _plain(Path(entry.path), f"{name}/")
        elif stat.S_ISREG(kind.st_mode) and kind.st_nlink == 1:
            yield name, Path(entry.path)
        else:
            raise BadInput(f"{name} in the published folder is a link, not a file of its own: {AGAIN}")


def _listed(folder: Path) -> dict[str, tuple[int, str]]:
    try:
        found = json.loads((folder / LIST).read_bytes())
        return {str(name): (int(size), str(digest)) for name, (size, digest) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise BadInput(f"the published folder has no list of its files ({LIST}) that can be read: {AGAIN}") from None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
