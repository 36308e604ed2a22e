"""The format of a published folder: its files and their contents. All reading and writing happens here.

results.json           the study in numbers and sentences: `Results`
files.json             the list of these files (`workbench.publication.seal`); other files are not served
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

import json
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput
from workbench.data.column import unused_name
from workbench.publication.published_types import PopulationRow, Results

FORMAT = 18  # increased with every change that affects readers
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


def is_untold(classes: Any) -> Any:
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
