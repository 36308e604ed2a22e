"""Text tables for the terminal, wrapped to its width."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import zip_longest

LEAST, SHORT = 18, 10  # minimum characters of a recipe and of its marks in a line


def table_lines(rows: Sequence[Sequence[str]], width: int | None) -> list[list[str]]:
    """Return the lines of each row; the second and the last column (recipe and marks) are wrapped if needed."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = math.inf if width is None else width - sum(widths[2:-1]) - widths[0] - 2 * (len(widths) - 1)
    if widths[1] + widths[-1] > room:
        widths[-1] = min(widths[-1], max(SHORT, int(room) - widths[1], int(room) // 3))
        widths[1] = min(widths[1], max(LEAST, int(room) - widths[-1]))
    return [_row_lines(row, widths) for row in rows]


def _row_lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Return the lines of a row: words are left-aligned and wrapped, numbers are right-aligned in the first line."""
    words = (1, len(row) - 1)
    cells = [textwrap.wrap(text, widths[i] or 1) if i in words else [text] for i, text in enumerate(row)]
    lines = []
    for parts in zip_longest(*cells, fillvalue=""):
        aligned = (p.ljust(w) if i in words else p.rjust(w) for i, (p, w) in enumerate(zip(parts, widths, strict=True)))
        lines.append("  ".join(aligned).rstrip())
    return lines


def wrapped(text: str, width: int | None) -> list[str]:
    """Wrap a sentence to the width of the terminal."""
    return [text] if width is None else textwrap.wrap(text, max(width, LEAST)) or [""]
