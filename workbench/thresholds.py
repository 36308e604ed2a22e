"""Small counts in words: below a study's threshold a page says "fewer than", and no share that would tell the count.

A release may well show a class of seven people to whoever gets the file. What is published beside it to be read by
many doesn't: people below the threshold aren't counted out, nor is what they'd be told from by division or difference.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

NUMBER = re.compile(r"(?<![\w.,'-])(?<!= )(\d{1,3}(?:,\d{3})+|\d+)(?![\w'%]|\s%|[.,]\d)")
PERCENT = re.compile(r"(?:under |over )?(\d+(?:\.\d+)?)\s?%")
BANDS = ("under a quarter", "a quarter to half", "half to three quarters", "over three quarters")
UNNAMED = "some value"  # that few have, or one that would tell how many those are


def small(count: int, smallest: int) -> bool:
    """Whether a count is shown as "fewer than" only; that there is nobody may be said."""
    return 0 < count < smallest


def tells(count: int, of: int, smallest: int) -> bool:
    """Whether "this share of so many people" would tell a small count, of those who have a value or who haven't."""
    return small(of, smallest) or small(count, smallest) or small(of - count, smallest)


def people(count: int | None, smallest: int) -> str:
    """How many people, as the threshold allows; None stands for few."""
    few = count is None or small(count, smallest)
    return f"fewer than {smallest:,} people" if few else f"{count:,} {'person' if count == 1 else 'people'}"


def band(share: float) -> str:
    """A share so coarse that it fits several counts whatever the number of people."""
    return BANDS[min(int(4 * share), 3)]


def nameable(totals: np.ndarray, smallest: int) -> np.ndarray:
    """Which values of a column may be named with their share.

    Those that too few have may not; and if those are too few together, so that the rest would tell them, the next
    rarest goes with them.
    """
    hidden = (totals > 0) & (totals < smallest)
    for value in np.argsort(totals, kind="stable"):
        if not small(int(totals[hidden].sum()), smallest):
            break
        hidden[value] = True
    return ~hidden


def coarse(sentence: str, smallest: int, rare: Collection[str] = ()) -> str:
    """A sentence of the engine's without small counts, the shares that tell them, and values that few have."""
    for label in rare:
        sentence = sentence.replace(repr(label), UNNAMED)
    counts = [int(found.replace(",", "")) for found in NUMBER.findall(sentence)]
    least = min((count for count in counts if count), default=0)

    def share(found: re.Match[str]) -> str:
        part = float(found[1]) / 100
        return band(part) if least and tells(round(part * least), least, smallest) else found[0]

    def number(found: re.Match[str]) -> str:
        few = small(int(found[1].replace(",", "")), smallest)
        return f"fewer than {smallest}" if few else found[0]

    said = NUMBER.sub(number, PERCENT.sub(share, sentence))
    return said.replace(f"fewer than {smallest} person", f"fewer than {smallest} people")
