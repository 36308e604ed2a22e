"""`workbench search`: better points than the candidates of a study, within a budget; they are kept beside the study."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput
from workbench.commands.frontier import NO_CAP, Caps, limits, on_axes, refuse_unknown_measures
from workbench.commands.shared import noted, opened, print_json, progress, refuse_inputs, warned
from workbench.commands.sweep import numbered, refuse_points, write_points
from workbench.data.reading.cures import STUDY, in_words, told_in

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point
    from workbench.measures import Measure
    from workbench.studies.study import Study


def search(
    study: Annotated[Path, typer.Argument(help="A study (.yaml).", show_default=False)],
    cap: Caps = None,
    budget: Annotated[
        str, typer.Option(metavar="time", help="How long: 60, '5 min', or '40 evaluations', which repeat exactly.")
    ] = "30",
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="recipe",
            help="Search these alone: recipes, of which the model's number is varied.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="file", help="Write the points: .csv or .json.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The points and what was tried, as JSON.")] = False,
) -> None:
    """Search for releases that touch the caps and lose least, in other methods and models than those of the study, too;
    without caps for a frontier without gaps. The points are kept beside the study (study.yaml -> study.results): what
    was made once is not made again, and Ctrl+C keeps what is done. To publish one, add its recipe to the study.

    \b
    workbench search study.yaml --cap P_loss=0.1 --budget 60
    workbench search study.yaml --budget "5 min" --out points.csv
    workbench search study.yaml --family "t-closeness, distance=js (mondrian)" --json | jq .best
    """
    asked = opened(study)
    caps = limits(asked, cap)
    refuse_unknown_measures(asked, None, None, list(caps))
    if out is not None:
        refuse_points(out)
        refuse_inputs([out], study)
    found = _searched(asked, study, caps, budget, family)
    if out is not None:
        write_points(found, asked.name, out)
        typer.echo(f"The points are in {out}.", err=True)
    if as_json:
        print_json(_as_dict(asked, found, caps))
    else:
        typer.echo("\n".join(_lines(found, caps)))


def _searched(study: Study, path: Path, caps: Mapping[str, float], budget: str, families: list[str] | None) -> Frontier:
    """The points that were found, on the study's axes."""
    from workbench.frontier.search import search as over
    from workbench.studies.study import results_beside

    measures = sorted(study.measured(), key=lambda one: one.key not in study.axes)  # the axes are what is sought
    with told_in(STUDY):
        table = noted(study.table(study.read()))
    folder, done = results_beside(path), 0

    def told(evaluations: int, point: Point) -> None:
        nonlocal done
        done = evaluations
        line(done, done, f"measured: {point.recipe}")

    def said(words: str) -> None:
        if sys.stderr.isatty():
            line(done, done, words)

    try:
        with progress() as line:
            found = over(table, measures, caps, budget, families, folder, study.seed, progress=told, say=said)
    except KeyboardInterrupt:
        warned(f"stopped; {done:,} points are kept in {folder}")
        raise
    return on_axes(found, study)


def _best(found: Frontier, caps: Mapping[str, float]) -> tuple[Point | None, str]:
    """The best point under the caps, or why there is none."""
    if not caps:
        return None, NO_CAP
    goal = found.axes[any(found.measure(key).side == "privacy" for key in caps)]
    try:
        return found.best(caps, minimise=goal), ""
    except BadInput as why:
        return None, str(why)


def _lines(found: Frontier, caps: Mapping[str, float]) -> Iterator[str]:
    """What was found, what was tried, and what to write into the study."""
    from workbench.base.figures import figures

    best, why = _best(found, caps)
    efficient = [point for point, stands in zip(found.measured, found.is_efficient(), strict=True) if stands]
    yield f"{len(found.measured):,} points, {len(efficient):,} of them efficient"
    for point in [best] if best else sorted(efficient, key=lambda one: one.values[found.axes[0]]):
        values = ", ".join(f"{one.key} {figures(point.values[one.key], one.better)}" for one in _told(found, point))
        yield f"{'best under the caps: ' if best else ''}{point.recipe}: {values}"
        yield f"  in the study: - {_written(point)}"
    if caps and why:
        yield f"no best point: {why}"
    yield from _notes(found)


def _notes(found: Frontier) -> list[str]:
    return [in_words(note, STUDY) for note in found.notes]


def _told(found: Frontier, point: Point) -> list[Measure]:
    return [one for one in found.measures if one.key in point.values]


def _written(point: Point) -> str:
    """The recipe as a line of a study: JSON is YAML."""
    import json

    from workbench.frontier.grid import ranges_of

    return json.dumps(ranges_of(point.recipe), ensure_ascii=False)


def _as_dict(study: Study, found: Frontier, caps: Mapping[str, float]) -> dict[str, Any]:
    """The points with their numbers, the best one's, and the notes."""
    best, why = _best(found, caps)
    place = None if best is None else next(i for i, one in enumerate(found.measured, 1) if one is best)
    about = {"study": study.name, "axes": dict(zip(("privacy", "utility"), found.axes, strict=True)), "caps": caps}
    return about | {"best": place, "why": why, "notes": _notes(found), "points": numbered(found.records())}
