"""`workbench query`: compare the true answers to queries with those from a release, with certain bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined, render_fixes
from workbench.commands.anonymize import find_recipe, make_release, table_and_recipe
from workbench.commands.shared import (
    Caps,
    StoreFolder,
    align_columns,
    between,
    effective_caps,
    open_study,
    print_json,
    print_note,
    print_role_notes,
    printable,
    refuse_unknown_measures,
)
from workbench.studies.faults import study_words

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.recipe import Recipe
    from workbench.queries.workload import Workload
    from workbench.releases.base import Release
    from workbench.studies.study import Study

LONGEST = 60  # maximum characters of a query in the table
NO_RELEASE = "only true answers: select a release with --recipe or --cap, or name a chosen recipe in the study"
PURPOSE = "Compare true answers to queries with a release's."
HELP = """Compare the true answers to queries with the estimates from a release, and with the minimum and maximum that
the release makes certain. The release is that of --recipe, or the recommended one under --cap; by default the one that
the study names as chosen, or the recommended one under its caps.
With --workload or --file: the average error and the worst queries.
True answers are exact figures of the original: the output is for the analyst.

\b
workbench query study.yaml "age >= 40 and sex = 'Male'"
workbench query study.yaml "avg(hours) where education in ('Masters', 'Doctorate')" --recipe 19
workbench query study.yaml --workload "by state" --worst 20
workbench query study.yaml --file queries.sql --json | jq '.queries[] | select(.error > 0.1)'
"""


def query(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study (.yaml).", show_default=False)],
    queries: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY", help="A query, such as \"age >= 40 and sex = 'Male'\".", show_default=False),
    ] = None,
    workload: Annotated[str, typer.Option(metavar="NAME", help="A workload of the study, or random.")] = "",
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file of queries, one per line, or SQL.", show_default=False),
    ] = None,
    recipe: Annotated[
        str, typer.Option(metavar="RECIPE", help="A number from `workbench frontier`, or a recipe as text.")
    ] = "",
    cap: Caps = None,
    worst: Annotated[
        int,
        typer.Option(
            metavar="NUMBER", help="Number of queries to show, for --workload and --file.", parser=between(0, 9999)
        ),
    ] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print all answers as JSON.")] = False,
    store: StoreFolder = None,
) -> None:
    """Run `workbench query`."""
    from workbench.studies.study import results_folder

    loaded = open_study(study)
    if sum([bool(queries), bool(workload), file is not None]) != 1:
        raise BadInput("pass queries in quotes, --workload NAME, or --file FILE")
    chosen, capped = _recipe_of(loaded, recipe, cap)
    table = loaded.table(loaded.read())
    if not capped:
        print_role_notes(table)
    what = _read_queries(table, queries or (), workload, file)
    if capped:  # only now, to report errors in queries before hours of computation
        table, chosen = table_and_recipe(loaded, study, "", cap, store)
    for note in what.notes:
        print_note(printable(f"{file or workload}: {note}" if workload or file else note))
    folder = results_folder(study, store)
    answers = Answers(what.with_table(table), None if chosen is None else make_release(chosen, table, folder))
    if chosen is None:
        print_note(NO_RELEASE)
    if as_json:
        about = {"recipe": chosen and str(chosen), "settings": chosen and chosen.to_dict()}
        print_json({"study": loaded.name, **about, "workload": workload or None, **answers.as_dict()})
        return
    head = f"{loaded.name}: {chosen or 'the original'}"
    shown = range(len(what)) if queries else answers.worst(worst)
    typer.echo("\n".join(printable(line) for line in (head, *answers.lines(shown, summary=not queries))))


def _recipe_of(study: Study, recipe: str, cap: Sequence[str] | None) -> tuple[Recipe | None, bool]:
    """Return the requested or chosen recipe, if any, and whether to use the recommended one under caps."""
    from workbench.studies.study import chosen_recipe

    if recipe:
        if cap:
            raise BadInput("--recipe already selects a release; leave out --cap")
        return find_recipe(study, recipe), False
    chosen, caps = None if cap else chosen_recipe(study), effective_caps(study, cap)
    if chosen is None and caps:
        refuse_unknown_measures(study, None, None, list(caps))
    return chosen, chosen is None and bool(caps)


def _read_queries(table: Table, queries: Sequence[str], workload: str, file: Path | None) -> Workload:
    """Return the queries as a workload; errors name the query."""
    from workbench.queries.workload import Workload

    if workload or file is not None:
        return Workload.named(table, workload) if file is None else Workload.read(table, file)
    try:
        return Workload.from_texts(table, queries)
    except BadInput as error:
        raise BadInput(f"query, {error}" if len(queries) == 1 else str(error)) from None


class Answers:
    """The true answers to queries, and the answers of a release if there is one."""

    def __init__(self, workload: Workload, release: Release | None) -> None:
        from workbench.measures.utility.query_error import QueryError

        self.workload, self.why, self.summary = workload, "", ""
        self.columns: dict[str, list[float]] = {"true": workload.truth.tolist()}
        if release is None:
            return
        self.columns["expected"] = release.count(workload).tolist()
        try:
            self.columns["least"], self.columns["most"] = (one.tolist() for one in release.bounds(workload))
        except Undefined as reason:
            self.why = render_fixes(str(reason), study_words)
        try:
            measured = QueryError(workload=workload)(release)
            self.columns["error"], self.summary = measured.detail["error"].tolist(), measured.sentence
        except Undefined as reason:
            self.summary = f"The error is undefined: {render_fixes(str(reason), study_words)}."

    def worst(self, number: int) -> list[int]:
        """Return the distinct queries with the largest errors; without a release the first."""
        errors = [0.0 if math.isnan(error) else error for error in self.columns.get("error", [])]
        order = sorted(range(len(errors)), key=lambda q: -errors[q]) if errors else range(len(self.workload))
        found: dict[str, int] = {}
        for q in order:
            if len(found) < number:
                found.setdefault(self.workload.text(q), q)
        return [*found.values()]

    def lines(self, shown: Sequence[int], summary: bool) -> list[str]:
        """Return one row per query, after the summary."""
        out = [self.summary or f"{len(self.workload):,} queries."] if summary else []
        head = ["query", "true", *(["expected"] if "expected" in self.columns else [])]
        head += [*(["certainly"] if "least" in self.columns else []), *(["error"] if "error" in self.columns else [])]
        table = align_columns([head, *map(self._row, shown)], head=True)
        return [*out, "", *table, *([f"No certain bounds: {self.why}."] if self.why else [])]

    def _row(self, q: int) -> list[str]:
        from workbench.base.figures import format_number

        text, column = self.workload.text(q), self.columns
        cells = [text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...", format_answer(column["true"][q])]
        if "expected" in column:
            cells.append(format_answer(column["expected"][q]))
        if "least" in column:
            cells.append(f"{format_answer(column['least'][q])} to {format_answer(column['most'][q])}")
        if "error" in column:
            error = column["error"][q]
            cells.append("undefined" if math.isnan(error) else f"{format_number(100 * error)} %")
        return cells

    def as_dict(self) -> dict[str, Any]:
        """Return all answers as plain data."""
        rows = [
            {"number": q + 1, "query": self.workload.text(q), **{name: one[q] for name, one in self.columns.items()}}
            for q in range(len(self.workload))
        ]
        return {
            "queries": rows,
            "summary": self.summary or None,
            "no_bounds": self.why or None,
            "notes": self.workload.notes,
        }


def format_answer(value: float) -> str:
    """Format an answer: counts as whole numbers, others with two decimals, small ones with three digits."""
    from workbench.base.figures import format_number

    if not math.isfinite(value) or (value and abs(value) < 1):
        return format_number(value)
    return f"{value:,.2f}".removesuffix(".00")
