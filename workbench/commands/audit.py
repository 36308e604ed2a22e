"""`workbench audit`: a table that somebody has anonymised, with any tool: what it keeps, what it gives away."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from workbench.base.errors import BadInput
from workbench.commands.reading import AS_FOUND, Reading, column_options, reads
from workbench.commands.shared import between, noted, opened, print_json, warned
from workbench.data.reading.cures import OPTIONS, STUDY, in_words, told_in

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.releases.foreign import Foreign

BROKEN = 1  # a model that was asked for does not hold
LONGEST = 32  # characters of a released value in the table
MARGIN = "  "

Quasi = Annotated[
    list[str] | None,
    typer.Option(metavar="columns", help="The quasi-identifiers: age,zip,sex; may be given again.", show_default=False),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(metavar="columns", help="The sensitive columns; may be given again.", show_default=False),
]
Original = Annotated[
    Path | None,
    typer.Option(metavar="file", help="The original table; losses are measured against it.", show_default=False),
]
StudyFile = Annotated[
    Path | None,
    typer.Option("--study", metavar="file", help="The original with its roles and hierarchies.", show_default=False),
]
Suppressed = Annotated[
    Literal["class", "out"],
    typer.Option(metavar="class|out", help="Records with * everywhere: a class as published, or left out."),
]
MissingFits = Annotated[
    Literal["itself", "everything"],
    typer.Option(metavar="itself|everything", help="What a missing value or * may be: a value of its own, or any."),
]


@reads
def audit(
    released: Annotated[Path, typer.Argument(help="The released table; - is CSV through a pipe.", show_default=False)],
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    original: Original = None,
    study: StudyFile = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="model", help="A model to check: 'k-anonymity, k=5'; may be given again.", show_default=False
        ),
    ] = None,
    suppressed: Suppressed = "class",
    missing_fits: MissingFits = "itself",
    reading: Reading = AS_FOUND,
    worst: Annotated[int, typer.Option(metavar="number", help="Classes that are shown.", parser=between(0, 9999))] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="The whole result as one JSON document.")] = False,
) -> int:
    """A table that somebody has anonymised, with any tool: which models it keeps and how far, what can be learnt from
    it, its worst classes; beside the original also what is lost. Values may be intervals, sets, masked or suppressed:
    '[20, 30)', '20-30', '<50', '479**', '{A, B}', '*'. Counts are shown as they are. Ends with 0 where every model that
    was asked for holds, with 1 where one does not.

    \b
    workbench audit released.csv --quasi age,zip --sensitive disease
    workbench audit released.csv --quasi age,zip --sensitive disease --original data.csv
    workbench audit released.csv --study study.yaml --model 'k-anonymity, k=5' --model 't-closeness, t=0.2'
    other-tool data.csv | workbench audit - --quasi age,zip --json | jq '.achieved[] | {measure, value}'
    """
    from workbench.disclosure.audit import audited
    from workbench.frontier import notation

    asked = [notation.model(one) for one in model or ()]
    said, values = reading.of_file, {**reading.of_values, "hierarchies": reading.hierarchies}
    if original is None and any(values.values()):
        raise BadInput("--types, --missing and --hierarchy describe the original; give it with --original")
    table = before(quasi, sensitive, original, study, **said, **values)
    release = released_by(str(released), table, quasi, sensitive, suppressed, missing_fits, **said)
    found = {"release": str(released), **audited(release, asked, worst)}
    for one in found["achieved"] + found["measures"]:
        one |= {"reason": in_words(one["reason"], STUDY)} if "reason" in one else {}
    if as_json:
        print_json(found)
    else:
        for note in found["notes"]:
            warned(note)
        typer.echo("\n".join(lines(found)))
    return 0 if found["holds"] else BROKEN


def before(
    quasi: Sequence[str] | None, sensitive: Sequence[str] | None, original: Path | None, study: Path | None, **said: Any
) -> Table | None:
    """The original in its roles, if there is one."""
    from workbench.data.reading.opening import open_source
    from workbench.data.table import Table
    from workbench.studies.schema import FILE

    if study is not None:
        if original or quasi or sensitive:
            raise BadInput("--study names the original and the roles; leave out --original, --quasi and --sensitive")
        asked = opened(study)
        with told_in(STUDY):
            return noted(asked.table(asked.read()))
    if not quasi:
        raise BadInput("which columns are quasi-identifiers? Say --quasi age,zip, or --study study.yaml")
    if original is None:
        return None
    with told_in(OPTIONS):
        opened_file = open_source(original, **{key: one for key, one in said.items() if key in FILE})
        columns = opened_file.names
        opened_file.close()
        known, secret = column_options(quasi), column_options(sensitive)
        others = [name for name in columns if name not in known and name not in secret]
        return noted(Table.read(original, known, secret, others, **said), OPTIONS)


def released_by(
    released: str,
    original: Table | None,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    suppressed: str,
    missing_fits: str,
    **said: Any,
) -> Foreign:
    """The release in a file, or in what comes through the pipe."""
    from workbench.releases.foreign import foreign

    roles = ([], []) if original else (column_options(quasi), column_options(sensitive))
    with file_of(released) as path, told_in(OPTIONS):
        found = foreign(path, *roles, original, suppressed=suppressed, missing_fits=missing_fits, **said)
        if original is None:
            noted(found.table, OPTIONS)
        return replace(found, notes=tuple(in_words(note, OPTIONS) for note in found.notes))


@contextmanager
def file_of(released: str) -> Iterator[Path]:
    """The file itself; of a pipe a private copy, which errors don't name."""
    if released != "-":
        yield Path(released)
        return
    from workbench.base.scratch import scratch

    private = scratch()
    path = private / "released.csv"
    failure = None
    try:
        with path.open("xb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path
    except BadInput as error:
        failure = BadInput(str(error).replace(str(path), "standard input"))
    finally:
        shutil.rmtree(private, ignore_errors=True)
    if failure:
        raise failure


# --- the table in the terminal


def lines(found: dict[str, Any]) -> list[str]:
    """The audit as it is read."""
    from workbench.base.figures import join_names

    roles = f"quasi-identifiers {join_names(found['quasi'])}"
    roles += f"; sensitive {join_names(found['sensitive'])}" if found["sensitive"] else "; nothing sensitive"
    name = "standard input" if found["release"] == "-" else found["release"]
    out = [f"{name}: {found['records']:,} records in {found['classes']:,} classes; {roles}", _measured_against(found)]
    if found["neutral"]:
        out.append(f"Neutral (published unchanged): {join_names(found['neutral'])}. {found['beside']['sentence']}")
    if found["asked"]:
        out += ["", "Asked", *aligned([_verdict(one) for one in found["asked"]])]
    out += ["", "Achieved, with or without a request", *aligned([_kept(one) for one in found["achieved"]])]
    for side, title in (("privacy", "What can be learnt"), ("utility", "What is lost")):
        rows = [_value(one) for one in found["measures"] if one["side"] == side]
        out += ["", title, *aligned(rows)] if rows else []
    if found["worst"]:
        smallest = "the smallest" if "loss" not in found["worst"][0] else "those that lose most"
        out += ["", f"The worst classes: {smallest}", *aligned(_class_rows(found), head=True)]
    return [plain(line) for line in out]


def _measured_against(found: dict[str, Any]) -> str:
    if not found["original"]:
        return (
            "Without the original: what is known beforehand is taken to be the distribution in the release itself, "
            "and what is lost cannot be measured."
        )
    left_out = f"; {found['left_out']:,} of its records are left out" if found["left_out"] else ""
    return f"Against the original{left_out}."


def _verdict(one: dict[str, Any]) -> tuple[str, ...]:
    from workbench.base.figures import figures
    from workbench.measures.privacy.achieved import MODELS

    better = {kind.figure: kind.bare().better for kind in MODELS.values()}
    kept = ", ".join(f"{figure} = {figures(value, better[figure])}" for figure, value in one["achieved"].items())
    count, records = one["breaking_classes"], one["breaking_records"]
    broken = f"broken by {count:,} {'class' if count == 1 else 'classes'} with {records:,} records"
    return "holds" if one["holds"] else "BROKEN", one["model"], kept, "" if one["holds"] else broken


def _kept(one: dict[str, Any]) -> tuple[str, ...]:
    """How far a model is kept."""
    return one["model"], "" if one["value"] is None else f"{one['figure']} = {value_of(one)}", one.get("reason", "")


def _value(one: dict[str, Any]) -> tuple[str, ...]:
    """The key, the value and the words of a measure."""
    return one["measure"], value_of(one), one.get("sentence") or one.get("reason", "")


def value_of(one: dict[str, Any]) -> str:
    """The value in figures."""
    from workbench.base.figures import figures

    return "undefined" if one["value"] is None else figures(one["value"], one.get("better", ""))


def _class_rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    from workbench.base.figures import figures, per_cent

    first = found["worst"][0]
    learnt = "loss" in first
    head = ("size", *(("loss",) if learnt else ()), *(shortened(name) for name in first["values"]))
    rows = [head + ((f"most exposed: {first['sensitive']}", "before", "after") if learnt else ())]
    for one in found["worst"]:
        row = (
            f"{one['size']:,}",
            *((figures(one["loss"], "lower"),) if learnt else ()),
            *map(shortened, one["values"].values()),
        )
        rows.append(
            row + ((shortened(one["value"]), per_cent(one["prior"]), per_cent(one["posterior"])) if learnt else ())
        )
    return rows


def shortened(text: str) -> str:
    """A value that would be too long for a column of the table."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def plain(text: str) -> str:
    """Without what a terminal would obey: the file is somebody else's."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def aligned(rows: Sequence[Sequence[str]], head: bool = False) -> list[str]:
    """Lines of columns: numbers at the right, words at the left, the last as long as it is."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [
        all(cell[:1].isdigit() or cell in ("", "infinite", "undefined") for cell in column[head:]) for column in columns
    ]
    out = []
    for row in rows:
        cells = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)]
        out.append((MARGIN + MARGIN.join(cells)).rstrip())
    return out
