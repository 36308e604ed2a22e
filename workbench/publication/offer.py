"""The points, slider stops and decisions of a published study.

It works on the results in memory, so `publish` can use it before they are written; `Published` adds the folder. Points
are counted from 0 here, and by their numbers, from 1, in files and messages. It imports nothing of the engine, because
the dashboard's first picture waits for it.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from typing import Any

from workbench.base.errors import BadInput, safe_repr
from workbench.data.wording import Wording
from workbench.publication.published_types import (
    Details,
    MeasureWords,
    PrivacyAxis,
    PublishedDecision,
    PublishedPoint,
    Results,
)

LONGEST = 60  # maximum characters of the study's name in a file name
OFFERED = {  # the offered roles and their labels
    "recommended": "recommended",
    "safer": "a bit safer",
    "useful": "a bit more accurate",
    "simplest": "simplest to explain",
}


class Slider(MeasureWords, PrivacyAxis):
    """The slider's measure and its ends."""


class PublishedStudy:
    """The results of a published study, and the releases offered for a limit."""

    def __init__(self, results: Results) -> None:
        self.results = results

    # --- contents

    @property
    def points(self) -> list[PublishedPoint]:
        return self.results["points"]

    @property
    def stem(self) -> str:
        """The prefix of file names of this study: `<stem>-release.csv`, `<stem>-report.html`."""
        plain = re.sub(r"[^\w-]+", "-", self.results["study"]).strip("-").lower()
        return plain[:LONGEST].rstrip("-") or "untitled"

    @cached_property
    def wording(self) -> Wording:
        """The names of columns and records."""
        return Wording(**self.results["wording"])

    @property
    def smallest(self) -> int:
        """The rounding base of all numbers of people."""
        return int(self.results["smallest"])

    @cached_property
    def privacy(self) -> Slider:
        """The slider's measure with its ends, and an example of what a figure allows."""
        axis = self.results["axes"]["privacy"]
        return {**self.measure(axis["key"]), **axis}

    @property
    def utility(self) -> MeasureWords:
        """The measure of utility loss."""
        return self.measure(self.results["axes"]["utility"]["key"])

    def measure(self, key: str) -> MeasureWords:
        """Return the name, unit and direction of a measure."""
        return next(measure for measure in self.results["measures"] if measure["key"] == key)

    def loss(self, index: int, axis: MeasureWords) -> float:
        """Return a point's value with the sign at which lower is better; NaN if it has none."""
        value = float(self.points[index]["values"].get(axis["key"], math.nan))
        return -value if axis["better"] == "higher" else value

    @cached_property
    def efficient(self) -> list[int]:
        """The efficient points, the safest first."""
        ranks = {i: rank for i, point in enumerate(self.points) if (rank := point["rank"]) is not None}
        return sorted(ranks, key=lambda i: (ranks[i], i))

    @cached_property
    def safe(self) -> list[int]:
        """The points that may be recommended, without objections."""
        return [i for i, point in enumerate(self.points) if point["opened"] and not point["against"]]

    @property
    def included(self) -> list[int]:
        """The points whose released files are in the folder."""
        return [number - 1 for number in self.results["carried"]]

    def opened(self, index: int) -> Details:
        """Return the details of a point's release; raise BadInput if the point cannot be opened."""
        found = self.points[index]["opened"] if 0 <= index < len(self.points) else None
        if found is None:
            raise BadInput("that release was not published; choose one of those that are offered")
        return found

    # --- choice of a release

    @property
    def stops(self) -> list[float]:
        """The limits that the slider can be set to, the strictest first."""
        return [one["cap"] for one in self.results["decisions"] if one["cap"] is not None]

    def decision(self, cap: float | None) -> PublishedDecision:
        """Return the decision for a limit, that of the next stop that is at least as strict; None means no limit."""
        decisions, sign = self.results["decisions"], -1 if self.privacy["better"] == "higher" else 1
        if cap is None:
            return decisions[-1]
        kept = [one for one in decisions[:-1] if sign * float(one["cap"] or 0) <= sign * cap]
        return kept[-1] if kept else decisions[0]

    def checked_cap(self, given: Any) -> float | None:
        """Return a limit as the next stop of the slider that is at least as strict; None means no limit."""
        if given is None:
            return None
        cap, (low, high) = _number(given), (self.privacy["low"], self.privacy["high"])
        if not low <= cap <= high:
            reach = f"a number from {low:g} to {high:g}, the range of these releases"
            raise BadInput(
                f"the limit {safe_repr(given)} is not {reach}; "
                f"it is in units of {self.privacy['key']}, with a decimal point and no per cent sign"
            )
        return self.decision(cap)["cap"]

    def nearest(self, given: Any) -> float | None:
        """Return the same stop, or the nearer end for a limit beyond the ends; raise BadInput if it is not a number."""
        if given is None or math.isnan(_number(given)):
            return self.checked_cap(given)  # raises if it is NaN
        return self.checked_cap(min(max(_number(given), self.privacy["low"]), self.privacy["high"]))

    def set_by_hand(self, cap: float | None) -> bool:
        """Return whether a limit is set."""
        return cap is not None

    def within(self, index: int, cap: float | None) -> bool:
        """Return whether the exact figures of a release satisfy the limit and the study's other caps."""
        return index + 1 in self.decision(cap)["within"]

    def opens(self, cap: float | None) -> int:
        """Return the point to show first: the recommended one, else the best within the limit, else the nearest."""
        return self.decision(cap)["shown"] - 1

    def choices(self, cap: float | None) -> dict[str, int | None]:
        """Return the recommended point, its neighbors on the frontier, and the best of the simplest kind.

        The simplest kind is included if any release has a model whose promise can be simpler than another's.
        """
        found = self.decision(cap)
        names = [name for name in OFFERED if name != "simplest" or any(point["simple"] for point in self.points)]
        numbers = {name: found[name] for name in names}  # type: ignore[literal-required]
        return {name: None if number is None else number - 1 for name, number in numbers.items()}

    def offered(self, cap: float | None) -> dict[int, list[str]]:
        """Return these releases, each with the roles that it is offered in."""
        found: dict[int, list[str]] = {}
        for name, index in self.choices(cap).items():
            if index is not None:
                found.setdefault(index, []).append(name)
        return found


def _number(given: Any) -> float:
    """Convert an input to a number; NaN if it is none."""
    try:
        return math.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan
