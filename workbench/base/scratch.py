"""What must not stay: folders for their owner alone, and files under way, cleared away once their process is gone."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

NAME = re.compile(r"\.?[a-z]+-([0-9a-f]{8})-(\d+)-.*")


def scratch(parent: str | os.PathLike[str] | None = None) -> Path:
    """A new folder; those that killed processes have left behind are removed first."""
    clear(Path(parent or tempfile.gettempdir()), "workbench-*")
    return Path(tempfile.mkdtemp(prefix=f"workbench-{host()}-{os.getpid()}-", dir=parent))


def name_here(kind: str = "workbench") -> str:
    """A new name for a hidden file or folder that is this process's own; `clear` knows it when the process is gone."""
    return f".{kind}-{host()}-{os.getpid()}-{secrets.token_hex(6)}"


def clear(folder: Path, names: str, elsewhere: float | None = None) -> None:
    """Remove what processes that are gone have left behind under such names.

    Of a process of another machine nobody knows whether it is gone; what is `elsewhere` seconds old is removed.
    """
    for left in folder.glob(names):
        if not _abandoned(left, elsewhere):
            continue
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)  # another user's stays
        else:
            with suppress(OSError):
                left.unlink()


def _abandoned(path: Path, elsewhere: float | None) -> bool:
    found = NAME.fullmatch(path.name)
    if found is None:
        return False
    if found[1] == host():
        return not alive(int(found[2]))
    if elsewhere is None:
        return False
    try:
        return _now_in(path.parent) - path.stat().st_mtime > elsewhere
    except FileNotFoundError:
        return False


def _now_in(folder: Path) -> float:
    """The time by the clock that dates the files of this folder; this machine's own may be days ahead of it."""
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.fstat(file.fileno()).st_mtime


def host() -> str:
    """Where process numbers have a meaning: this machine, and in it this container."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.blake2b(f"{platform.node()} {space}".encode(), digest_size=4).hexdigest()


def alive(process: int) -> bool:
    """Whether a process of that number runs here."""
    if os.name != "posix":  # elsewhere signal 0 is no question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
