"""`workbench sweep`: every candidate of a study is made and measured, and its point kept beside the study."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput
from workbench.base.jsonable import jsonable
from workbench.commands.shared import noted, opened, print_json, progress, refuse_inputs, warned
from workbench.data.reading import cures
from workbench.data.reading.cures import STUDY, told_in

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point
    from workbench.frontier.store import Store
    from workbench.studies.study import Study

ENDINGS = (".csv", ".json")
LONG = 10.0  # seconds above which it is said how long the releases take


def sweep(
    study: Annotated[Path, typer.Argument(help="A study (.yaml).", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="file", help="Write the points: .csv or .json.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The summary as JSON.")] = False,
) -> None:
    """Make and measure every candidate of a study. The points are kept beside it (study.yaml -> study.results), so what
    was done once is not done again; Ctrl+C keeps what is done.

    \b
    workbench sweep study.yaml
    workbench sweep study.yaml --out points.csv
    workbench sweep study.yaml --json | jq .undefined
    """
    if out is not None:
        refuse_points(out)
        refuse_inputs([out], study)
    found = swept(study)
    if out is not None:
        write_points(with_tries(found).frontier, found.study.name, out)
    if as_json:
        print_json({"study": found.study.name, **found.counts, "undefined": found.undefined})
        return
    typer.echo(f"{found.study.name}: {in_words(found)}")
    for one in found.undefined:
        for reason, keys in one["reasons"].items():
            typer.echo(f"  {one['recipe']}: {', '.join(keys)} undefined: {reason}")
    if out is not None:
        typer.echo(f"The points are in {out}.", err=True)


@dataclass(frozen=True)
class Swept:
    """A study with its points, and how they came about."""

    study: Study
    table: Table
    frontier: Frontier
    made: int
    found: int  # in the store
    store: Store

    @property
    def counts(self) -> dict[str, int]:
        """How many points there are, and where they come from."""
        return {"points": len(self.frontier.measured), "made": self.made, "from_store": self.found}

    @property
    def undefined(self) -> list[dict[str, Any]]:
        """The recipes that some measure says nothing of, with each reason and the measures it goes for."""
        points = [point for point in self.frontier.measured if point.reasons]
        return [{"recipe": str(point.recipe), "reasons": _by_reason(point)} for point in points]


def swept(path: Path) -> Swept:
    """The study in a file with all its points: those in the store beside it, and the others made and kept there."""
    from workbench.base.durations import duration
    from workbench.frontier.duration import seconds
    from workbench.frontier.store import Store
    from workbench.frontier.sweep import BASELINES
    from workbench.frontier.sweep import sweep as over
    from workbench.studies.study import results_beside

    study, folder = opened(path), results_beside(path)
    candidates, measures = study.candidates(), study.measured()
    with told_in(STUDY):
        table = noted(study.table(study.read()))
    store = Store(folder)
    there = set(store.keys())
    points: list[Point] = []
    every = len(candidates) + len(BASELINES)

    def told(done: int, total: int, point: Point) -> None:
        points.append(point)
        line(done, total, f"measured: {point.recipe}")

    def said(words: str) -> None:
        if sys.stderr.isatty():
            line(len(points), every, words)

    try:
        if (takes := seconds(table, candidates, measures, store)) >= LONG:
            warned(f"the releases that are not there yet take a processor {duration(takes)}, and measures come on top")
        with progress() as line:
            frontier = over(table, candidates, measures, store, progress=told, cancel=threading.Event(), say=said)
    except KeyboardInterrupt:
        kept = len(set(store.keys()) - there)
        warned(f"stopped; {kept:,} new points are kept in {folder}, and the same command goes on from there")
        raise
    found = sum(point.key in there for point in points)
    return Swept(study, table, frontier, len(points) - found, found, store)


def with_tries(found: Swept, asked: Mapping[str, Any] | None = None) -> Swept:
    """The points with the intervals that were asked for, or else that the study asks for."""
    from workbench.frontier.intervals import with_intervals

    asked = asked or found.study.intervals
    if not asked:
        return found
    with progress() as line:
        again = with_intervals(
            found.table,
            found.frontier,
            **asked,
            store=found.store,
            progress=lambda done, of: line(done, of, "made again"),
        )
    return replace(found, frontier=again)


def in_words(found: Swept) -> str:
    """How many points there are, and where they come from."""
    count, undefined = len(found.frontier.measured), len(found.undefined)
    return (
        f"{count:,} {'point' if count == 1 else 'points'}, {found.made:,} made and {found.found:,} from the store; "
        f"{undefined or 'none'} undefined on some measure"
    )


def _by_reason(point: Point) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for key, reason in point.reasons.items():
        reasons.setdefault(cures.in_words(reason, STUDY), []).append(key)
    return reasons


def refuse_points(out: Path) -> None:
    """Raise BadInput for a place that the points cannot be written to, before hours are spent on them."""
    if out.suffix not in ENDINGS:
        raise BadInput(f"{out}: points are written as {' or '.join(ENDINGS)}; end the name so")
    refuse_place(out)


def refuse_place(out: Path) -> None:
    """Raise BadInput where no file can be."""
    try:
        with suppress(FileNotFoundError):
            os.lstat(out)  # which a name may be too long for
        if out.is_dir():
            raise BadInput(f"{out} is a folder; name a file in it")
        if not out.parent.is_dir():
            raise BadInput(f"{out}: the folder {str(out.parent)!r} does not exist; make it, or choose another")
        with tempfile.TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        raise BadInput(f"{out}: it cannot be written there ({error.strerror}); choose another place") from None


def write_points(frontier: Frontier, name: str, out: Path) -> None:
    """Every point, as JSON or CSV by the ending of the name; the same study gives the same bytes."""
    import json

    from workbench.base.files import whole

    with whole(out) as aside:
        if out.suffix == ".json":
            data = jsonable({"study": name, "points": numbered(frontier.records())})
            aside.write_text(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
        else:
            points = frontier.points
            points.set_axis(range(1, len(points) + 1)).to_csv(aside, index_label="number")


def numbered(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with the number that `workbench frontier` shows and `workbench anonymize --recipe` takes."""
    return [{"number": number, **record} for number, record in enumerate(records, 1)]
