"""`workbench query`: what queries answer, in truth and from a release, and within which bounds for certain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined
from workbench.commands.anonymize import chosen_from, made, of_study
from workbench.commands.audit import aligned, plain
from workbench.commands.frontier import Caps, limits, refuse_unknown_measures
from workbench.commands.shared import between, noted, opened, print_json, warned
from workbench.data.reading.cures import STUDY, told_in

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.recipe import Recipe
    from workbench.releases.base import Release
    from workbench.studies.study import Study
    from workbench.workloads.workload import Workload

LONGEST = 60  # characters of a query in the table
NO_RELEASE = "true answers alone: say which release with --recipe or --cap, or name a chosen recipe in the study"


def query(
    study: Annotated[Path, typer.Argument(help="A study (.yaml).", show_default=False)],
    queries: Annotated[
        list[str] | None,
        typer.Argument(metavar="query", help="Such as \"age >= 40 and sex = 'Male'\".", show_default=False),
    ] = None,
    workload: Annotated[str, typer.Option(metavar="name", help="A workload of the study, or random.")] = "",
    file: Annotated[
        Path | None,
        typer.Option(metavar="file", help="Queries in a file, one a line or SQL.", show_default=False),
    ] = None,
    recipe: Annotated[
        str, typer.Option(metavar="recipe", help="A number from `workbench frontier`, or a recipe in words.")
    ] = "",
    cap: Caps = None,
    worst: Annotated[
        int,
        typer.Option(
            metavar="number", help="Queries of --workload and --file that are shown.", parser=between(0, 9999)
        ),
    ] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="All answers, as JSON.")] = False,
) -> None:
    """What queries answer: in truth, as users of a release expect, and the least and the most that the release makes
    certain. The release is that of --recipe, or the best under --cap; else the one that the study says was chosen, or
    the best under its caps. Of --workload and --file how wrong the answers are, and the queries that go most wrong.
    Answers are exact figures of the original: the output is for the analyst.

    \b
    workbench query study.yaml "age >= 40 and sex = 'Male'"
    workbench query study.yaml "avg(hours) where education in ('Masters', 'Doctorate')" --recipe 19
    workbench query study.yaml --workload "by state" --worst 20
    workbench query study.yaml --file queries.sql --json | jq '.queries[] | select(.error > 0.1)'
    """
    asked, given = opened(study), {"queries": bool(queries), "--workload": bool(workload), "--file": file is not None}
    if sum(given.values()) != 1:
        raise BadInput("say what is asked: queries in quotes, or --workload with a name, or --file with a file")
    chosen, capped = _recipe_of(asked, recipe, cap)
    with told_in(STUDY):
        table = asked.table(asked.read())
    what = _asked(table if capped else noted(table), queries or (), workload, file)
    if capped:  # only now: what is wrong with a query is said before hours are spent
        table, chosen = of_study(asked, study, "", cap)
    for note in what.notes:
        warned(plain(f"{file or workload}: {note}" if workload or file else note))
    answers = Answers(what.with_table(table), None if chosen is None else made(chosen, table, study))
    if chosen is None:
        warned(NO_RELEASE)
    if as_json:
        about = {"recipe": chosen and str(chosen), "settings": chosen and chosen.to_dict()}
        print_json({"study": asked.name, **about, "workload": workload or None, **answers.as_dict()})
        return
    head = f"{asked.name}: {chosen or 'the original'}"
    shown = range(len(what)) if queries else answers.worst(worst)
    typer.echo("\n".join(plain(line) for line in (head, *answers.lines(shown, summary=not queries))))


def _recipe_of(study: Study, recipe: str, cap: Sequence[str] | None) -> tuple[Recipe | None, bool]:
    """The recipe that was asked for, or chosen, or None; and whether it is the best under caps."""
    if recipe:
        if cap:
            raise BadInput("--recipe says which release; leave out --cap")
        return chosen_from(study, recipe), False
    chosen, caps = None if cap else study.choice(), limits(study, cap)
    if chosen is None and caps:
        refuse_unknown_measures(study, None, None, list(caps))
    return chosen, chosen is None and bool(caps)


def _asked(table: Table, queries: Sequence[str], workload: str, file: Path | None) -> Workload:
    """The queries; what is wrong with one of them says which."""
    from workbench.workloads.workload import Workload

    if workload or file is not None:
        return Workload.named(table, workload) if file is None else Workload.read(table, file)
    try:
        return Workload.of(table, queries)
    except BadInput as error:
        raise BadInput(f"query, {error}" if len(queries) == 1 else str(error)) from None


class Answers:
    """The true answers to queries, and what a release answers, if there is one."""

    def __init__(self, asked: Workload, release: Release | None) -> None:
        from workbench.measures.utility.query_error import QueryError

        self.asked, self.why, self.summary = asked, "", ""
        self.columns: dict[str, list[float]] = {"true": asked.truth.tolist()}
        if release is None:
            return
        self.columns["expected"] = release.count(asked).tolist()
        try:
            self.columns["least"], self.columns["most"] = (one.tolist() for one in release.bounds(asked))
        except Undefined as reason:
            self.why = str(reason)
        try:
            measured = QueryError(workload=asked)(release)
            self.columns["error"], self.summary = measured.detail["error"].tolist(), measured.sentence
        except Undefined as reason:
            self.summary = f"The error is undefined: {reason}."

    def worst(self, number: int) -> list[int]:
        """The queries with the largest errors, each once; without a release the first."""
        errors = [0.0 if math.isnan(error) else error for error in self.columns.get("error", [])]
        order = sorted(range(len(errors)), key=lambda q: -errors[q]) if errors else range(len(self.asked))
        found: dict[str, int] = {}
        for q in order:
            if len(found) < number:
                found.setdefault(self.asked.text(q), q)
        return [*found.values()]

    def lines(self, shown: Sequence[int], summary: bool) -> list[str]:
        """A row a query, under what is said of all of them."""
        out = [self.summary or f"{len(self.asked):,} queries."] if summary else []
        head = ["query", "true", *(["expected"] if "expected" in self.columns else [])]
        head += [*(["certainly"] if "least" in self.columns else []), *(["error"] if "error" in self.columns else [])]
        table = aligned([head, *map(self._row, shown)], head=True)
        return [*out, "", *table, *([f"No certain bounds: {self.why}."] if self.why else [])]

    def _row(self, q: int) -> list[str]:
        from workbench.base.figures import figures

        text, column = self.asked.text(q), self.columns
        cells = [text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...", number(column["true"][q])]
        if "expected" in column:
            cells.append(number(column["expected"][q]))
        if "least" in column:
            cells.append(f"{number(column['least'][q])} to {number(column['most'][q])}")
        if "error" in column:
            error = column["error"][q]
            cells.append("undefined" if math.isnan(error) else f"{figures(100 * error, 'lower')} %")
        return cells

    def as_dict(self) -> dict[str, Any]:
        """All answers, by query."""
        rows = [
            {"number": q + 1, "query": self.asked.text(q), **{name: one[q] for name, one in self.columns.items()}}
            for q in range(len(self.asked))
        ]
        return {
            "queries": rows,
            "summary": self.summary or None,
            "no_bounds": self.why or None,
            "notes": self.asked.notes,
        }


def number(value: float) -> str:
    """An answer as it is: a count as a whole number, others with two decimals, small ones in three figures."""
    from workbench.base.figures import figures

    if not math.isfinite(value) or (value and abs(value) < 1):
        return figures(value)
    return f"{value:,.2f}".removesuffix(".00")
