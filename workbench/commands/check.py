"""`workbench check`: list every problem of a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from workbench.base.errors import BadInput
from workbench.commands.shared import print_json, print_note, refuse_table

WRONG = 2
PURPOSE = "List every problem of a study."
HELP = """List every problem of a study and its data, one per line with its location. Without problems, describe what
the study will do.

\b
workbench check study.yaml
workbench check --schema > study.schema.json      for editors: # yaml-language-server: $schema=study.schema.json
workbench check study.yaml --json | jq .problems
"""


def check(
    study: Annotated[Path | None, typer.Argument(metavar="STUDY", help="A study (.yaml).", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of studies, for editors.")] = False,
) -> None:
    """Run `workbench check`."""
    from workbench.studies.checker import check_study
    from workbench.studies.json_schema import study_schema

    if schema:
        print_json(study_schema())
        return
    if study is None:
        raise BadInput("check needs a study: workbench check study.yaml")
    refuse_table(study)
    found = check_study(study)
    if json:
        problems = [{"line": one.line, "path": list(one.path), "text": one.text} for one in found.problems]
        print_json({"study": str(study), "problems": problems, "notes": found.notes, "summary": found.summary})
    else:
        for problem in found.problems:
            print(" ".join(str(problem).split()), file=sys.stderr)
        for note in () if found.problems else found.notes:
            print_note(note)
        if not found.problems:
            typer.echo(found.summary)
    if found.problems:
        raise typer.Exit(WRONG)
