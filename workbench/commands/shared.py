"""Shared parts of the commands: options, opening a study, notes and progress on stderr, JSON on stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Words, render_fixes
from workbench.base.jsonable import jsonable
from workbench.studies.faults import study_words

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.frontier.decision import Decision
    from workbench.frontier.frontier import Frontier
    from workbench.studies.study import Study


STUDIES = (".yaml", ".yml")
NOTHING_RECOMMENDED = 2  # the exit status if no candidate is recommended under the caps


StoreFolder = Annotated[
    Path | None,
    typer.Option("--store", metavar="FOLDER", help="The folder of the points; default: next to the study."),
]


def between(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers between two bounds."""

    def number(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", str(text), re.ASCII) or not least <= int(text) <= most:
            raise typer.BadParameter(f"{text} is not a whole number between {least} and {most:,}")
        return int(text)

    return number


def opened(study: Path) -> Study:
    """Open a study; other files are refused unread, because they may contain records."""
    if study.suffix not in STUDIES:
        raise BadInput(f"{study} is not a study: the file name must end in .yaml")
    from workbench.studies.study import Study

    return Study.open(study)


def refuse_inputs(outputs: Iterable[Path], *given: Path) -> None:
    """Raise BadInput if an output is an input table or study, or a file that a study reads.

    Every command that writes files calls this before any work is done.
    """
    from workbench.base.files import refuse_overwriting

    read = [path for one in given for path in (one, *(opened(one).reads() if one.suffix in STUDIES else ()))]
    refuse_overwriting(outputs, read)


def warned(text: str, words: Words = study_words) -> None:
    """Print a note for the analyst to stderr, above the progress line."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}note: {' '.join(render_fixes(text, words).split())}", file=sys.stderr, flush=True)


def noted(table: Table, words: Words = study_words) -> Table:
    """Print the notes about a table's roles, one per line, and return the table."""
    for note in table.role_notes:
        warned(note, words)
    return table


def status_of(frontier: Frontier, decision: Decision) -> int:
    """Return the exit status of a command that shows a decision; print why nothing is recommended."""
    if decision.recommended is not None or not decision.caps:
        return 0
    from workbench.frontier.decision import why_none

    warned(f"nothing is recommended: {why_none(frontier, decision)}")
    return NOTHING_RECOMMENDED


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function that reports progress: one changing line on a terminal, otherwise one line per step."""
    is_terminal = sys.stderr.isatty()

    def report_progress(done: int, total: int, words: str) -> None:
        line = f"{done}/{total} {words}"
        print(
            f"\r\x1b[K{line[:100]}" if is_terminal else line,
            end="" if is_terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    try:
        yield report_progress
    finally:
        if is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def print_json(data: Any) -> None:
    """Print one JSON document; infinity becomes a word."""
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")  # Python's escapes would break the JSON
    print(json.dumps(jsonable(data), indent=1, ensure_ascii=ascii_only, allow_nan=False))
