"""`workbench anonymize`: one release to a file, audited before it is written."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.commands.reading import AS_FOUND, Reading, column_options, open_input, option_words, reads
from workbench.commands.shared import (
    STUDIES,
    Caps,
    StoreFolder,
    effective_caps,
    load_table,
    on_axes,
    open_study,
    print_json,
    print_note,
    print_role_notes,
    refuse_inputs,
    refuse_place,
    refuse_unknown_measures,
)
from workbench.commands.sweep import sweep_study

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.recipe import Recipe
    from workbench.methods import Method
    from workbench.models import Audit
    from workbench.releases.base import Release
    from workbench.studies.study import Study

MENDED = "Make them identifiers, which are removed, or quasi-identifiers, which are generalized, or use --giveaways"

Columns = list[str] | None
Given = Annotated[
    str, typer.Argument(metavar="STUDY|TABLE", help="A study (.yaml), or a table; - reads CSV from stdin.")
]
Output = Annotated[
    str,
    typer.Option(
        "--out", "-o", metavar="FILE", help="The release: .csv or .parquet; - writes CSV to stdout; spark:db.name."
    ),
]
WhichRecipe = Annotated[
    str, typer.Option(metavar="RECIPE", help="For a study: a number from `workbench frontier`, or a recipe as text.")
]
Quasi = Annotated[Columns, typer.Option(metavar="COLUMNS", help="For a table: the quasi-identifiers, a,b.")]
Sensitive = Annotated[Columns, typer.Option(metavar="COLUMNS", help="For a table: the sensitive columns.")]
Identifiers = Annotated[Columns, typer.Option(metavar="COLUMNS", help="For a table: columns to remove.")]
Weight = Annotated[Columns, typer.Option(metavar="COLUMN", help="For a table: the survey weight.")]
WhichModel = Annotated[str, typer.Option(metavar="MODEL", help="For a table: the model, such as 'k-anonymity, k=10'.")]
WhichMethod = Annotated[str, typer.Option(metavar="METHOD", help="The method; default: mondrian.")]
Giveaways = Annotated[
    bool, typer.Option("--giveaways", help="Publish neutral columns although they disclose generalized values.")
]
Raw = Annotated[bool, typer.Option("--raw", help="Publish the quasi-identifiers unchanged, as 'keep' does.")]
Stars = Annotated[
    bool, typer.Option("--stars", help="Write a row of * for each suppressed record; by default it is absent.")
]
Defuse = Annotated[
    bool,
    typer.Option("--defuse-formulas", help="Put an apostrophe before cells that a spreadsheet would run as formulas."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was written, and its audit, as JSON.")]
PURPOSE = "Write one audited release to a file."
HELP = """Write one release to a file, with its records in random order. It is audited first, and written as a whole or
not at all. For a study: the recipe of --recipe, or the recommended one under the caps. For a table: the model and
method of --model and --method. Neutral columns, those without a role, are published unchanged, unless they disclose
generalized values. If nothing is recommended under the caps, nothing is written and the exit status is 2; a recipe
that is named but not recommended is written with a warning.

