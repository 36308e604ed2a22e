"""`workbench anonymize`: one release to a file, audited before it is written."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.commands.audit import file_of
from workbench.commands.frontier import Caps, limits, on_axes, refuse_unknown_measures
from workbench.commands.reading import AS_FOUND, Reading, column_options, reads
from workbench.commands.shared import STUDIES, noted, opened, print_json, refuse_inputs, warned
from workbench.commands.sweep import refuse_place, swept
from workbench.data.reading.cures import OPTIONS, STUDY, told_in

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.recipe import Recipe
    from workbench.methods import Method
    from workbench.models import Audit
    from workbench.releases.base import Release
    from workbench.studies.study import Study

MENDED = (
    "Make them identifiers, which leaves them out, or quasi-identifiers, which generalizes them, or use --giveaways"
)

Columns = list[str] | None
Given = Annotated[
    str, typer.Argument(metavar="study|data", help="A study (.yaml), or a table; - is CSV through a pipe.")
]
Output = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="file", help="The release: .csv or .parquet; - is CSV to stdout; spark:db.name."
    ),
]
WhichRecipe = Annotated[
    str, typer.Option(metavar="recipe", help="For a study: a number from `workbench frontier`, or a recipe in words.")
]
Quasi = Annotated[Columns, typer.Option(metavar="columns", help="For a table: the quasi-identifiers, a,b.")]
Sensitive = Annotated[Columns, typer.Option(metavar="columns", help="For a table: the sensitive columns.")]
Identifiers = Annotated[Columns, typer.Option(metavar="columns", help="For a table: columns to leave out.")]
Weight = Annotated[Columns, typer.Option(metavar="column", help="For a table: the survey weight.")]
WhichModel = Annotated[str, typer.Option(metavar="model", help="For a table: the model, such as 'k-anonymity, k=10'.")]
WhichMethod = Annotated[str, typer.Option(metavar="method", help="The method; default: mondrian.")]
Giveaways = Annotated[
    bool, typer.Option("--giveaways", help="Publish neutral columns although they disclose generalized values.")
]
Raw = Annotated[bool, typer.Option("--raw", help="Publish the quasi-identifiers unchanged, as 'keep' does.")]
Stars = Annotated[
    bool, typer.Option("--stars", help="Write a row of * for each record that is left out; by default it is absent.")
]
Defuse = Annotated[
    bool,
    typer.Option("--defuse-formulas", help="Put an apostrophe before cells that a spreadsheet would run as formulas."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
AsJson = Annotated[bool, typer.Option("--json", help="What was written, and its audit, as JSON.")]


@reads
def anonymize(
    given: Given,
    output: Output,
    recipe: WhichRecipe = "",
    cap: Caps = None,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    weight: Weight = None,
    model: WhichModel = "",
    method: WhichMethod = "",
    reading: Reading = AS_FOUND,
    giveaways: Giveaways = False,
    raw: Raw = False,
    stars: Stars = False,
    defuse: Defuse = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """One release to a file, its records in random order. It is audited first, and appears whole or not at all. Of a
    study one recipe, or without --recipe the best under the caps; of a table what --model and --method say. Neutral
    columns, those that are not named, are published unchanged, unless they disclose generalized values.

    \b
    workbench anonymize study.yaml -o release.csv                          the best under the study's caps
    workbench anonymize study.yaml --cap P_loss=0.15 -o release.parquet
    workbench anonymize study.yaml --recipe 19 -o release.csv              the number in `workbench frontier`
    workbench anonymize study.yaml --recipe "k-anonymity, k=10 & t-closeness, t=0.2" -o release.csv
    workbench anonymize data.csv --quasi age,sex --sensitive disease --model "k-anonymity, k=10" -o release.csv
    cat data.csv | workbench anonymize - --quasi age,sex --model "k-anonymity, k=5" -o - | head
    """
    from workbench.base.small_counts import SMALLEST
    from workbench.releases.writing import files_of

    _refuse_output(given, output, defuse, force, as_json)
    roles = {"--quasi": quasi, "--sensitive": sensitive, "--identifiers": identifiers, "--weight": weight}
    if Path(given).suffix in STUDIES:
        of_table = {**roles, "--model": model, "--method": method, **reading.options}
        _refuse(of_table, f"{given} is a study, which has these settings itself")
        study = opened(Path(given))
        (table, chosen), smallest, path = of_study(study, Path(given), recipe, cap), study.smallest, Path(given)
    else:
        _refuse({"--recipe": recipe, "--cap": cap}, f"{given} is not a study (.yaml)")
        (table, chosen), smallest, path = _of_table(given, [*roles.values()], reading, model, method), SMALLEST, None
    release = made(chosen, table, path)
    if chosen.model is None and not raw:
        _refuse_raw(release, chosen)
    audit = _audited(release, chosen)
    if not giveaways:
        release.refuse_giveaways("standard output" if output == "-" else output, MENDED)
    if output != "-" and not output.startswith("spark:"):
        refuse_inputs(files_of(Path(output), release.files), Path(given))
    files = _written(release, output, smallest, defuse, force, stars)
    _say(release, chosen, audit, files, _noise(table, chosen, path), as_json)


def _say(
    release: Release, chosen: Recipe, audit: Audit | None, files: Sequence[str], noise: str, as_json: bool
) -> None:
    """What was written, its audit, and what noise adds to it in the study's other releases."""
    if as_json:
        print_json({**_as_dict(release, chosen, audit, files), "noise": noise})
        return
    verdict = "; ".join(str(one) for one in (audit, release.guarantee) if one) or "no model was asked for"
    gone, classes = release.left_out, _classes(release)
    records = release.table.records - gone
    there = "no classes" if classes is None else f"{classes:,} {'class' if classes == 1 else 'classes'}"
    many = f"{records:,} {'record' if records == 1 else 'records'}"
    told = f"{chosen}: {many} in {there}{f', {gone:,} left out' if gone else ''}; {verdict}"
    typer.echo(told, err=True)
    if release.to_pass_on:
        typer.echo(f"To be passed on with it: {release.to_pass_on}.", err=True)
    typer.echo(f"Written: {', '.join(files) or 'to standard output'}.{f' {noise}' if noise else ''}", err=True)


