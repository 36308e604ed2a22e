"""Translate the advice in messages from Python arguments to options, lines of a study, or controls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from workbench.base.errors import BadInput

QUOTED = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
QUOTES = "'\""
TYPES = re.compile(rf"(?:declare )?types=\{{{QUOTED}: '([^']+)'\}}")
LEVELS = re.compile(rf"levels=\{{{QUOTED}: (\d+)\}}")
MISSING = re.compile(rf"missing=\[((?:{QUOTED}, )*)\.\.\.\]")
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
    TYPES: lambda found: f"use --types {_as_argument(f'{found[1][1:-1]}={found[2]}')}",
    MISSING: lambda found: f"--missing {_as_argument(_markers(found[1]))}" if found[1] else "--missing",
    HEADER: lambda found: "--no-header",
    ENGINE: lambda found: f"engine: {found[1]} under data in a study",
    REMOTE: lambda found: f"remote: {found[1]} under data in a study",
    TEXT: lambda found: f"--{found[1]} {_as_argument(found[2])}" if found[2] else f"--{found[1]}",
    LEVELS: lambda found: f"levels: {{{found[1]}: {found[2]}}} in a study",
    MEMORY: lambda found: "memory_limit under data in a study",
    FOLDER: lambda found: "the environment variable TMPDIR",
    SAMPLE: lambda found: f"sample: {found[1]} under data in a study",
    TABLE: lambda found: f"--table {_as_argument(found[1][1:-1] if found[1][0] in QUOTES else found[1])}",
}
STUDY: Words = {
    TYPES: lambda found: f"use types: {{{found[1]}: {_as_scalar(found[2])}}} under data",
    MISSING: lambda found: f"missing: [{found[1]}...] under data",
    HEADER: lambda found: "header: false under data",
    ENGINE: lambda found: f"engine: {found[1]} under data",
    REMOTE: lambda found: f"remote: {found[1]} under data",
    TEXT: lambda found: f"{found[1]}: {_as_scalar(found[2] or '...')} under data",
    LEVELS: lambda found: f"levels: {{{found[1]}: {found[2]}}}",
    MEMORY: lambda found: "memory_limit under data",
    FOLDER: lambda found: "temp_directory under data",
    SAMPLE: lambda found: f"sample: {found[1]} under data",
    TABLE: lambda found: f"table: {found[1]} under data",
}
CONTROLS: Words = {
    TYPES: lambda found: f"choose {found[2]} as the type of {found[1]} below",
    MISSING: lambda found: "'Missing values' below",
    HEADER: lambda found: "header: false in the study's data",
    ENGINE: lambda found: f"engine: {found[1]} in the study's data",
    REMOTE: lambda found: f"remote: {found[1]} in the study's data",
    TEXT: lambda found: f"{found[1]}: {_as_scalar(found[2] or '...')} in the study's data",
    LEVELS: lambda found: f"level {found[2]} next to the role of {found[1]}",
    MEMORY: lambda found: "memory_limit in the study's data",
    FOLDER: lambda found: "temp_directory in the study's data",
    SAMPLE: lambda found: "'A random sample' below the data",
    TABLE: lambda found: f"{found[1]} below",
}


def _as_argument(text: str) -> str:
    """Quote an argument of a command if a shell would split it."""
    return f"'{text}'" if re.search(r"[^\w=.%+-]", text) and "'" not in text else text


def _as_scalar(text: str) -> str:
    """Quote a YAML value unless it is a single word."""
    return text if re.fullmatch(r"[\w.-]+", text) else f"'{text}'"


def _markers(listed: str) -> str:
    """Return markers in the notation of the option, with dots for those to add."""
    return ",".join([*(one[1:-1] for one in re.findall(QUOTED, listed)), "..."])


def translate_message(text: str, words: Words) -> str:
    """Translate the Python arguments in a message."""
    for pattern, put in words.items():
        text = pattern.sub(put, text)
    return text


@contextmanager
def translate_errors(words: Words) -> Iterator[None]:
    """Translate the message of any BadInput raised inside."""
    try:
        yield
    except BadInput as error:
        error.args = (translate_message(str(error), words),)
        raise
