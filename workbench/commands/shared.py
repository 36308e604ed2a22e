"""What commands share: options, the study in a file, words and progress on stderr, data on stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from workbench.base.errors import BadInput
from workbench.base.jsonable import jsonable
from workbench.data.reading.cures import STUDY, Words, in_words

if TYPE_CHECKING:
    from workbench.data.table import Table
    from workbench.studies.study import Study


STUDIES = (".yaml", ".yml")


def between(least: int, most: int) -> Callable[[str], int]:
    """What reads a number."""

    def number(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", str(text), re.ASCII) or not least <= int(text) <= most:
            raise typer.BadParameter(f"{text} is not a whole number between {least} and {most:,}")
        return int(text)

    return number


def opened(study: Path) -> Study:
    """The study in a file; of another file the text is not even looked at, since it may hold records."""
    if study.suffix not in STUDIES:
        raise BadInput(f"{study} is not a study: the file name must end in .yaml")
    from workbench.studies.study import Study

    return Study.open(study)


def refuse_inputs(outputs: Iterable[Path], *given: Path) -> None:
    """Raise BadInput where an output is a table or a study that is given, or a file that a study reads.

    Every command that writes asks this before anything is done.
    """
    from workbench.base.files import refuse_overwriting

    read = [path for one in given for path in (one, *(opened(one).reads() if one.suffix in STUDIES else ()))]
    refuse_overwriting(outputs, read)


def warned(text: str, words: Words = STUDY) -> None:
    """A line of its own for what the analyst should know, above the progress."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}note: {' '.join(in_words(text, words).split())}", file=sys.stderr, flush=True)


def noted(table: Table, words: Words = STUDY) -> Table:
    """The table, once the analyst has been told what to know of its roles: a line each."""
    for note in table.role_notes:
        warned(note, words)
    return table


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None]]:
    """One line on a terminal that is written over; a line for each step where nobody looks."""
    looks = sys.stderr.isatty()

    def told(done: int, total: int, words: str) -> None:
        line = f"{done}/{total} {words}"
        print(f"\r\x1b[K{line[:100]}" if looks else line, end="" if looks else "\n", file=sys.stderr, flush=True)

    try:
        yield told
    finally:
        if looks:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def print_json(data: Any) -> None:
    """One JSON document on stdout; what has no limit is a word."""
    print(json.dumps(jsonable(data), indent=1, ensure_ascii=False, allow_nan=False))