def _refuse(options: dict[str, Any], why: str) -> None:
    """Raise BadInput for options that don't go with what was given."""
    wrong = [name for name, value in options.items() if value]
    if wrong:
        raise BadInput(f"{why}; leave out {', '.join(wrong)}")


def _refuse_output(given: str, output: str, defuse: bool, force: bool, as_json: bool) -> None:
    """Raise BadInput for a place that cannot be written to, before any work is done."""
    from workbench.base.files import codebooks, refuse_ending

    if output == "-":
        if as_json:
            raise BadInput("-o - and --json would both go to stdout; leave out one of them")
        return
    if output.startswith("spark:"):  # whether it can be written there, Spark says
        if force:
            raise BadInput(f"{output}: nothing is overwritten in Spark; leave out --force, and choose a new name")
        return
    path = Path(output)
    refuse_ending(path)
    refuse_place(path)
    if os.path.lexists(path) and not force:
        raise BadInput(f"{path} already exists; use --force to overwrite it, or choose another name")
    if defuse and path.suffix != ".csv":
        raise BadInput(f"{path}: nothing in Parquet is taken for a formula; --defuse-formulas is for CSV")
    refuse_inputs([path, *codebooks(path)], Path(given))


# --- which release


def made(recipe: Recipe, table: Table, study: Path | None) -> Release:
    """The release of a recipe; one that is drawn at random is kept beside its study, and read where it was before."""
    if not recipe.method.draws:
        return recipe.release(table)
    if study is None:
        raise BadInput(
            f"{recipe.method.name} draws its release at random, and a second draw would tell more than the first: make "
            "a study (workbench init), beside which the draw is kept"
        )
    from workbench.frontier.store import Store
    from workbench.studies.study import results_beside

    return recipe.release(table, Store(results_beside(study)))


def of_study(study: Study, path: Path, recipe: str, cap: Sequence[str] | None) -> tuple[Table, Recipe]:
    """The table of a study, and the recipe that was asked for or is the best under the caps."""
    if recipe:
        _refuse({"--cap": cap}, "--recipe says which release")
        chosen = chosen_from(study, recipe)
        with told_in(STUDY):
            return noted(study.table(study.read())), chosen
    caps = limits(study, cap)
    if not caps:
        raise BadInput(
            f"{path}: say which release: --recipe with a number of `workbench frontier {path}`, or --cap P_loss=0.15 "
            "for the best one under a cap"
        )
    refuse_unknown_measures(study, None, None, list(caps))
    found = swept(path)
    best = on_axes(found.frontier, study).best(caps).recipe
    warned(f"the best under {', '.join(f'{key}={value:g}' for key, value in caps.items())} is {best}")
    return found.table, best


def chosen_from(study: Study, text: str) -> Recipe:
    """The recipe of that number, or of that spelling; in words also one that is not a candidate of the study."""
    from workbench.frontier import notation
    from workbench.frontier.recipe import Recipe
    from workbench.frontier.sweep import BASELINES, distinct
    from workbench.methods.mondrian.mondrian import Mondrian

    known = distinct([*study.candidates(), *BASELINES])
    if re.fullmatch(r"#?\d{1,9}", text, re.ASCII):
        number = int(text.lstrip("#"))
        if not 1 <= number <= len(known):
            raise BadInput(f"--recipe {text}: the study has recipes 1 to {len(known)}; see `workbench frontier`")
        return known[number - 1]
    same = [i for i, one in enumerate(known) if str(one) == text.strip()]
    if not same:
        model, method = notation.model_and_method(text)
        parts = set(model.parts) if model else set()
        same = [
            i
            for i, one in enumerate(known)
            if (method is None or one.method == method) and (set(one.model.parts) if one.model else set()) == parts
        ]
        if not same:
            made = Recipe(method or Mondrian(), model, study.seed)
            warned(f"{made} is not a candidate of the study, and was not measured")
            return made
    if len(same) > 1:
        numbers = ", ".join(f"{i + 1} ({known[i]})" for i in same)
        raise BadInput(f"--recipe {text}: several recipes of the study are called so; say the number: {numbers}")
    return known[same[0]]


