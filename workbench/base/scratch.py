"""Temporary folders and files: private, and removed after the end of their process, also if it was killed."""

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
    """Create a temporary folder; first remove those of killed processes."""
    clear(Path(parent or tempfile.gettempdir()), "workbench-*")
    return Path(tempfile.mkdtemp(prefix=f"workbench-{host_id()}-{os.getpid()}-", dir=parent))


def own_name(kind: str = "workbench") -> str:
    """Return a new hidden name that contains the process, by which `clear` finds abandoned files."""
    return f".{kind}-{host_id()}-{os.getpid()}-{secrets.token_hex(6)}"


def clear(folder: Path, names: str, elsewhere: float | None = None) -> None:
    """Remove the files and folders of ended processes that match a pattern.

    Processes of other machines cannot be checked; their files are removed if they are `elsewhere` seconds old.
    """
    for left in folder.glob(names):
        if not _abandoned(left, elsewhere):
            continue
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)  # fails for another user's, which stay
        else:
            with suppress(OSError):
                left.unlink()


def _abandoned(path: Path, elsewhere: float | None) -> bool:
    found = NAME.fullmatch(path.name)
    if found is None:
        return False
    if found[1] == host_id():
        return not is_running(int(found[2]))
    if elsewhere is None:
        return False
    try:
        return _now_in(path.parent) - path.stat().st_mtime > elsewhere
    except FileNotFoundError:
        return False


def _now_in(folder: Path) -> float:
    """Return the time by the clock of the folder's file system, which may differ from this machine's."""
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.fstat(file.fileno()).st_mtime


def host_id() -> str:
    """Return a short digest of this machine and container, within which process numbers are unique."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.blake2b(f"{platform.node()} {space}".encode(), digest_size=4).hexdigest()


def is_running(process: int) -> bool:
    """Return whether a process with this number runs here."""
    if os.name != "posix":  # signal 0 only checks on POSIX
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
