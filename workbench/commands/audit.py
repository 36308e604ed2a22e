"""`workbench audit`: audit a table that was anonymized with any tool: satisfied models, disclosure and loss."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from workbench.base.errors import BadInput, render_fixes
from workbench.commands.reading import AS_FOUND, Reading, column_options, open_input, option_words, reads
from workbench.commands.shared import (
    align_columns,
    between,
    load_table,
    open_study,
    print_json,
    print_note,
    print_role_notes,
    printable,
)
from workbench.studies.faults import study_words

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.releases.base import Release

BROKEN = 1  # exit status if a requested model is violated
LONGEST = 32  # maximum characters of a released value in the table

Quasi = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="The quasi-identifiers: age,zip,sex; may be repeated.", show_default=False),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="The sensitive columns; may be repeated.", show_default=False),
]
Original = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The original table; losses are measured against it.", show_default=False),
]
StudyFile = Annotated[
    Path | None,
    typer.Option("--study", metavar="FILE", help="The original with its roles and hierarchies.", show_default=False),
]
Suppressed = Annotated[
    Literal["class", "out"],
    typer.Option(metavar="class|out", help="Records with * everywhere: a class as published, or suppressed."),
]
MissingFits = Annotated[
    Literal["itself", "everything"],
    typer.Option(metavar="itself|everything", help="What a missing value or * matches: only itself, or any value."),
]


Codebook = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The workbench's codebook, if it is not next to the file.", show_default=False),
]
PURPOSE = "Audit a table that was anonymized with any tool."
HELP = """Audit a table that was anonymized with any tool: which models it satisfies, with which parameters, what can be
learned from it, and its worst classes; compared with the original also what is lost. Values may be intervals, sets,
masked or suppressed: '[20, 30)', '20-30', '<50', '479**', '{A, B}', '*'. A release of the workbench in buckets or
with noise is measured as such, by the codebook next to it. Counts are shown exactly. Exit status 0 if every
requested model holds, 1 if one does not.

\b
workbench audit released.csv --quasi age,zip --sensitive disease
workbench audit released.csv --quasi age,zip --sensitive disease --original data.csv
workbench audit released.csv --study study.yaml --model 'k-anonymity, k=5' --model 't-closeness, t=0.2'
other-tool data.csv | workbench audit - --quasi age,zip --json | jq '.achieved[] | {measure, value}'
"""


@reads
def audit(
    released: Annotated[
        Path, typer.Argument(metavar="FILE", help="The released table; - reads CSV from stdin.", show_default=False)
    ],
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    original: Original = None,
    study: StudyFile = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL", help="A model to check: 'k-anonymity, k=5'; may be repeated.", show_default=False
        ),
    ] = None,
    suppressed: Suppressed = "class",
    missing_fits: MissingFits = "itself",
    codebook: Codebook = None,
    reading: Reading = AS_FOUND,
    worst: Annotated[
        int, typer.Option(metavar="NUMBER", help="Number of classes to show.", parser=between(0, 9999))
    ] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole result as one JSON document.")] = False,
) -> int:
    """Run `workbench audit`."""
    from workbench.disclosure.audit import audit_release
    from workbench.frontier.recipe import parse_model

    requested = [parse_model(one) for one in model or ()]
    options, values = reading.of_file, {**reading.of_values, "hierarchies": reading.hierarchies}
    if original is None and any(values.values()):
        raise BadInput("--types, --missing and --hierarchy describe the original; add --original")
    if study is None and not quasi:
        quasi, sensitive = _roles(released, codebook, sensitive)
    table = read_original(quasi, sensitive, original, study, **options, **values)
    release = read_released(str(released), table, quasi, sensitive, suppressed, missing_fits, codebook, **options)
    found = {"release": str(released), **audit_release(release, requested, worst)}
    found["notes"] = [render_fixes(note, option_words) for note in found["notes"]]
    for one in found["asked"] + found["achieved"] + found["measures"]:
        one |= {"reason": render_fixes(one["reason"], study_words)} if "reason" in one else {}
    if as_json:
        print_json(found)
    else:
        for note in found["notes"]:
            print_note(note)
        typer.echo("\n".join(lines(found)))
    return 0 if found["holds"] else BROKEN


def _roles(released: Path, codebook: Path | None, sensitive: list[str] | None) -> tuple[list[str], list[str] | None]:
    """Return the roles that the codebook of a release names, spelled as options."""
    from workbench.releases.labels import in_quotes
    from workbench.releases.own_files import roles_of

    known, secret = roles_of(released, codebook) if str(released) != "-" else ([], [])
    return [*map(in_quotes, known)], sensitive or [*map(in_quotes, secret)]


def read_original(
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    original: Path | None,
    study: Path | None,
    **options: Any,
) -> Table | None:
    """Return the original with its roles; None if it was not given."""
    from workbench.data.reading.opening import open_source
    from workbench.data.table import Table
    from workbench.studies.schema import FILE

    if study is not None:
        if original or quasi or sensitive:
            raise BadInput("--study names the original and the roles; leave out --original, --quasi and --sensitive")
        return load_table(open_study(study))
    if not quasi:
        raise BadInput("which columns are quasi-identifiers? Use --quasi age,zip, or --study study.yaml")
    if original is None:
        return None
    opened_file = open_source(original, **{key: one for key, one in options.items() if key in FILE})
    columns = opened_file.names
    opened_file.close()
    known, secret = column_options(quasi), column_options(sensitive)
    others = [name for name in columns if name not in known and name not in secret]
    table = Table.read(original, known, secret, others, **options)
    print_role_notes(table, option_words)
    return table


def read_released(
    released: str,
    original: Table | None,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    suppressed: str,
    missing_fits: str,
    codebook: Path | None = None,
    **options: Any,
) -> Release:
    """Read the release from a file or from standard input."""
    from workbench.releases.own_files import read_release

    roles = ([], []) if original else (column_options(quasi), column_options(sensitive))
    with open_input(released) as path:
        try:
            found = read_release(
                path, *roles, original, codebook=codebook, suppressed=suppressed, missing_fits=missing_fits, **options
            )
        except BadInput as error:  # a study names the original, but options describe the release
            error.args = (render_fixes(str(error), option_words),)
            raise
        if original is None:
            print_role_notes(found.table, option_words)
        return found


# --- the table in the terminal


def lines(found: dict[str, Any]) -> list[str]:
    """Return the lines of the audit."""
    from workbench.base.figures import join_names

    roles = f"quasi-identifiers {join_names(found['quasi'])}"
    roles += f"; sensitive {join_names(found['sensitive'])}" if found["sensitive"] else "; nothing sensitive"
    name = "standard input" if found["release"] == "-" else found["release"]
    out = [f"{name}: {found['records']:,} records {in_classes(found)}; {roles}", _measured_against(found)]
    if found["neutral"]:
        out.append(f"Neutral (published unchanged): {join_names(found['neutral'])}. {found['beside']['sentence']}")
    if found["asked"]:
        out += ["", "Requested models", *align_columns([_verdict(one) for one in found["asked"]])]
    out += ["", "Models that hold, requested or not", *align_columns([_satisfied(one) for one in found["achieved"]])]
    for side, title in (("privacy", "What can be learned"), ("utility", "What is lost")):
        rows = [_value(one) for one in found["measures"] if one["side"] == side]
        out += ["", title, *align_columns(rows)] if rows else []
    if found["worst"]:
        which = "the smallest" if "loss" not in found["worst"][0] else "those with the largest loss"
        out += ["", f"The worst classes: {which}", *align_columns(_class_rows(found), head=True)]
    return [printable(line) for line in out]


def in_classes(found: dict[str, Any]) -> str:
    """State how many classes the records are in."""
    return "with noise, not in classes" if found["classes"] is None else f"in {found['classes']:,} classes"


def _measured_against(found: dict[str, Any]) -> str:
    if not found["original"]:
        return (
            "Without the original, prior knowledge is assumed to be the distribution in the release, and the loss of "
            "utility cannot be measured."
        )
    left_out = f"; {found['left_out']:,} of its records are suppressed" if found["left_out"] else ""
    return f"Against the original{left_out}."


def _verdict(one: dict[str, Any]) -> tuple[str, ...]:
    from workbench.base.figures import format_number
    from workbench.measures.privacy.achieved import MODELS

    better = {kind.figure: kind.with_loosest_parameters().better for kind in MODELS.values()}
    kept = ", ".join(f"{figure} = {format_number(value, better[figure])}" for figure, value in one["achieved"].items())
    if "reason" in one:
        return "undefined", one["model"], "", one["reason"]
    count, records, people = one["breaking_classes"], one["breaking_records"], one["uncovered_people"]
    by = [f"{count:,} {'class' if count == 1 else 'classes'} with {records:,} records"] if count else []
    by += [f"{people:,} people in the population who belong to no class"] if people else []
    broken = f"violated by {' and '.join(by)}"
    return "holds" if one["holds"] else "VIOLATED", one["model"], kept, "" if one["holds"] else broken


def _satisfied(one: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of a model: its notation and the parameter that it satisfies."""
    return one["model"], "" if one["value"] is None else f"{one['figure']} = {value_of(one)}", one.get("reason", "")


def _value(one: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of a measure: its key, value and sentence."""
    return one["measure"], value_of(one), one.get("sentence") or one.get("reason", "")


def value_of(one: dict[str, Any]) -> str:
    """Format the value of a measure."""
    from workbench.base.figures import format_number

    return "undefined" if one["value"] is None else format_number(one["value"], one.get("better", ""))


def _class_rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    from workbench.base.figures import format_number, format_percent

    first = found["worst"][0]
    with_loss = "loss" in first
    head = ("size", *(("loss",) if with_loss else ()), *(shorten(name) for name in first["values"]))
    rows = [head + ((f"most exposed: {first['sensitive']}", "before", "after") if with_loss else ())]
    for one in found["worst"]:
        shown = map(shorten, one["values"].values())
        if with_loss:
            belief = shorten(one["value"]), format_percent(one["prior"]), format_percent(one["posterior"])
            rows.append((f"{one['size']:,}", format_number(one["loss"]), *shown, *belief))
        else:
            rows.append((f"{one['size']:,}", *shown))
    return rows


def shorten(text: str) -> str:
    """Shorten a value that is too long for a column of the table."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
