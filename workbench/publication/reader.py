"""Read a published study from its folder, without access to the data.

`workbench.publication.published_folder` describes the folder. The module imports nothing of the engine, because the
dashboard's first picture waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput
from workbench.base.files import CODEBOOK
from workbench.data.column import unused_name
from workbench.data.wording import INTERVAL, NUMBER
from workbench.publication import published_folder
from workbench.publication.offer import PublishedStudy
from workbench.publication.published_types import ClassRow, PopulationRow
from workbench.publication.seal import check


class Published(PublishedStudy):
    """A folder written by `workbench.publication.publish.publish`."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        super().__init__(published_folder.read_results(self.folder))
        check(self.folder)

    def chart(self) -> dict[str, Any]:
        """Return the chart of all points as a Vega-Lite specification."""
        return published_folder.read_chart(self.folder)

    def study_text(self) -> str:
        """Return the study in YAML, without the location of the data."""
        return published_folder.read_study(self.folder)

    def exposures(self, index: int, start: int = 0, most: int = 20, wanted: str = "") -> tuple[int, list[ClassRow]]:
        """Return the number of classes, and some of them in the order of `groups.order`.

        Only classes that match all words of `wanted` are counted and returned (`_fits`). `share` is the exposure of a
        class, explained in `Results.exposure`.
        """
        import pyarrow.compute as pc

        detail = self.opened(index)
        if not isinstance(detail["classes"], int):
            raise BadInput(f"the groups of this release cannot be shown: {detail['classes']['reason']}")
        labels = published_folder.label_columns(self.results["table"]["quasi"])
        table = published_folder.read_classes(self._place(index))
        for word in wanted.split():
            table = table.filter(_fits(table, labels, word))
        few = unused_name("few", table.column_names)
        table = table.append_column(few, pc.is_null(table["people"]))
        table = table.append_column(
            untold := unused_name("untold", table.column_names), published_folder.is_untold(table)
        )
        keys = [
            (few, "ascending"),
            (untold, "ascending"),
            *((name, "descending") for name in ("share", "posterior", "people")),
        ]
        keys.append(("who", "ascending"))
        rows = table.sort_by(keys).slice(start, most).to_pylist()
        for row in rows:
            row["labels"] = [row.pop(name) for name in labels]
            row["small"], row["fewer"] = row.pop(few), detail["fewer"]
            del row[untold]
        return table.num_rows, rows

    def populations(self, index: int) -> list[PopulationRow]:
        """Return the large populations that the release misjudges most."""
        self.opened(index)
        return published_folder.read_populations(self._place(index))

    def files(self, index: int) -> list[Path]:
        """Return the released files and their codebook; empty if the folder does not include them."""
        self.opened(index)
        place, beginning = self._place(index), published_folder.release_name(self.stem)
        found = check(self.folder, f"{place.relative_to(self.folder).as_posix()}/", large=True)
        released = (path for path in found if path.name.startswith(beginning))
        return sorted(released, key=lambda path: CODEBOOK in path.name)

    def _place(self, index: int) -> Path:
        """Return a point's folder; raise BadInput if the study has been published again in the meantime."""
        if published_folder.edition(self.folder) != self.results["edition"]:
            raise BadInput("the study has been published again in the meantime; reload this page")
        place = published_folder.point_folder(self.folder, index)
        check(self.folder, f"{place.relative_to(self.folder).as_posix()}/")
        return place


def _fits(table: Any, labels: Sequence[str], word: str) -> Any:
    """Return which classes match a word.

    It matches the beginning of a word in the labels or in the most exposed value, or a number inside an interval.
    """
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
