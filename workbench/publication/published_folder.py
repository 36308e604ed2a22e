"""The format of a published folder: its files and their contents. All reading and writing happens here.

results.json           the study in numbers and sentences: `Results`
files.json             the list of these files (`workbench.publication.published_folder`); other files are not served
study.yaml             the study, without the location of the data
frontier.vl.json       the chart of all points
points/<number>/       for each point that can be opened:
  disclosure.parquet   its classes, one row each: the labels of the quasi-identifiers, and `CLASS_COLUMNS`
  populations.json     the large populations that it misjudges most: `PopulationRow`
  <stem>-release*.csv  the released files, if the folder includes them

Every number is as coarse as it must be for publication. The types are those of `workbench.publication.published_types`.
The module imports nothing of the engine, because the dashboard's first picture waits for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput
from workbench.base.files import CODEBOOK
from workbench.data.column import unused_name
from workbench.data.wording import INTERVAL, NUMBER
from workbench.publication.offer import PublishedStudy
from workbench.publication.published_types import FORMAT, ClassRow, PopulationRow, Results

NOTHING = "no study has been published there; make it with: workbench dashboard --publish study.yaml folder"
RESULTS, STUDY, CHART, POINTS = "results.json", "study.yaml", "frontier.vl.json", "points"
CLASSES, POPULATIONS = "disclosure.parquet", "populations.json"
WITHOUT = "the study was published without its releases"  # why a point has no file if none was requested
NOT_CARRIED = (
    "it is not among the releases that were offered when this was published; several files disclose more about "
    "people than each does, so only the offered files are included"
)
CLASS_COLUMNS = ("who", "people", "fewest", "share", "sensitive", "value", "prior", "posterior", "sentence")


def is_published(folder: Path) -> bool:
    """Return whether a folder was written by `publish` of any version."""
    return edition(folder) is not None


def edition(folder: Path) -> str | None:
    """Return the edition of the publication in a folder; None if there is none."""
    try:
        found = json.loads((folder / RESULTS).read_bytes()) if (folder / RESULTS).is_file() else None
    except (OSError, ValueError):
        return None
    return str(found["edition"]) if isinstance(found, dict) and "edition" in found else None


def read_results(folder: Path) -> Results:
    """Read the results; raise BadInput if there are none, or if they have another format."""
    if not is_published(folder):
        raise BadInput(NOTHING)
    found: Results = json.loads((folder / RESULTS).read_bytes())
    if found.get("format") != FORMAT:
        raise BadInput("the study was published by another version of the workbench; publish it again")
    return found


def write_results(folder: Path, results: Results) -> None:
    _write_json(folder / RESULTS, results)


def read_chart(folder: Path) -> dict[str, Any]:
    """Read the chart of all points as a Vega-Lite specification."""
    chart: dict[str, Any] = json.loads((folder / CHART).read_bytes())
    return chart


def write_chart(folder: Path, chart: dict[str, Any]) -> None:
    _write_json(folder / CHART, chart)


def read_study(folder: Path) -> str:
    """Read the study as YAML text."""
    return (folder / STUDY).read_text("utf-8")


def write_study(folder: Path, text: str) -> None:
    (folder / STUDY).write_text(text, "utf-8")


def point_folder(folder: Path, index: int) -> Path:
    """Return the folder for the files of a point, named by its number."""
    return folder / POINTS / str(index + 1)


def make_point_folder(folder: Path, index: int) -> Path:
    """Create the folder for the files of a point, accessible to its owner only."""
    place = point_folder(folder, index)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    place.mkdir(mode=0o700)
    return place


def label_columns(quasi: list[str]) -> list[str]:
    """Return the names of the label columns in the table of classes."""
    return [unused_name(name, CLASS_COLUMNS) for name in quasi]


def read_classes(place: Path) -> Any:
    """Read the table of classes of a point as an Arrow table."""
    import pyarrow.parquet as pq  # takes a moment to load

    return pq.read_table(place / CLASSES)


def is_withheld(classes: Any) -> Any:
    """Return for each class whether its values are hidden; its size may be published. Such classes are listed last."""
    import pyarrow.compute as pc

    anything = pc.and_(pc.equal(classes["fewest"], 0.0), pc.equal(classes["share"], 1.0))
    return pc.and_(pc.is_null(classes["value"]), anything)


def write_classes(place: Path, classes: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(classes, place / CLASSES)


def read_populations(place: Path) -> list[PopulationRow]:
    """Read the large populations of a point."""
    rows: list[PopulationRow] = json.loads((place / POPULATIONS).read_bytes())
    return rows


def write_populations(place: Path, rows: list[PopulationRow]) -> None:
    _write_json(place / POPULATIONS, rows)


def release_name(stem: str) -> str:
    """Return the prefix of the names of released files."""
    return f"{stem}-release"


def _write_json(path: Path, value: Any) -> None:
    """Write plain data to a file; infinity must already be a string."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False), "utf-8")


