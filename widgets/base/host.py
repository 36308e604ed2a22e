"""The host of a kernel: JupyterLab, Voila or a script."""

from __future__ import annotations

import os


def under_voila() -> bool:
    """Return whether the kernel belongs to a Voila page, of which many may be open."""
    software = os.environ.get("SERVER_SOFTWARE", "")  # a preloaded kernel has only the port
    return software.startswith("voila") or "VOILA_APP_PORT" in os.environ
