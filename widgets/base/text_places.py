"""Positions in a text as browsers count them, in UTF-16 code units."""

from __future__ import annotations


def units(text: str, place: int) -> int:
    """Convert a position to UTF-16 code units, which browsers count."""
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def place(text: str, units: int) -> int:
    """Convert UTF-16 code units to a position in the text."""
    before = text.encode("utf-16-le", "surrogatepass")[: 2 * max(units, 0)]
    return len(before.decode("utf-16-le", "replace"))
