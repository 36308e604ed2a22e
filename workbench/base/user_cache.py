"""The user's cache folder: what takes long to compute, is the same for every study, and contains no data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from workbench.base.errors import BadInput
from workbench.base.files import atomic_write


def cache_folder() -> Path:
    """Return the user's cache folder."""
    return user_cache_path("privacy-utility-workbench", appauthor=False)


def cached_text(name: str, compute: Callable[[], str]) -> str:
    """Return the text of a cached file; computed each time if the cache is not writable."""
    path = cache_folder() / name
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text("utf-8")
    text = compute()
    with suppress(OSError, BadInput):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(path) as aside:
            aside.write_text(text, "utf-8")
    return text
