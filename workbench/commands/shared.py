"""Shared parts of the commands: options, opening a study, caps, output paths, notes and progress on stderr, tables and
JSON on stdout.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
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
Caps = Annotated[
    list[str] | None,
    typer.Option(
        "--cap",
        metavar="KEY=NUMBER",
        help="The largest acceptable value of a measure (smallest, where higher is better); default: the study's caps.",
        show_default=False,
    ),
]
LEAST, SHORT = 18, 10  # minimum characters of a recipe and of its marks in a line
MARGIN = "  "


def between(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers between two bounds."""

    def number(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", str(text), re.ASCII) or not least <= int(text) <= most:
            raise typer.BadParameter(f"{text} is not a whole number between {least} and {most:,}")
        return int(text)

    return number


def refuse_table(study: Path) -> None:
    """Raise BadInput for files that are not studies, without reading them: they may contain records."""
    if study.suffix not in STUDIES:
        raise BadInput(f"{study} is not a study: the file name must end in .yaml")


def open_study(study: Path) -> Study:
    """Open a study."""
    refuse_table(study)
    from workbench.studies.study import Study

    return Study.open(study)


def effective_caps(study: Study, given: Sequence[str] | None) -> dict[str, float]:
    """Return the caps of the command line, or those of the study by default."""
    return read_caps(given) if given else dict(study.caps)


def read_caps(given: Sequence[str]) -> dict[str, float]:
    """Parse caps of the command line, by the key of their measure."""
    found: dict[str, float] = {}
    for text in given:
        key, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or math.isnan(number):
            raise BadInput(f"--cap {text}: write a measure and a number, as in --cap P_loss=0.15")
        if number < 0:
            raise BadInput(f"--cap {text}: no measure is below 0; use a cap of 0 or above")
        if key.strip() in found:
            raise BadInput(f"--cap {text}: {key.strip()} already has a cap; use only one")
        found[key.strip()] = number
    return found


def refuse_unknown_measures(study: Study, privacy: str | None, utility: str | None, keys: Sequence[str]) -> None:
    """Raise BadInput if the study does not have these measures."""
    from workbench.frontier.frontier import Frontier

    bare = on_axes(Frontier([], study.measured()), study, privacy, utility)
    for key in (*keys, *(one for one in (privacy, utility) if one is not None)):
        bare.key(key)


def on_axes(swept: Frontier, study: Study, privacy: str | None = None, utility: str | None = None) -> Frontier:
    """Return the points on the requested axes, by default on those of the study."""
    from workbench.publication import selection

    return selection.on_axes(swept, study).on(privacy, utility)


def refuse_inputs(outputs: Iterable[Path], *given: Path) -> None:
    """Raise BadInput if an output is an input table or study, or a file that a study reads.

    Every command that writes files calls this before any work is done.
    """
    from workbench.base.files import refuse_overwriting

    refuse_overwriting(outputs, [path for one in given for path in _files_of_input(one)])


def _files_of_input(path: Path) -> list[Path]:
    """Return a table's or a study's file, with the files that a study reads."""
    if path.suffix not in STUDIES:
        return [path]
    from workbench.studies.study import files_read

    return [path, *files_read(open_study(path))]


def refuse_place(out: Path) -> None:
    """Raise BadInput if no file can be written there."""
    try:
        with suppress(FileNotFoundError):
            os.lstat(out)  # raises if the name is too long
        if out.is_dir():
            raise BadInput(f"{out} is a folder; name a file in it")
        if not out.parent.is_dir():
            raise BadInput(f"{out}: the folder {str(out.parent)!r} does not exist; create it, or choose another")
        with tempfile.TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        raise BadInput(f"{out}: cannot write the file ({error.strerror}); choose another place") from None


def print_note(text: str, words: Words = study_words) -> None:
    """Print a note for the analyst to stderr, above the progress line."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}note: {' '.join(render_fixes(text, words).split())}", file=sys.stderr, flush=True)


def print_role_notes(table: Table, words: Words = study_words) -> None:
    """Print the notes about a table's roles, one per line."""
    from workbench.data.settings import role_notes  # loads numpy

    for note in role_notes(table):
        print_note(note, words)


def load_table(study: Study) -> Table:
    """Return a study's table, and print the notes about its roles."""
    table = study.table(study.read())
    print_role_notes(table)
    return table


def exit_status(frontier: Frontier, decision: Decision) -> int:
    """Return the exit status of a command that shows a decision; print why nothing is recommended."""
    if decision.recommended is not None or not decision.caps:
        return 0
    from workbench.frontier.decision import why_none

    print_note(f"nothing is recommended: {why_none(frontier, decision)}")
    return NOTHING_RECOMMENDED


@contextmanager
def progress_line() -> Iterator[Callable[[int, int, str], None]]:
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


def printable(text: str) -> str:
    """Replace control characters: the file may come from another person, and a terminal would interpret them."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def align_columns(rows: Sequence[Sequence[str]], head: bool = False) -> list[str]:
    """Return aligned lines: numbers right-aligned, words left-aligned."""
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


def wrap_table(rows: Sequence[Sequence[str]], width: int | None) -> list[list[str]]:
    """Return the lines of each row; the second and the last column (recipe and marks) are wrapped if needed."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = math.inf if width is None else width - sum(widths[2:-1]) - widths[0] - 2 * (len(widths) - 1)
    if widths[1] + widths[-1] > room:
        widths[-1] = min(widths[-1], max(SHORT, int(room) - widths[1], int(room) // 3))
        widths[1] = min(widths[1], max(LEAST, int(room) - widths[-1]))
    return [_row_lines(row, widths) for row in rows]


def _row_lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Return the lines of a row: words are left-aligned and wrapped, numbers are right-aligned in the first line."""
    words = (1, len(row) - 1)
    cells = [textwrap.wrap(text, widths[i] or 1) if i in words else [text] for i, text in enumerate(row)]
    lines = []
    for parts in zip_longest(*cells, fillvalue=""):
        aligned = (p.ljust(w) if i in words else p.rjust(w) for i, (p, w) in enumerate(zip(parts, widths, strict=True)))
        lines.append("  ".join(aligned).rstrip())
    return lines


def wrap_text(text: str, width: int | None) -> list[str]:
    """Wrap a sentence to the width of the terminal."""
    return [text] if width is None else textwrap.wrap(text, max(width, LEAST)) or [""]


def print_json(data: Any) -> None:
    """Print one JSON document; infinity becomes a word."""
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")  # Python's escapes would break the JSON
    print(json.dumps(jsonable(data), indent=1, ensure_ascii=ascii_only, allow_nan=False))
