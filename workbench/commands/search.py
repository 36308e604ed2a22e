"""`workbench search`: search for better points than the candidates of a study, within a budget."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import render_fixes
from workbench.commands.shared import (
    Caps,
    StoreFolder,
    effective_caps,
    exit_status,
    load_table,
    on_axes,
    open_study,
    print_json,
    print_note,
    progress_line,
    refuse_inputs,
    refuse_unknown_measures,
)
from workbench.commands.sweep import refuse_points, write_points
from workbench.studies.faults import study_words

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.decision import Decision
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point
    from workbench.frontier.store import Store
    from workbench.studies.study import Study
PURPOSE = "Search for better points than a study's candidates."
HELP = """Search beyond the study's own methods and models: with caps, for the release within them that loses least;
without caps, for a frontier without gaps. Points are stored next to the study (study.yaml -> study.results) and
reused. After Ctrl+C the same command resumes. The study's own candidates take part in the decision if they have
been measured before. To publish a point that is not in the study, add its recipe. The exit status is 2 if nothing
is recommended under the caps.

\b
workbench search study.yaml --cap P_loss=0.1 --budget 60
workbench search study.yaml --budget "5 min" --out points.csv
workbench search study.yaml --family "t-closeness, distance=js (mondrian)" --json | jq .recommended
"""


def search(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study (.yaml).", show_default=False)],
    cap: Caps = None,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Seconds, '5 min', or '40 evaluations', which is reproducible.")
    ] = "30",
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RECIPE",
            help="Search only these families: recipes whose model parameter is varied.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the points: .csv or .json.", show_default=False),
    ] = None,
    store: StoreFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the points and the notes as JSON.")] = False,
) -> int:
    """Run `workbench search`."""
    from workbench.frontier.decision import decide
    from workbench.studies.study import results_folder

    loaded = open_study(study)
    caps = effective_caps(loaded, cap)
    refuse_unknown_measures(loaded, None, None, list(caps))
    if out is not None:
        refuse_points(out)
        refuse_inputs([out], study)
    found = _searched(loaded, results_folder(study, store), caps, budget, family)
    if out is not None:
        write_points(found, loaded.name, out)
        typer.echo(f"The points are in {out}.", err=True)
    decision = decide(found, caps)
    if as_json:
        print_json(_as_dict(loaded, found, decision))
    else:
        typer.echo("\n".join(_lines(found, decision)))
    return exit_status(found, decision)


def _searched(
    study: Study, folder: Path, caps: Mapping[str, float], budget: str, families: list[str] | None
) -> Frontier:
    """Return the points that were found, on the study's axes."""
    from workbench.frontier.search import search as over
    from workbench.frontier.store import Store
    from workbench.studies.study import chart_axes

    axes = chart_axes(study)  # first, because the search optimizes them
    measures = sorted(study.measured(), key=lambda one: one.key not in axes)
    table = load_table(study)
    done = 0

    def report_progress(evaluations: int, point: Point) -> None:
        nonlocal done
        done = evaluations
        line(done, done, f"measured: {point.recipe}")

    def report_status(words: str) -> None:
        if sys.stderr.isatty():
            line(done, done, words)

    try:
        with progress_line() as line:
            found = over(
                table, measures, caps, budget, families, folder, study.seed,
                progress=report_progress, say=report_status, smallest=study.smallest,
            )  # fmt: skip
    except KeyboardInterrupt:
        print_note(f"stopped; {done:,} points are stored in {folder}")
        raise
    return on_axes(_with_candidates(found, study, table, Store(folder)), study)


def _with_candidates(found: Frontier, study: Study, table: Table, store: Store) -> Frontier:
    """Add the study's candidates that were measured before, with their numbers in the study."""
    from workbench.frontier.sweep import PointMaker, numbered_recipes

    own = numbered_recipes(study.candidates())
    numbers = {recipe.identity: number for number, recipe in enumerate(own, 1)}
    bench = PointMaker(table, own, found.measures, store, smallest=study.smallest)
    by_identity = {point.recipe.identity: point for point in found.measured}
    for recipe in own:
        if (
            recipe.identity not in by_identity
            and store.get(store.key(table, recipe, found.measures), recipe) is not None
        ):
            by_identity[recipe.identity] = bench.point(recipe)
    points = sorted(by_identity.values(), key=lambda point: numbers.get(point.recipe.identity, len(own) + 1))
    return replace(found, measured=points, numbers=[numbers.get(point.recipe.identity) for point in points])


def _lines(found: Frontier, decision: Decision) -> Iterator[str]:
    """Yield the points that were found, the notes, and the recipes to add to the study."""
    from workbench.base.figures import format_number
    from workbench.frontier.decision import why_none

    place = None if decision.recommended is None or not decision.caps else decision.recommended - 1
    efficient = [i for i, is_efficient in enumerate(found.is_efficient()) if is_efficient]
    yield f"{len(found.measured):,} points, {len(efficient):,} of them efficient"
    for i in sorted(efficient, key=lambda i: found.measured[i].values[found.axes[0]]) if place is None else [place]:
        point = found.measured[i]
        defined = [measure.key for measure in found.measures if measure.key in point.values]
        values = ", ".join(f"{key} {format_number(point.values[key])}" for key in defined)
        yield f"{'' if place is None else 'recommended under the caps: '}{found.label(i)}: {values}"
        if found.number(i) is None:
            yield f"  in the study: - {_written(point)}"
    if decision.caps and place is None:
        yield f"nothing is recommended: {why_none(found, decision)}"
    yield from _notes(found)


def _notes(found: Frontier) -> list[str]:
    return [render_fixes(note, study_words) for note in found.notes]


def _written(point: Point) -> str:
    """Return the recipe as a line of a study; JSON is YAML."""
    import json

    from workbench.frontier.recipe import ranges_from_recipe

    return json.dumps(ranges_from_recipe(point.recipe), ensure_ascii=False)


def _as_dict(study: Study, found: Frontier, decision: Decision) -> dict[str, Any]:
    """Return the points with their numbers in the study, the recommended point, and the notes."""
    from workbench.frontier.frontier import frontier_records

    axes = dict(zip(("privacy", "utility"), found.axes, strict=True))
    return {
        "study": study.name,
        "axes": axes,
        "caps": dict(decision.caps),
        "recommended": _named(found, decision.recommended if decision.caps else None),
        "nearest": _named(found, decision.nearest),
        "reason": decision.reason,
        "notes": _notes(found),
        "points": frontier_records(found),
    }


def _named(found: Frontier, place: int | None) -> dict[str, Any] | None:
    """Return the number of a point in the study, if it has one, and its recipe."""
    if place is None:
        return None
    return {"number": found.number(place - 1), "recipe": str(found.measured[place - 1].recipe)}
