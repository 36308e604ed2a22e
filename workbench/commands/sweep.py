"""`workbench sweep`: make and measure every candidate of a study, and store its points next to the study."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, render_fixes
from workbench.base.jsonable import jsonable
from workbench.commands.shared import (
    StoreFolder,
    load_table,
    open_study,
    print_json,
    print_note,
    progress_line,
    refuse_inputs,
    refuse_place,
)
from workbench.studies.faults import study_words

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point
    from workbench.frontier.store import Store
    from workbench.studies.study import Study

ENDINGS = (".csv", ".json")
PURPOSE = "Make and measure every candidate of a study."
HELP = """Make and measure every candidate of a study. Points are stored next to the study (study.yaml -> study.results)
and reused. After Ctrl+C the same command resumes.

\b
workbench sweep study.yaml
workbench sweep study.yaml --out points.csv
workbench sweep /archive/study.yaml --store mine.results    where the study's folder is read-only
workbench sweep study.yaml --json | jq .undefined
"""


def sweep(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study (.yaml).", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the points: .csv or .json.", show_default=False),
    ] = None,
    store: StoreFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Run `workbench sweep`."""
    if out is not None:
        refuse_points(out)
        refuse_inputs([out], study)
    found = sweep_study(study, store)
    if out is not None:
        write_points(add_intervals(found).frontier, found.study.name, out)
    points, name = found.frontier.measured, found.study.name
    undefined: list[dict[str, Any]] = [{"recipe": str(p.recipe), "reasons": _by_reason(p)} for p in points if p.reasons]
    if as_json:
        origin = {"points": len(points), "made": found.made, "from_store": found.found}
        print_json({"study": name, **origin, "undefined": undefined})
        return
    count = f"{len(points):,} {'point' if len(points) == 1 else 'points'}"
    from_where = f"{found.made:,} made and {found.found:,} from the store"
    typer.echo(f"{name}: {count}, {from_where}; {len(undefined) or 'none'} undefined on some measure")
    for one in undefined:
        for reason, keys in one["reasons"].items():
            typer.echo(f"  {one['recipe']}: {', '.join(keys)} undefined: {reason}")
    if out is not None:
        typer.echo(f"The points are in {out}.", err=True)


@dataclass(frozen=True)
class Swept:
    """A study with its points and their origin."""

    study: Study
    table: Table
    frontier: Frontier
    made: int
    found: int  # in the store
    store: Store


def sweep_study(path: Path, folder: Path | None = None) -> Swept:
    """Return a study with all its points: those in its store, and new ones, which are added to the store."""
    from workbench.base.progress import Remaining
    from workbench.frontier.store import Store
    from workbench.frontier.sweep import BASELINES, MeasureFailed, failures_of
    from workbench.frontier.sweep import sweep as over
    from workbench.studies.study import results_folder

    study, folder = open_study(path), results_folder(path, folder)
    candidates, measures = study.candidates(), study.measured()
    table = load_table(study)
    store = Store(folder)
    stored = set(store.keys())
    points: list[Point] = []
    every, remaining = len(candidates) + len(BASELINES), Remaining()

    def report_progress(done: int, total: int, point: Point) -> None:
        points.append(point)
        line(done, total, "; ".join(filter(None, (remaining.text(done, total), f"measured: {point.recipe}"))))

    def report_status(words: str) -> None:
        if sys.stderr.isatty():
            line(len(points), every, words)

    try:
        with progress_line() as line, warnings.catch_warnings():
            warnings.simplefilter("ignore", MeasureFailed)  # reported below
            frontier = over(
                table, candidates, measures, store, progress=report_progress, cancel=threading.Event(),
                say=report_status, smallest=study.smallest,
            )  # fmt: skip
    except KeyboardInterrupt:
        added = len(set(store.keys()) - stored)
        print_note(f"stopped; {added:,} new points are stored in {folder}; the same command resumes from there")
        raise
    for failure in failures_of(frontier.measured):
        print_note(f"{failure}; please report it")
    found = sum(point.key in stored for point in points)
    return Swept(study, table, frontier, len(points) - found, found, store)


def add_intervals(found: Swept, intervals: Mapping[str, Any] | None = None) -> Swept:
    """Add the requested intervals to the points, by default those of the study."""
    from workbench.frontier.intervals import with_intervals

    intervals = intervals or found.study.intervals
    if not intervals:
        return found
    with progress_line() as line:
        again = with_intervals(
            found.table,
            found.frontier,
            **intervals,
            store=found.store,
            progress=lambda done, of: line(done, of, "made again"),
        )
    return replace(found, frontier=again)


def _by_reason(point: Point) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for key, reason in point.reasons.items():
        reasons.setdefault(render_fixes(reason, study_words), []).append(key)
    return reasons


def refuse_points(out: Path) -> None:
    """Raise BadInput if the points cannot be written to a path, before hours of computation."""
    if out.suffix not in ENDINGS:
        raise BadInput(f"{out}: the name must end in {' or '.join(ENDINGS)}")
    refuse_place(out)


def write_points(frontier: Frontier, name: str, out: Path) -> None:
    """Write every point as JSON or CSV, by the ending of the name; the same study gives the same bytes."""
    import json

    from workbench.base.files import atomic_write
    from workbench.frontier.frontier import frontier_records

    with atomic_write(out) as aside:
        if out.suffix == ".json":
            data = jsonable({"study": name, "points": frontier_records(frontier)})
            aside.write_text(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
        else:
            points = frontier.points
            points.set_axis([frontier.number(i) for i in range(len(points))]).to_csv(aside, index_label="number")
