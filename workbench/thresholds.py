"""Small counts in words: below a study's threshold a page says "fewer than", and no share that would tell the count.

A release may well show a class of seven people to whoever gets the file. What is published beside it to be read by
many doesn't: people below the threshold aren't counted out, nor is what they'd be told from by division or difference.
"""

from __future__ import annotations

import numpy as np

BANDS = ("under a quarter", "between a quarter and a half", "between a half and three quarters", "over three quarters")


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


def coarse(count: int, smallest: int) -> int:
    """The size of one group among many: of two such, from two releases, the difference tells of no few people."""
    step = max(smallest, 1)
    return max(step * round(count / step), step)


def some_of(count: int, of: int, smallest: int) -> str:
    """So many of all people, as the threshold allows: neither those counted nor the rest are told if they are few."""
    if not count:
        return "nobody"
    if small(of - count, smallest):
        return f"all {of:,} people but fewer than {smallest:,}"
    return f"all {of:,} people" if count == of else f"{people(count, smallest)} of {of:,}"


def tellable(count: float, of: int, smallest: int) -> float:
    """The share, or the nearest that tells of no small count: neither of those counted nor of the rest."""
    few = min(smallest, of / 2)
    if small(round(count), smallest):
        return few / of
    return 1 - few / of if small(of - round(count), smallest) else count / of


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


def masked(sizes: np.ndarray, smallest: int) -> tuple[np.ndarray, int]:
    """Which groups go without their size, and the bound that is said of them: "fewer than".

    Everybody's number is known, and so the sum of those that are masked. The next smallest are masked with them until
    that sum is large enough, and so far from the least and the most it could be that it fits many sizes.
    """
    order = np.argsort(sizes, kind="stable")
    ranked, slack, bound = sizes[order].astype(int), smallest // 2, smallest
    totals, few = ranked.cumsum(), int((sizes < smallest).sum())
    hidden = np.zeros(len(sizes), bool)
    for count in range(few, len(sizes) + 1) if few else ():
        total, largest = int(totals[count - 1]), int(ranked[count - 1])
        bound = smallest if largest < smallest else smallest * (largest // smallest + 2)
        hidden[order[:count]] = True
        if count > 1 and total >= smallest and slack <= total - count and slack <= count * (bound - 1) - total:
            break
    return hidden, bound
