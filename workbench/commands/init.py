"""`workbench init`: propose a study for a table, with reasons."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from workbench.base.errors import BadInput, suggest
from workbench.commands.reading import AS_FOUND, Reading, column_options, reads
from workbench.commands.shared import STUDIES, print_json, refuse_place

PURPOSE = "Propose a study for a table, with the reasons."
HELP = """Propose a study for a table: roles, hierarchies, recipes and measures, and why each was chosen.

\b
workbench init people.csv                                    writes people.study.yaml
workbench init people.csv --sensitive disease -o mine.yaml
workbench init people.csv --quasi age,zip,sex --force
workbench init people.parquet --engine duckdb                for more records than fit in memory
workbench init people.csv --types zip=text --missing=-7 --encoding cp1252 --hierarchy job=jobs.csv
"""


@reads
def init(
    data: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A table: a file, a folder or a pattern of files.", show_default=False),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The study's file; default: data.study.yaml.")
    ] = None,
    sensitive: Annotated[
        str, typer.Option(metavar="COLUMNS", help="Sensitive columns, which must not be learned: a,b.")
    ] = "",
    quasi: Annotated[str, typer.Option(metavar="COLUMNS", help="Quasi-identifiers, which others may know: a,b.")] = "",
    identifiers: Annotated[
        str, typer.Option(metavar="COLUMNS", help="Direct identifiers, which are removed: a,b.")
    ] = "",
    weight: Annotated[
        str, typer.Option(metavar="COLUMN", help="Survey weight: how many people a record represents.")
    ] = "",
    reading: Reading = AS_FOUND,
    engine: Annotated[
        str | None,
        typer.Option(metavar="memory|duckdb", help="Where records are stored: duckdb if they exceed memory."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run `workbench init`."""
    from workbench.base.files import atomic_write, refuse_overwriting
    from workbench.data.engines import LIMITS
    from workbench.studies import hierarchy_files
    from workbench.studies.proposal import name_of, propose_with_reasons
    from workbench.studies.study import with_hierarchy_files

    to = out or data.parent / f"{name_of(data)}.study.yaml"
    if to.suffix not in STUDIES:
        raise BadInput(f"{to}: the name of a study must end in .yaml")
    if to.exists() and not force:
        raise BadInput(f"{to} already exists; use --force to overwrite it, or name another with -o")
    refuse_place(to)
    refuse_overwriting([to], [data])
    if engine not in (None, *LIMITS):
        raise BadInput(f"--engine {engine}: there is no such engine; {suggest(engine, LIMITS)}")
    options = reading.of_file | reading.of_values | ({"engine": engine} if engine else {})
    files = {name: Path(file) for name, file in reading.files.items()}
    roles = column_options([quasi]), column_options([sensitive]), column_options([identifiers])
    start = propose_with_reasons(data, *roles, to.parent, said=options, files=files, weight=column_options([weight]))
    hierarchies, start = start.study.hierarchies, replace(start, study=with_hierarchy_files(start.study, to))
    refuse_overwriting([to.parent / name for name in start.study.files.values()], [data])
    hierarchy_files.write_files(hierarchies, start.study.files, to.parent)
    with atomic_write(to) as aside:
        aside.write_text(start.text(), "utf-8")
    reasons = start.reasons()
    for line in (*start.head, *(f"{what}: {why}" for what, why in reasons)):
        print(" ".join(line.split()), file=sys.stderr)
    if json:
        explained = [{"what": what, "why": why} for what, why in reasons]
        print_json({"file": str(to), "study": start.study.to_dict(), "why": explained, "notes": list(start.head)})
    else:
        typer.echo(f"Written: {to}. Review it, then run: workbench check {to}")