def _of_table(
    given: str, columns: Sequence[Columns], reading: Reading, model: str, method: str
) -> tuple[Table, Recipe]:
    """A table from a file or a pipe in these roles, and what is to be done with it."""
    from workbench.data.table import Table
    from workbench.frontier import notation
    from workbench.frontier.recipe import Recipe
    from workbench.methods.mondrian.mondrian import Mondrian

    quasi, sensitive, identifiers, weight = (column_options(one) for one in columns)
    if not quasi or not model:
        missing = "--quasi age,sex" if not quasi else '--model "k-anonymity, k=10"'
        raise BadInput(f"a table needs quasi-identifiers and a model; {missing} is missing")
    asked, behind = notation.model_and_method(model)
    if asked is None:
        raise BadInput(f"--model {model}: this is a method; say what is safe, as in --model 'k-anonymity, k=10'")
    if behind and method:
        raise BadInput(f"--model {model} names a method too; leave out --method")
    recipe = Recipe(notation.method(method) if method else behind or Mondrian(), asked)
    with file_of(given) as path, told_in(OPTIONS):
        options: dict[str, Any] = {**reading.of_file, **reading.of_values, "hierarchies": reading.hierarchies}
        return noted(Table.read(path, quasi, sensitive, identifiers, weight=weight, **options), OPTIONS), recipe


# --- audited, and written


def _refuse_raw(release: Release, recipe: Recipe) -> None:
    """Raise BadInput where every quasi-identifier that is published at all is published unchanged."""
    from workbench.base.figures import join_names

    if release.guarantee:
        _refuse_unchanged(release, recipe)
        return
    kept = [name for name in release.table.quasi if name not in release.removed]
    if kept and release.untouched(kept) == kept:
        raise BadInput(
            f"{recipe}: without a model it publishes {join_names(kept)} unchanged, so anyone who knows these values of "
            "a person finds the person; choose another recipe, or use --raw if that is intended"
        )


def _refuse_unchanged(release: Release, recipe: Recipe) -> None:
    """Raise BadInput where people are found by what a method with a guarantee leaves as it is, and with them what is
    sensitive."""
    from workbench.base.figures import join_names

    found, told = (release.untouched(names) for names in (release.table.quasi, release.table.sensitive))
    if found and (told or not release.table.sensitive):
        also = f", beside {join_names(told)}" if told else ""
        raise BadInput(
            f"{recipe}: it publishes {join_names(found)} unchanged{also}, which its guarantee does not cover; choose "
            "another recipe, or use --raw if that is intended"
        )


def _audited(release: Release, recipe: Recipe) -> Audit | None:
    """The verdict of the recipe's model on what is about to be written; never one that is broken."""
    if recipe.model is None:
        return None
    audit = release.audit(recipe.model)
    if not audit.holds:
        raise Unsatisfiable(f"{recipe}: {audit}; nothing was written")
    return audit


def _written(release: Release, output: str, smallest: int, defuse: bool, force: bool, stars: bool) -> list[str]:
    """The files that the release is in; none when it went to stdout."""
    if output != "-":
        files = release.export(output, giveaways=True, defuse=defuse, overwrite=force, smallest=smallest, stars=stars)
        return [str(path) for path in files]
    from workbench.releases.export import write_csv

    tables = list((release.starred_rows("stdout") if stars else release.rows()).values())
    if len(tables) > 1:
        raise BadInput(f"this release is {len(tables)} tables, and stdout holds one; name a file with -o")
    write_csv(tables[0].defused() if defuse else tables[0], sys.stdout.buffer)
    sys.stdout.flush()
    return []


def _noise(table: Table, chosen: Recipe, path: Path | None) -> str:
    """What the noise of this release and of the study's others adds up to, if these are given out as well."""
    from workbench.disclosure import spending

    if path is None or not chosen.method.draws:
        return ""
    found: dict[Method, None] = {}
    for method in [*(recipe.method for recipe in opened(path).candidates()), chosen.method]:
        with suppress(BadInput):  # there is no such release
            if method.spends(table):
                found[method] = None
    return spending.together(table, [*found], "releases with noise of this study")


def _classes(release: Release) -> int | None:
    """How many classes there are, if there are any."""
    try:
        return len(release.classes)
    except Undefined:
        return None


def _as_dict(release: Release, recipe: Recipe, audit: Audit | None, files: Sequence[str]) -> dict[str, Any]:
    return {
        "recipe": str(recipe),
        "settings": recipe.to_dict(),
        "records": release.table.records,
        "left_out": release.left_out,
        "classes": _classes(release),
        "guarantee": release.guarantee,
        "caution": release.to_pass_on,
        "audit": audit and {"holds": audit.holds, "achieved": [{"figure": f, "value": v} for f, v in audit.achieved]},
        "files": list(files),
    }
