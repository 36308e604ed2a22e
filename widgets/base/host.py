"""Whose page this kernel belongs to."""

from __future__ import annotations

import os


def under_voila() -> bool:
    """Whether it is a page of Voila, which may have many visitors at once."""
    software = os.environ.get("SERVER_SOFTWARE", "")  # a kernel that stood ready before its page has the port alone
    return software.startswith("voila") or "VOILA_APP_PORT" in os.environ