\b
workbench anonymize study.yaml -o release.csv                          recommended under the study's caps
workbench anonymize study.yaml --cap P_loss=0.15 -o release.parquet
workbench anonymize study.yaml --recipe 19 -o release.csv              the number in `workbench frontier`
workbench anonymize study.yaml --recipe "k-anonymity, k=10 & t-closeness, t=0.2" -o release.csv
workbench anonymize data.csv --quasi age,sex --sensitive disease --model "k-anonymity, k=10" -o release.csv
cat data.csv | workbench anonymize - --quasi age,sex --model "k-anonymity, k=5" -o - | head
"""


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
    store: StoreFolder = None,
    giveaways: Giveaways = False,
    raw: Raw = False,
    stars: Stars = False,
    defuse: Defuse = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run `workbench anonymize`."""
    from workbench.base.figures import join_names
    from workbench.frontier.decision import reasons_against
    from workbench.redaction.controlled_rounding import SMALLEST
    from workbench.releases.side_information import refuse_giveaways
    from workbench.releases.writing import file_names, files_of
    from workbench.studies.study import results_folder

    _refuse_output(given, output, defuse, force, as_json)
    roles = {"--quasi": quasi, "--sensitive": sensitive, "--identifiers": identifiers, "--weight": weight}
    if Path(given).suffix in STUDIES:
        of_table = {**roles, "--model": model, "--method": method, **reading.options}
        _refuse(of_table, f"{given} is a study, which contains these settings")
        path = Path(given)
        study = open_study(path)
        (table, chosen), smallest = table_and_recipe(study, path, recipe, cap, store), study.smallest
        folder = results_folder(path, store)
        exceeded = _exceeded(study, folder, table, chosen) if recipe else None
    else:
        _refuse({"--recipe": recipe, "--cap": cap, "--store": store}, f"{given} is not a study (.yaml)")
        (table, chosen), smallest, path = _read_table(given, [*roles.values()], reading, model, method), SMALLEST, None
        exceeded = folder = None
    release = make_release(chosen, table, folder)
    if chosen.model is None and not raw:
        _refuse_raw(release, chosen)
    audit = _audit(release, chosen)
    if not giveaways:
        refuse_giveaways(release, "standard output" if output == "-" else output, MENDED)
    if output != "-" and not output.startswith("spark:"):
        refuse_inputs(files_of(Path(output), file_names(release)), Path(given))
    objections = [*(exceeded(release) if exceeded else ()), *reasons_against(chosen, release, smallest)]
    if objections:
        print_note(f"{chosen} is not recommended: {join_names(objections)}; it is written because it was requested")
    files = _write(release, output, smallest, defuse, force, stars)
    _report_written(release, chosen, audit, files, _noise(table, chosen, path), as_json, objections)


def _report_written(
    release: Release,
    chosen: Recipe,
    audit: Audit | None,
    files: Sequence[str],
    noise: str,
    as_json: bool,
    objections: Sequence[str],
) -> None:
    """Report what was written, its audit, and the total noise with the study's other releases."""
    result = _as_dict(release, chosen, audit, files)
    if as_json:
        print_json({**result, "noise": noise, "not_recommended": list(objections)})
        return
    verdict = "; ".join(str(one) for one in (audit, release.about.guarantee) if one) or "no model was requested"
    suppressed, classes = release.suppressed, _classes(release)
    records = release.table.records - suppressed
    in_classes = "no classes" if classes is None else f"{classes:,} {'class' if classes == 1 else 'classes'}"
    many = f"{records:,} {'record' if records == 1 else 'records'}"
    summary = f"{chosen}: {many} in {in_classes}{f', {suppressed:,} suppressed' if suppressed else ''}; {verdict}"
    typer.echo(summary, err=True)
    if result["caution"]:
        typer.echo(f"Tell recipients: {result['caution']}.", err=True)
    for notice in release.about.notices:
        typer.echo(f"Note: {notice}.", err=True)
    typer.echo(f"Written: {', '.join(files) or 'to standard output'}.{f' {noise}' if noise else ''}", err=True)


def _refuse(options: dict[str, Any], why: str) -> None:
    """Raise BadInput for options that do not apply to the input."""
    wrong = [name for name, value in options.items() if value]
    if wrong:
        raise BadInput(f"{why}; leave out {', '.join(wrong)}")


def _refuse_output(given: str, output: str, defuse: bool, force: bool, as_json: bool) -> None:
    """Raise BadInput for an output that cannot be written, before any work is done."""
    from workbench.base.files import codebooks, refuse_ending

    if output == "-":
        if as_json:
            raise BadInput("-o - and --json would both go to stdout; leave out one of them")
        return
    if output.startswith("spark:"):  # Spark reports whether it can be written
        if force:
            raise BadInput(f"{output}: tables in Spark are never overwritten; leave out --force, and choose a new name")
        return
    path = Path(output)
    refuse_ending(path)
    refuse_place(path)
    if os.path.lexists(path) and not force:
        raise BadInput(f"{path} already exists; use --force to overwrite it, or choose another name")
    if defuse and path.suffix != ".csv":
        raise BadInput(f"{path}: --defuse-formulas is for CSV, because spreadsheets run no formulas from Parquet")
    refuse_inputs([path, *codebooks(path)], Path(given))


def make_release(recipe: Recipe, table: Table, folder: Path | None) -> Release:
    """Make the release of a recipe; a random release is stored in the study's store and read from there."""
    if not recipe.method.draws:
        return recipe.release(table)
    if folder is None:
        raise BadInput(
            f"{recipe.method.name} makes a random release, and a second release would disclose more than the first: "
            "create a study (workbench init), which stores the release"
        )
    from workbench.frontier.store import Store

    return recipe.release(table, Store(folder))


def table_and_recipe(
    study: Study, path: Path, recipe: str, cap: Sequence[str] | None, store: Path | None = None
) -> tuple[Table, Recipe]:
    """Return the table of a study, and the requested recipe or the recommended one under the caps."""
    from workbench.frontier.decision import decide, require

    if recipe:
        _refuse({"--cap": cap}, "--recipe already selects a release")
        chosen = find_recipe(study, recipe)
        return load_table(study), chosen
    caps = effective_caps(study, cap)
    if not caps:
        raise BadInput(
            f"{path}: select a release: --recipe with a number from `workbench frontier {path}`, or --cap P_loss=0.15 "
            "for the one that is recommended under a cap"
        )
    refuse_unknown_measures(study, None, None, list(caps))
    found = sweep_study(path, store)
    seen = on_axes(found.frontier, study)
    number = require(seen, decide(seen, caps))
    best = seen.measured[number - 1].recipe
    limits_text = ", ".join(f"{key}={value:g}" for key, value in caps.items())
    print_note(f"recommended under {limits_text} is number {number}, {best}")
    return found.table, best


def _exceeded(study: Study, folder: Path, table: Table, chosen: Recipe) -> Callable[[Release], list[str]]:
    """Return a function that lists the study's caps that a release of this recipe violates."""
    from workbench.frontier.decision import exceeded_caps
    from workbench.frontier.store import Store

    measures, values = study.measured(), {}
    if study.caps and folder.is_dir():
        store = Store(folder)
        point = store.get(store.key(table, chosen, measures), chosen)
        values = dict(point.values) if point is not None else {}
    return lambda release: exceeded_caps(release, measures, study.caps, values)


def find_recipe(study: Study, text: str) -> Recipe:
    """Return the recipe with this number or notation; a notation need not describe a candidate of the study."""
    from workbench.frontier.recipe import Recipe, parse_recipe
    from workbench.frontier.sweep import numbered_recipes
    from workbench.methods.mondrian.mondrian import Mondrian

    known = numbered_recipes(study.candidates())
    if re.fullmatch(r"#?\d{1,9}", text, re.ASCII):
        number = int(text.lstrip("#"))
        if not 1 <= number <= len(known):
            raise BadInput(f"--recipe {text}: the study has recipes 1 to {len(known)}; see `workbench frontier`")
        return known[number - 1]
    same = [i for i, one in enumerate(known) if str(one) == text.strip()]
    if not same:
        model, method = parse_recipe(text)
        parts = set(model.parts) if model else set()
        same = [
            i
            for i, one in enumerate(known)
            if (method is None or one.method == method) and (set(one.model.parts) if one.model else set()) == parts
        ]
        if not same:
            made = Recipe(method or Mondrian(), model, study.seed)
            print_note(f"{made} is not a candidate of the study, and was not measured")
            return made
    if len(same) > 1:
        numbers = ", ".join(f"{i + 1} ({known[i]})" for i in same)
        raise BadInput(f"--recipe {text}: several recipes of the study have this name; use a number: {numbers}")
    return known[same[0]]


def _read_table(
    given: str, columns: Sequence[Columns], reading: Reading, model: str, method: str
) -> tuple[Table, Recipe]:
    """Read a table from a file or a pipe with these roles, and return it with its recipe."""
    from workbench.data.table import Table
    from workbench.frontier.recipe import Recipe, parse_method, parse_recipe
    from workbench.methods.mondrian.mondrian import Mondrian
    from workbench.redaction.controlled_rounding import SMALLEST

    quasi, sensitive, identifiers, weight = (column_options(one) for one in columns)
    if not quasi or not model:
        missing = "--quasi age,sex" if not quasi else '--model "k-anonymity, k=10"'
        raise BadInput(f"a table needs quasi-identifiers and a model; {missing} is missing")
    requested, behind = parse_recipe(model)
    if requested is None:
        raise BadInput(f"--model {model}: this is a method; name a model, as in --model 'k-anonymity, k=10'")
    if behind and method:
        raise BadInput(f"--model {model} names a method too; leave out --method")
    recipe = Recipe(parse_method(method) if method else behind or Mondrian(), requested)
    with open_input(given) as path:
        options: dict[str, Any] = {**reading.of_file, **reading.of_values, "hierarchies": reading.hierarchies}
        options |= {"regions": {}, "threshold": SMALLEST}
        table = Table.read(path, quasi, sensitive, identifiers, weight=weight, **options)
    print_role_notes(table, option_words)
    return table, recipe


