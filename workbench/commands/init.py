"""`workbench init`: a study proposed for a table, with the reasons."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from workbench.base.errors import BadInput
from workbench.commands.reading import AS_FOUND, Reading, column_options, reads
from workbench.commands.shared import STUDIES, print_json
from workbench.commands.sweep import refuse_place


@reads
def init(
    data: Annotated[Path, typer.Argument(help="A table: CSV, Parquet or JSON.", show_default=False)],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The study's file; default: data.study.yaml.")] = None,
    sensitive: Annotated[
        str, typer.Option(metavar="columns", help="Sensitive columns, which must not be learnt: a,b.")
    ] = "",
    quasi: Annotated[str, typer.Option(metavar="columns", help="Quasi-identifiers, which others may know: a,b.")] = "",
    identifiers: Annotated[str, typer.Option(metavar="columns", help="What is left out: a,b.")] = "",
    weight: Annotated[
        str, typer.Option(metavar="column", help="How many people a record stands for: a survey weight.")
    ] = "",
    reading: Reading = AS_FOUND,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document, for a script.")] = False,
) -> None:
    """Propose a study for a table: roles, hierarchies, recipes and measures, and why each was chosen.

    \b
    workbench init people.csv                                    writes people.study.yaml
    workbench init people.csv --sensitive disease -o mine.yaml
    workbench init people.csv --quasi age,zip,sex --force
    workbench init people.csv --types zip=text --missing=-7 --encoding cp1252 --hierarchy job=jobs.csv
    """
    from workbench.base.files import refuse_overwriting, whole
    from workbench.studies import hierarchy_files
    from workbench.studies.proposal import begin

    if data.is_dir():
        raise BadInput(f"{data}: this is a folder; name the file in it")
    to = out or data.with_name(f"{data.name.split('.')[0]}.study.yaml")
    if to.suffix not in STUDIES:
        raise BadInput(f"{to}: a study's name ends in .yaml")
    if to.exists() and not force:
        raise BadInput(f"{to} already exists; use --force to overwrite it, or name another with -o")
    refuse_place(to)
    refuse_overwriting([to], [data])
    said, files = reading.of_file | reading.of_values, {name: Path(file) for name, file in reading.files.items()}
    roles = column_options([quasi]), column_options([sensitive]), column_options([identifiers])
    start = begin(data, *roles, to.parent, said=said, files=files, weight=column_options([weight]))
    hierarchies, start = start.study.hierarchies, replace(start, study=start.study.parted(to))
    refuse_overwriting([to.parent / name for name in start.study.files.values()], [data])
    hierarchy_files.write(hierarchies, start.study.files, to.parent)
    with whole(to) as aside:
        aside.write_text(start.text(), "utf-8")
    reasons = start.reasons()
    for line in (*start.head, *(f"{what}: {why}" for what, why in reasons)):
        print(" ".join(line.split()), file=sys.stderr)
    if json:
        told = [{"what": what, "why": why} for what, why in reasons]
        print_json({"file": str(to), "study": start.study.to_dict(), "why": told, "notes": list(start.head)})
    else:
        typer.echo(f"Written: {to}. Review it, then run: workbench check {to}")
