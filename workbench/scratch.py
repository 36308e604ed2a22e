"""Folders for what must not be seen: their owner's alone, and cleared away once the process that made them is gone."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

NAME = re.compile(r"workbench-([0-9a-f]{8})-(\d+)-.*")


def scratch(parent: str | os.PathLike[str] | None = None) -> Path:
    """A new folder; those that killed processes have left behind are removed first."""
    for left in Path(parent or tempfile.gettempdir()).glob("workbench-*"):
        found = NAME.fullmatch(left.name)
        if found and found[1] == host() and not alive(int(found[2])):
            shutil.rmtree(left, ignore_errors=True)  # another user's stays
    return Path(tempfile.mkdtemp(prefix=f"workbench-{host()}-{os.getpid()}-", dir=parent))


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
