"""Digests of the engine's sources: what was made by other sources is made again."""

from __future__ import annotations

import hashlib

from workbench.base.resources import PACKAGE

ENDINGS = (".py", ".html", ".css")  # templates are sources, too


def digest(*parts: str) -> str:
    """A digest of the sources in these folders and files of the package; without any, of all.

    Ask when a module is loaded, not when it works: a source edited meanwhile is not the one that runs.
    """
    places = [PACKAGE / part for part in parts] or [PACKAGE]
    found = hashlib.blake2b(digest_size=16)
    there = (path for place in places for path in ([place] if place.is_file() else place.rglob("*")))
    for path in sorted(path for path in there if path.suffix in ENDINGS):
        content = path.read_bytes()
        found.update(f"{path.relative_to(PACKAGE).as_posix()} {len(content)} ".encode() + content)
    return found.hexdigest()
