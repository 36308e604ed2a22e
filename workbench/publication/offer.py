"""What a published study offers: its points, the slider's limits, and which releases are offered within one.

It works on the results in memory, so that `publish` can ask what it is about to write; `Published` adds the folder.
Light, since the dashboard's first picture waits for it: it loads nothing of the engine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from workbench.base.errors import BadInput, said
from workbench.data.wording import Wording
from workbench.publication.shapes import Details, MeasureWords, PrivacyAxis, PublishedPoint, Results

LONGEST = 60  # characters of a file's name that come from the study's
OFFERED = {  # for a limit, and what each is called
    "recommended": "recommended",
    "safer": "a bit safer",
    "useful": "a bit more accurate",
    "simplest": "simplest to explain",
}


class Slider(MeasureWords, PrivacyAxis):
    """The measure that the slider is about, with its ends."""


class Offer:
    """The results of a published study, and what is offered to who sets a limit."""

    def __init__(self, results: Results) -> None:
        self.results = results

    # --- what is in it

    @property
    def points(self) -> list[PublishedPoint]:
        return self.results["points"]

    @property
    def stem(self) -> str:
        """What the files of this study are called by: `<stem>-release.csv`, `<stem>-report.html`."""
        plain = re.sub(r"[^\w-]+", "-", self.results["study"]).strip("-").lower()
        return plain[:LONGEST].rstrip("-") or "untitled"

    @cached_property
    def wording(self) -> Wording:
        """What the study calls its columns and records."""
        return Wording(**self.results["wording"])

    @property
    def smallest(self) -> int:
        """Every number of people is rounded to it."""
        return int(self.results["smallest"])

    @cached_property
    def privacy(self) -> Slider:
        """The measure that the slider is about: name and unit, its ends, and an example of what a figure allows."""
        axis = self.results["axes"]["privacy"]
        return {**self.measure(axis["key"]), **axis}

    @property
    def utility(self) -> MeasureWords:
        """The measure of what is lost."""
        return self.measure(self.results["axes"]["utility"]["key"])

    def measure(self, key: str) -> MeasureWords:
        """Name, unit, and which way is better."""
        return next(measure for measure in self.results["measures"] if measure["key"] == key)

    def loss(self, index: int, axis: MeasureWords) -> float:
        """A point's value, turned so that lower is better; NaN where it has none."""
        value = float(self.points[index]["values"].get(axis["key"], math.nan))
        return -value if axis["better"] == "higher" else value

    @cached_property
    def efficient(self) -> list[int]:
        """The points that no other beats, the safest first."""
        found = [i for i, point in enumerate(self.points) if point["efficient"]]
        return sorted(found, key=lambda i: (self.loss(i, self.privacy), self.loss(i, self.utility)))

    @cached_property
    def safe(self) -> list[int]:
        """The points against which nothing speaks: those that may be recommended."""
        return [i for i, point in enumerate(self.points) if point["opened"] and not point["against"]]

    def opened(self, index: int) -> Details:
        """What is known of a point's release; only of points that can be opened."""
        found = self.points[index]["opened"] if 0 <= index < len(self.points) else None
        if found is None:
            raise BadInput("that release was not published; choose one of those that are offered")
        return found

    # --- which one

    def checked_cap(self, given: Any) -> float | None:
        """A cap that some release keeps; None is no limit, where there are releases of infinite loss."""
        axis = self.privacy
        if given is None and axis["endless"]:
            return None
        try:
            cap = math.nan if isinstance(given, bool) else float(given)
        except (TypeError, ValueError, OverflowError):
            cap = math.nan
        low, high = axis["low"], axis["high"]
        if not low <= cap <= high:
            reach = f"a number from {low:g} to {high:g}, which is what these releases reach"
            raise BadInput(
                f"the limit {said(given)} is not {reach}; "
                f"it is in units of {axis['key']}, with a decimal point and no per cent sign"
            )
        return cap

    def nearest(self, given: Any) -> float | None:
        """The cap itself, or the end of the scale that is nearest to it; BadInput where it is no number."""
        try:
            asked = math.nan if isinstance(given, bool) else float(given)
        except (TypeError, ValueError, OverflowError):
            asked = math.nan
        if math.isnan(asked) or given is None:
            return self.checked_cap(given)  # says what is wrong
        return min(max(asked, self.privacy["low"]), self.privacy["high"])

    def best(self, cap: float | None, among: Sequence[int] | None = None) -> int | None:
        """The point that loses the least utility of those within the cap; the safer of equals."""
        privacy, utility = self.privacy, self.utility
        limit = math.inf if cap is None else -cap if privacy["better"] == "higher" else cap
        allowed = [i for i in (self.efficient if among is None else among) if self.loss(i, privacy) <= limit]
        return min(allowed, key=lambda i: (self.loss(i, utility), self.loss(i, privacy)), default=None)

    def set_by_hand(self, cap: float | None) -> bool:
        """Whether somebody has set the limit; otherwise it is where the page opens."""
        return self.results["limit"] is not None or cap != self.results["cap"]

    def within(self, index: int, cap: float | None) -> bool:
        """Whether a release keeps to a limit that somebody has set."""
        return cap is None or not self.set_by_hand(cap) or self.best(cap, [index]) is not None

    def opens(self, cap: float | None) -> int:
        """The point that is shown first: the recommended one, or where none may be, the best within the limit."""
        best = self.best(cap, self.safe)
        best = self.best(cap) if best is None else best
        if best is None:
            raise BadInput("no release keeps to this limit; allow a little more")
        return best

    def choices(self, cap: float | None) -> dict[str, int | None]:
        """The recommended point if there is one, the neighbours on the frontier, and the best of the simplest kind, if
        any release has a model whose promise can be simpler than another's."""
        own = self.loss(self.opens(cap), self.privacy)
        safer = [i for i in self.efficient if self.loss(i, self.privacy) < own]
        riskier = [i for i in self.efficient if self.loss(i, self.privacy) > own]
        plain = [i for i, point in enumerate(self.points) if point["simple"] and point["opened"]]
        return {
            "recommended": self.best(cap, self.safe),
            "safer": safer[-1] if safer else None,
            "useful": riskier[0] if riskier else None,
            **({"simplest": self.best(cap, plain)} if plain else {}),
        }

    def offered(self, cap: float | None) -> dict[int, list[str]]:
        """The releases among these choices, each with all that it is offered as."""
        found: dict[int, list[str]] = {}
        for name, index in self.choices(cap).items():
            if index is not None:
                found.setdefault(index, []).append(name)
        return found
