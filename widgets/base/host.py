"""Whose page this kernel belongs to."""

from __future__ import annotations

import os


def under_voila() -> bool:
    """Return whether the kernel belongs to a Voila page, of which many may be open."""
    software = os.environ.get("SERVER_SOFTWARE", "")  # a kernel that stood ready before its page has the port alone
    return software.startswith("voila") or "VOILA_APP_PORT" in os.environ
