"""The format of a published folder: the files in it, and what stands in each. Nothing else reads or writes them.

    results.json           the study in numbers and sentences: `Results`
    files.json             the list of these files (`workbench.publication.seal`); what is not in it is not served
    study.yaml             what was asked, without where the data lie
    frontier.vl.json       the chart of all points
    points/<number>/       of each point that can be opened:
      disclosure.parquet   its classes, a row each: the labels of the quasi-identifiers, and `CLASS_COLUMNS`
      populations.json     the large populations that it misjudges most: `PopulationRow`
      <stem>-release*.csv  the released files, where they are carried

Every number is as coarse as it may be published. The types are those of `workbench.publication.shapes`.
Light, since the dashboard's first picture waits for it: it loads nothing of the engine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput
from workbench.data.column import spare
from workbench.publication.shapes import PopulationRow, Results

FORMAT = 16  # another number for every change of what a reader expects
NOTHING = "no study has been published there; make it with: workbench dashboard --publish study.yaml folder"
RESULTS, STUDY, CHART, POINTS = "results.json", "study.yaml", "frontier.vl.json", "points"
CLASSES, POPULATIONS = "disclosure.parquet", "populations.json"
WITHOUT = "the study was published without its releases"  # why a point has no file, where nobody asked for one
CLASS_COLUMNS = ("who", "people", "fewest", "share", "sensitive", "value", "prior", "posterior", "sentence")


def is_published(folder: Path) -> bool:
    """Whether a folder was made by `publish`, in whatever version."""
    return edition(folder) is not None


def edition(folder: Path) -> str | None:
    """Which publication lies in a folder; None where there is none."""
    try:
        found = json.loads((folder / RESULTS).read_bytes()) if (folder / RESULTS).is_file() else None
    except (OSError, ValueError):
        return None
    return str(found["edition"]) if isinstance(found, dict) and "edition" in found else None


def read_results(folder: Path) -> Results:
    """The results; BadInput where there are none, or those of another format."""
    if not is_published(folder):
        raise BadInput(NOTHING)
    found: Results = json.loads((folder / RESULTS).read_bytes())
    if found.get("format") != FORMAT:
        raise BadInput("the study was published by another version of the workbench; publish it again")
    return found


def write_results(folder: Path, results: Results) -> None:
    _write_json(folder / RESULTS, results)


def read_chart(folder: Path) -> dict[str, Any]:
    """The chart of all points, in the words of Vega-Lite."""
    chart: dict[str, Any] = json.loads((folder / CHART).read_bytes())
    return chart


def write_chart(folder: Path, chart: dict[str, Any]) -> None:
    _write_json(folder / CHART, chart)


def read_study(folder: Path) -> str:
    """The study in YAML."""
    return (folder / STUDY).read_text("utf-8")


def write_study(folder: Path, text: str) -> None:
    (folder / STUDY).write_text(text, "utf-8")


def point_folder(folder: Path, index: int) -> Path:
    """Where the files of a point lie."""
    return folder / POINTS / str(index)


def make_point_folder(folder: Path, index: int) -> Path:
    """A new folder for the files of a point, its owner's alone."""
    place = point_folder(folder, index)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    place.mkdir(mode=0o700)
    return place


def label_columns(quasi: list[str]) -> list[str]:
    """What the columns of labels are called in the table of classes."""
    return [spare(name, CLASS_COLUMNS) for name in quasi]


def read_classes(place: Path) -> Any:
    """The table of classes in a point's folder, as Arrow."""
    import pyarrow.parquet as pq  # takes a moment to load

    return pq.read_table(place / CLASSES)


def write_classes(place: Path, classes: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(classes, place / CLASSES)


def read_populations(place: Path) -> list[PopulationRow]:
    """The large populations in a point's folder."""
    rows: list[PopulationRow] = json.loads((place / POPULATIONS).read_bytes())
    return rows


def write_populations(place: Path, rows: list[PopulationRow]) -> None:
    _write_json(place / POPULATIONS, rows)


def release_name(stem: str) -> str:
    """How the names of a study's released files begin."""
    return f"{stem}-release"


def _write_json(path: Path, value: Any) -> None:
    """Plain data in a file; infinity has to be a word already."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False), "utf-8")
