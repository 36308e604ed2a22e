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

NAME = re.compile(r"\.?workbench-([0-9a-f]{8})-(\d+)-.*")


def scratch(parent: str | os.PathLike[str] | None = None) -> Path:
    """A new folder; those that killed processes have left behind are removed first."""
    for left in Path(parent or tempfile.gettempdir()).glob("workbench-*"):
        if abandoned(left.name):
            shutil.rmtree(left, ignore_errors=True)  # another user's stays
    return Path(tempfile.mkdtemp(prefix=f"workbench-{host()}-{os.getpid()}-", dir=parent))


def name_here() -> str:
    """A new name for a hidden file that is this process's own."""
    return f".workbench-{host()}-{os.getpid()}-{secrets.token_hex(6)}"


def sweep_files(folder: Path, ending: str) -> None:
    """Remove the hidden files that killed processes have left behind."""
    for left in folder.glob(f".workbench-*{ending}"):
        if abandoned(left.name):
            with suppress(OSError):  # another user's stays
                left.unlink()


def abandoned(name: str) -> bool:
    """Whether a name says that its process ran here, and is gone."""
    found = NAME.fullmatch(name)
    return found is not None and found[1] == host() and not alive(int(found[2]))


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
