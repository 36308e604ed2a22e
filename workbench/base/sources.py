"""Digests of the engine's sources, by which stored results of other versions are recognized."""

from __future__ import annotations

import hashlib

from workbench.base.resources import PACKAGE

ENDINGS = (".py", ".html", ".css")  # templates are sources as well


def digest(*parts: str) -> str:
    """Return a digest of the sources in folders and files of the package; by default of all.

    Call it when a module is loaded: sources that are edited later are not those that run.
    """
    places = [PACKAGE / part for part in parts] or [PACKAGE]
    found = hashlib.blake2b(digest_size=16)
    there = (path for place in places for path in ([place] if place.is_file() else place.rglob("*")))
    for path in sorted(path for path in there if path.suffix in ENDINGS):
        content = path.read_bytes()
        found.update(f"{path.relative_to(PACKAGE).as_posix()} {len(content)} ".encode() + content)
    return found.hexdigest()
