"""Durations as text, and the time that remains of long work."""

from __future__ import annotations

import time

EARLIEST = 2.0  # seconds of work before an estimate of the remaining time is worth showing


def describe_duration(seconds: float) -> str:
    """Return a rounded duration such as `about 5 min`."""
    if seconds < 10:
        return f"about {max(round(seconds), 1)} s"
    if seconds < 60:
        return f"about {5 * round(seconds / 5)} s"
    minutes = seconds / 60
    return f"about {round(minutes)} min" if minutes < 90 else f"about {minutes / 60:.1f} hours"


class Remaining:
    """Estimates how much longer work takes that started when this was created."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def text(self, done: float, total: float) -> str:
        """Return for example `about 40 s left`; empty at the beginning, and when all is done."""
        passed = time.monotonic() - self._started
        if passed < EARLIEST or not 0 < done < total:
            return ""
        return f"{describe_duration(passed * (total - done) / done)} left"
