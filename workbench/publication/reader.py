"""A published study, read back: what may be shown of it, in plain words, where the data are not.

    results.json           the table in numbers, the axes, every point with its recipe, figures and sentences
    files.json             the list of these files; what is not in it is not served
    study.yaml             what was asked, without where the data lie
    frontier.vl.json       the chart of all points
    points/<number>/       of each point that may be recommended: the table of its classes, the populations that it
                           misjudges most; of those that were offered when it was published, the released files

Light, since the dashboard's first picture waits for it: it loads nothing of the engine.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput, said
from workbench.base.files import CODEBOOK
from workbench.data.column import spare
from workbench.data.wording import INTERVAL, NUMBER, Wording
from workbench.publication.seal import check

FORMAT = 6
RESULTS, STUDY, CHART, POINTS = "results.json", "study.yaml", "frontier.vl.json", "points"
EXPOSURES, POPULATIONS = "disclosure.parquet", "populations.json"
LONGEST = 60  # characters of a file's name that come from the study's
OWN = (
    "who",
    "people",
    "share",
    "sensitive",
    "value",
    "prior",
    "posterior",
    "sentence",
)  # beside the quasi-identifiers
NOTHING = "no study has been published there; make it with: workbench dashboard --publish study.yaml folder"
WITHOUT = "the study was published without its releases"
OFFERED = {  # for a limit, and what each is called
    "recommended": "recommended",
    "safer": "a bit safer",
    "useful": "a bit more accurate",
    "simplest": "simplest to explain",
}


def is_published(folder: Path) -> bool:
    """Whether a folder was made by `publish`, in whatever version."""
    try:
        found = json.loads((folder / RESULTS).read_bytes()) if (folder / RESULTS).is_file() else None
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and "edition" in found


class Published:
    """A folder that `workbench.publication.publish.publish` has made."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        if not is_published(self.folder):
            raise BadInput(NOTHING)
        self.results: dict[str, Any] = json.loads((self.folder / RESULTS).read_bytes())
        if self.results.get("format") != FORMAT:
            raise BadInput("the study was published by another version of the workbench; publish it again")
        check(self.folder)

    # --- what is in it

    @property
    def points(self) -> list[dict[str, Any]]:
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
        """A count below is shown as "fewer than"."""
        return int(self.results["smallest"])

    @property
    def privacy(self) -> dict[str, Any]:
        """The measure that the slider is about: name and unit, its ends, and an example of what a figure allows."""
        return {**self.measure(self.results["axes"]["privacy"]["key"]), **self.results["axes"]["privacy"]}

    @property
    def utility(self) -> dict[str, Any]:
        """The measure of what is lost."""
        return self.measure(self.results["axes"]["utility"]["key"])

    def measure(self, key: str) -> dict[str, Any]:
        """Name, unit, and which way is better."""
        return next(measure for measure in self.results["measures"] if measure["key"] == key)

    def loss(self, index: int, axis: dict[str, Any]) -> float:
        """A point's value, turned so that lower is better; NaN where it has none."""
        value = float(self.points[index]["values"].get(axis["key"], math.nan))
        return -value if axis["better"] == "higher" else value

    @cached_property
    def efficient(self) -> list[int]:
        """The points that no other beats, the safest first."""
        found = [i for i, point in enumerate(self.points) if point["efficient"]]
        return sorted(found, key=lambda i: (self.loss(i, self.privacy), self.loss(i, self.utility)))

    def opened(self, index: int) -> dict[str, Any]:
        """What is known of a point's release; only of points that may be recommended."""
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
            raise BadInput(
                f"the limit {said(given)} is no number from {low:g} to {high:g}, which is what these releases reach; "
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

    @cached_property
    def safe(self) -> list[int]:
        """The points against which nothing speaks: those that may be recommended."""
        return [i for i, point in enumerate(self.points) if point["opened"] and not point["against"]]

    def opens(self, cap: float | None) -> int:
        """The point that is shown first: the recommended one, or where none may be, the best within the limit."""
        best = self.best(cap, self.safe)
        best = self.best(cap) if best is None else best
        if best is None:
            raise BadInput("no release keeps to this limit; allow a little more")
        return best

    def choices(self, cap: float | None) -> dict[str, int | None]:
        """The recommended point if there is one, the neighbours on the frontier, and the best of the simplest kind."""
        own = self.loss(self.opens(cap), self.privacy)
        safer = [i for i in self.efficient if self.loss(i, self.privacy) < own]
        riskier = [i for i in self.efficient if self.loss(i, self.privacy) > own]
        plain = [i for i, point in enumerate(self.points) if point["simple"] and point["opened"]]
        simplest = self.best(cap, plain)
        return {
            "recommended": self.best(cap, self.safe),
            "safer": safer[-1] if safer else None,
            "useful": riskier[0] if riskier else None,
            "simplest": simplest,
        }

    # --- files of a point

    def exposures(
        self, index: int, start: int = 0, most: int = 20, wanted: str = ""
    ) -> tuple[int, list[dict[str, Any]]]:
        """How many classes there are and some of them, as `order` says; all words of `wanted` fit them (`_fits`).

        `share` is how exposed a class is, as `exposure` says.
        """
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        detail = self.opened(index)
        if not isinstance(detail["classes"], int):
            raise BadInput(f"the groups of this release cannot be shown: {detail['classes']['reason']}")
        own = [spare(name, OWN) for name in self.results["table"]["quasi"]]
        table = pq.read_table(self._path(index) / EXPOSURES)
        for word in wanted.split():
            table = table.filter(_fits(table, own, word))
        few = spare("few", table.column_names)
        table = table.append_column(few, pc.is_null(table["people"]))
        keys = [(few, "ascending"), *((name, "descending") for name in ("share", "posterior", "people"))]
        keys.append(("who", "ascending"))
        rows = table.sort_by(keys).slice(start, most).to_pylist()
        for row in rows:
            row["labels"] = [row.pop(name) for name in own]
            row["small"], row["fewer"] = row.pop(few), detail["fewer"]
        return table.num_rows, rows

    def populations(self, index: int) -> list[dict[str, Any]]:
        """The large populations that the release is most wrong about."""
        self.opened(index)
        found = json.loads((self._path(index) / POPULATIONS).read_bytes())
        return found if isinstance(found, list) else []

    def files(self, index: int) -> list[Path]:
        """The released files and their codebook: none where they were refused, or not carried."""
        self.opened(index)
        self._path(index)
        found, release = check(self.folder, f"{POINTS}/{index}/", large=True), f"{self.stem}-release"
        return sorted((path for path in found if path.name.startswith(release)), key=lambda path: CODEBOOK in path.name)

    def _path(self, index: int) -> Path:
        """A point's folder, as long as the folder is the one that was read first."""
        try:
            edition = json.loads((self.folder / RESULTS).read_bytes())["edition"]
        except (OSError, ValueError, KeyError):
            edition = None
        if edition != self.results["edition"]:
            raise BadInput("the study has been published anew meanwhile; load this page again")
        check(self.folder, f"{POINTS}/{index}/")
        return self.folder / POINTS / str(index)


def _fits(table: Any, own: Sequence[str], word: str) -> Any:
    """Which classes a word is about: it begins a word of who they are or of the most exposed value, or is a number
    that lies in one of their intervals."""
    import pyarrow as pa
    import pyarrow.compute as pc

    begins = rf"(?i)(^|[^\pL\pN]){re.escape(word)}".replace(r"\-", "[-–]")
    fits = pc.or_(*(pc.match_substring_regex(pc.fill_null(table[name], ""), begins) for name in ("who", "value")))
    if not re.fullmatch(NUMBER, word):
        return fits
    for name in own:
        ends = ((label, INTERVAL.fullmatch(label or "")) for label in pc.unique(table[name]).to_pylist())
        around = [label for label, found in ends if found and float(found[1]) <= float(word) <= float(found[2])]
        fits = pc.or_(fits, pc.is_in(table[name], pa.array(around, pa.string())))
    return fits