# --- audit and writing


def _refuse_raw(release: Release, recipe: Recipe) -> None:
    """Raise BadInput if every published quasi-identifier is unchanged."""
    from workbench.base.figures import join_names
    from workbench.releases.side_information import unchanged_columns

    if release.about.guarantee:
        _refuse_unchanged(release, recipe)
        return
    kept = [name for name in release.table.quasi if name not in release.unpublished_columns]
    # range ends are no protection
    exact = release.table.with_settings(regions=dict.fromkeys(release.table.names, "exact"))
    if kept and unchanged_columns(recipe.release(exact), kept) == kept:
        raise BadInput(
            f"{recipe}: without a model it publishes {join_names(kept)} unchanged, so anyone who knows these values of "
            "a person can find the person's record; choose another recipe, or use --raw if that is intended"
        )


def _refuse_unchanged(release: Release, recipe: Recipe) -> None:
    """Raise BadInput if a method with a guarantee leaves columns unchanged that identify people and their values."""
    from workbench.base.figures import join_names
    from workbench.releases.side_information import unchanged_columns

    found, secret = (unchanged_columns(release, names) for names in (release.table.quasi, release.table.sensitive))
    if found and (secret or not release.table.sensitive):
        also = f", together with {join_names(secret)}" if secret else ""
        raise BadInput(
            f"{recipe}: it publishes {join_names(found)} unchanged{also}, which its guarantee does not cover; choose "
            "another recipe, or use --raw if that is intended"
        )


def _audit(release: Release, recipe: Recipe) -> Audit | None:
    """Audit the release with the recipe's model; raise Unsatisfiable if the model is violated."""
    if recipe.model is None:
        return None
    audit = release.audit(recipe.model)
    if not audit.holds:
        raise Unsatisfiable(f"{recipe}: {audit}; nothing was written")
    return audit


def _write(release: Release, output: str, smallest: int, defuse: bool, force: bool, stars: bool) -> list[str]:
    """Write the release and return its files; none for stdout."""
    if output != "-":
        files = release.export(output, giveaways=True, defuse=defuse, overwrite=force, smallest=smallest, stars=stars)
        return [str(path) for path in files]
    from workbench.releases.export import write_csv
    from workbench.releases.writing import rows_with_suppressed

    tables = list((rows_with_suppressed(release, "stdout") if stars else release.rows()).values())
    if len(tables) > 1:
        raise BadInput(f"this release has {len(tables)} tables, but stdout takes only one; name a file with -o")
    write_csv(tables[0].defused() if defuse else tables[0], sys.stdout.buffer)
    sys.stdout.flush()
    return []


def _noise(table: Table, chosen: Recipe, path: Path | None) -> str:
    """Describe the total epsilon of this release and the study's other random releases, if all are published."""
    from workbench.disclosure.several_releases import describe_joint_budget

    if path is None or not chosen.method.draws:
        return ""
    found: dict[Method, None] = {}
    for method in [*(recipe.method for recipe in open_study(path).candidates()), chosen.method]:
        with suppress(BadInput):  # the method does not apply to this table
            if method.spent_budgets(table):
                found[method] = None
    return describe_joint_budget(table, [*found], "releases with noise of this study")


def _classes(release: Release) -> int | None:
    """Return the number of classes; None if the release has no classes."""
    try:
        return len(release.classes)
    except Undefined:
        return None


def _as_dict(release: Release, recipe: Recipe, audit: Audit | None, files: Sequence[str]) -> dict[str, Any]:
    from workbench.releases.base import recipient_notice

    return {
        "recipe": str(recipe),
        "settings": recipe.to_dict(),
        "records": release.table.records,
        "left_out": release.suppressed,
        "classes": _classes(release),
        "guarantee": release.about.guarantee,
        "caution": recipient_notice(release),
        "notices": list(release.about.notices),
        "audit": audit and {"holds": audit.holds, "achieved": [{"figure": f, "value": v} for f, v in audit.achieved]},
        "files": list(files),
    }
