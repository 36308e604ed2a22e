"""A published study, read back from its folder: what may be shown of it, in plain words, where the data are not.

What lies in the folder is said in `workbench.publication.format`. Light, since the dashboard's first picture waits for
it: it loads nothing of the engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput
from workbench.base.files import CODEBOOK
from workbench.data.column import spare
from workbench.data.wording import INTERVAL, NUMBER
from workbench.publication import format
from workbench.publication.offer import Offer
from workbench.publication.seal import check
from workbench.publication.shapes import ClassRow, PopulationRow


class Published(Offer):
    """A folder that `workbench.publication.publish.publish` has made."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        super().__init__(format.read_results(self.folder))
        check(self.folder)

    def chart(self) -> dict[str, Any]:
        """The chart of all points, in the words of Vega-Lite."""
        return format.read_chart(self.folder)

    def asked(self) -> str:
        """The study in YAML, without where the data lie."""
        return format.read_study(self.folder)

    def exposures(self, index: int, start: int = 0, most: int = 20, wanted: str = "") -> tuple[int, list[ClassRow]]:
        """How many classes there are and some of them, as `order` says; all words of `wanted` fit them (`_fits`).

        `share` is how exposed a class is, as `exposure` says.
        """
        import pyarrow.compute as pc

        detail = self.opened(index)
        if not isinstance(detail["classes"], int):
            raise BadInput(f"the groups of this release cannot be shown: {detail['classes']['reason']}")
        labels = format.label_columns(self.results["table"]["quasi"])
        table = format.read_classes(self._place(index))
        for word in wanted.split():
            table = table.filter(_fits(table, labels, word))
        few = spare("few", table.column_names)
        table = table.append_column(few, pc.is_null(table["people"]))
        keys = [(few, "ascending"), *((name, "descending") for name in ("share", "posterior", "people"))]
        keys.append(("who", "ascending"))
        rows = table.sort_by(keys).slice(start, most).to_pylist()
        for row in rows:
            row["labels"] = [row.pop(name) for name in labels]
            row["small"], row["fewer"] = row.pop(few), detail["fewer"]
        return table.num_rows, rows

    def populations(self, index: int) -> list[PopulationRow]:
        """The large populations that the release is most wrong about."""
        self.opened(index)
        return format.read_populations(self._place(index))

    def files(self, index: int) -> list[Path]:
        """The released files and their codebook: none where they were refused, or not carried."""
        self.opened(index)
        place, beginning = self._place(index), format.release_name(self.stem)
        found = check(self.folder, f"{place.relative_to(self.folder).as_posix()}/", large=True)
        released = (path for path in found if path.name.startswith(beginning))
        return sorted(released, key=lambda path: CODEBOOK in path.name)

    def _place(self, index: int) -> Path:
        """A point's folder, as long as the folder is the one that was read first."""
        if format.edition(self.folder) != self.results["edition"]:
            raise BadInput("the study has been published anew meanwhile; load this page again")
        place = format.point_folder(self.folder, index)
        check(self.folder, f"{place.relative_to(self.folder).as_posix()}/")
        return place


def _fits(table: Any, labels: Sequence[str], word: str) -> Any:
    """Which classes a word is about: it begins a word of who they are or of the most exposed value, or is a number
    that lies in one of their intervals."""
    import pyarrow as pa
    import pyarrow.compute as pc

    begins = rf"(?i)(^|[^\pL\pN]){re.escape(word)}".replace(r"\-", "[-–]")
    fits = pc.or_(*(pc.match_substring_regex(pc.fill_null(table[name], ""), begins) for name in ("who", "value")))
    if not re.fullmatch(NUMBER, word):
        return fits
    for name in labels:
        ends = ((label, INTERVAL.fullmatch(label or "")) for label in pc.unique(table[name]).to_pylist())
        around = [label for label, found in ends if found and float(found[1]) <= float(word) <= float(found[2])]
        fits = pc.or_(fits, pc.is_in(table[name], pa.array(around, pa.string())))
    return fits
