"""Whose page this kernel belongs to."""

from __future__ import annotations

import os


def under_voila() -> bool:
    """Whether it is a page of Voila, which may have many visitors at once."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