# --- the list of files: changed files and links are refused, other files are ignored

LIST = "files.json"
LARGE = ".csv"  # released files may be large: their contents are compared when they are requested
AGAIN = "copy the published folder again, or publish the study again"


def seal(folder: Path) -> None:
    """List the files of a folder that was just written, each with its size and digest."""
    (folder / LIST).unlink(missing_ok=True)
    listed = {name: [path.stat().st_size, _digest(path)] for name, path in sorted(_plain(folder))}
    (folder / LIST).write_text(json.dumps(listed, indent=1), "utf-8")


def check(folder: Path, under: str = "", large: bool = False) -> list[Path]:
    """Return the listed files below `under`; raise BadInput if one has changed.

    Large files are compared by size only, unless `large` is set.
    """
    present = dict(_plain(folder))
    listed = {name: given for name, given in _listed(folder).items() if name.startswith(under)}
    for name, (size, digest) in listed.items():
        if name not in present:
            raise BadInput(f"the published folder is incomplete: {name} is missing: {AGAIN}")
        path = present[name]
        if path.stat().st_size != size or ((large or path.suffix != LARGE) and _digest(path) != digest):
            raise BadInput(f"{name} in the published folder is damaged, or was changed: {AGAIN}")
    return [present[name] for name in listed]


def _plain(folder: Path, before: str = "") -> Iterator[tuple[str, Path]]:
    """Yield all files below; raise BadInput for a link, which could lead to any file of this machine."""
    for entry in os.scandir(folder):
        name = before + entry.name
        kind = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(kind.st_mode):
            yield from _plain(Path(entry.path), f"{name}/")
        elif stat.S_ISREG(kind.st_mode) and kind.st_nlink == 1:
            yield name, Path(entry.path)
        else:
            raise BadInput(f"{name} in the published folder is a link, not a file of its own: {AGAIN}")


def _listed(folder: Path) -> dict[str, tuple[int, str]]:
    try:
        found = json.loads((folder / LIST).read_bytes())
        return {str(name): (int(size), str(digest)) for name, (size, digest) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise BadInput(f"the published folder has no list of its files ({LIST}) that can be read: {AGAIN}") from None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


# --- a published study, read without access to the data


class Published(PublishedStudy):
    """A folder written by `workbench.publication.publish.publish`."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        super().__init__(read_results(self.folder))
        check(self.folder)

    def chart(self) -> dict[str, Any]:
        """Return the chart of all points as a Vega-Lite specification."""
        return read_chart(self.folder)

    def study_text(self) -> str:
        """Return the study in YAML, without the location of the data."""
        return read_study(self.folder)

    def exposures(self, index: int, start: int = 0, most: int = 20, wanted: str = "") -> tuple[int, list[ClassRow]]:
        """Return the number of classes, and some of them in the order of `groups.order`.

        Only classes that match all words of `wanted` are counted and returned (`_fits`). `share` is the exposure of a
        class, explained in `Results.exposure`.
        """
        import pyarrow.compute as pc

        detail = self.opened(index)
        if not isinstance(detail["classes"], int):
            raise BadInput(f"the groups of this release cannot be shown: {detail['classes']['reason']}")
        labels = label_columns(self.results["table"]["quasi"])
        table = read_classes(self._place(index))
        for word in wanted.split():
            table = table.filter(_fits(table, labels, word))
        few = unused_name("few", table.column_names)
        table = table.append_column(few, pc.is_null(table["people"]))
        table = table.append_column(withheld := unused_name("withheld", table.column_names), is_withheld(table))
        keys = [
            (few, "ascending"),
            (withheld, "ascending"),
            *((name, "descending") for name in ("share", "posterior", "people")),
        ]
        keys.append(("who", "ascending"))
        rows = table.sort_by(keys).slice(start, most).to_pylist()
        for row in rows:
            row["labels"] = [row.pop(name) for name in labels]
            row["small"], row["fewer"] = row.pop(few), detail["fewer"]
            del row[withheld]
        return table.num_rows, rows

    def populations(self, index: int) -> list[PopulationRow]:
        """Return the large populations that the release misjudges most."""
        self.opened(index)
        return read_populations(self._place(index))

    def files(self, index: int) -> list[Path]:
        """Return the released files and their codebook; empty if the folder does not include them."""
        self.opened(index)
        place, beginning = self._place(index), release_name(self.stem)
        found = check(self.folder, f"{place.relative_to(self.folder).as_posix()}/", large=True)
        released = (path for path in found if path.name.startswith(beginning))
        return sorted(released, key=lambda path: CODEBOOK in path.name)

    def _place(self, index: int) -> Path:
        """Return a point's folder; raise BadInput if the study has been published again in the meantime."""
        if edition(self.folder) != self.results["edition"]:
            raise BadInput("the study has been published again in the meantime; reload this page")
        place = point_folder(self.folder, index)
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
