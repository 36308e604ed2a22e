"""How long something takes, as people say it."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """About how long, as people say it."""
    if seconds < 10:
        return f"about {max(round(seconds), 1)} s"
    if seconds < 60:
        return f"about {5 * round(seconds / 5)} s"
    minutes = seconds / 60
    return f"about {round(minutes)} min" if minutes < 90 else f"about {minutes / 60:.1f} hours"
