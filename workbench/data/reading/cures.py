"""What to do about data that cannot be read, in the words of whoever is told: options, lines of a study, or controls.

Messages say it as a call in Python does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from workbench.base.errors import BadInput

QUOTED = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
TYPES = re.compile(rf"(?:declare )?types=\{{{QUOTED}: '(\w+)'\}}")
LEVELS = re.compile(rf"levels=\{{{QUOTED}: (\d+)\}}")
MISSING = re.compile(r"missing=\[\.\.\.\]")
HEADER = re.compile(r"header=False")
ENGINE = re.compile(r"engine='(\w+)'")
REMOTE = re.compile(r"remote='([^']*)'")
TEXT = re.compile(r"\b(encoding|delimiter|quote|format)=(?:'([^']*)')?")
MEMORY = re.compile(r"\bmemory_limit=")
FOLDER = re.compile(r"\btemp_directory=")
TABLE = re.compile(r"\btable=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\w+)")
SAMPLE = re.compile(r"\bsample=(\w+)")
Words = Mapping[re.Pattern[str], Callable[[re.Match[str]], str]]

OPTIONS: Words = {
    TYPES: lambda found: f"say --types {found[1][1:-1]}={found[2]}",
    MISSING: lambda found: "--missing",
    HEADER: lambda found: "--no-header",
    ENGINE: lambda found: f"a study that says engine: {found[1]} under data",
    REMOTE: lambda found: f"a study that says remote: {found[1]} under data",
    TEXT: lambda found: f"--{found[1]} {found[2] or ''}".strip(),
    LEVELS: lambda found: f"levels: {{{found[1]}: {found[2]}}} of a study",
    MEMORY: lambda found: "memory_limit under data of a study",
    FOLDER: lambda found: "the environment's TMPDIR",
    SAMPLE: lambda found: f"a study that says sample: {found[1]} under data",
    TABLE: lambda found: f"a study that says table: {found[1]} under data",
}
STUDY: Words = {
    TYPES: lambda found: f"say types: {{{found[1]}: {found[2]}}} under data",
    MISSING: lambda found: "missing: [...] under data",
    HEADER: lambda found: "header: false under data",
    ENGINE: lambda found: f"engine: {found[1]} under data",
    REMOTE: lambda found: f"remote: {found[1]} under data",
    TEXT: lambda found: f"{found[1]}: {found[2] or '...'} under data",
    LEVELS: lambda found: f"levels: {{{found[1]}: {found[2]}}}",
    MEMORY: lambda found: "memory_limit under data",
    FOLDER: lambda found: "temp_directory under data",
    SAMPLE: lambda found: f"sample: {found[1]} under data",
    TABLE: lambda found: f"table: {found[1]} under data",
}
CONTROLS: Words = {
    TYPES: lambda found: f"choose {found[2]} as the type of {found[1]} below",
    MISSING: lambda found: "'Missing values' below",
    HEADER: lambda found: "that in the study's data: header: false",
    ENGINE: lambda found: f"engine: {found[1]} in the study's data",
    REMOTE: lambda found: f"remote: {found[1]} in the study's data",
    TEXT: lambda found: f"{found[1]}: {found[2] or '...'} in the study's data",
    LEVELS: lambda found: f"level {found[2]} beside the role of {found[1]}",
    MEMORY: lambda found: "memory_limit in the study's data",
    FOLDER: lambda found: "temp_directory in the study's data",
    SAMPLE: lambda found: "'A random sample' below the data",
    TABLE: lambda found: f"{found[1]} under 'Tables'",
}


def in_words(text: str, words: Words) -> str:
    """A message with what Python is told put as these words do."""
    for pattern, put in words.items():
        text = pattern.sub(put, text)
    return text


@contextmanager
def told_in(words: Words) -> Iterator[None]:
    """What goes wrong inside is said in these words."""
    try:
        yield
    except BadInput as error:
        error.args = (in_words(str(error), words),)
        raise
