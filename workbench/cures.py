"""What to do about data that cannot be read, in the words of whoever is told: options, lines of a study, or controls.

Messages say it as a call in Python does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

TYPES = re.compile(r"(?:declare )?types=\{('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"): '(\w+)'\}")
MISSING = re.compile(r"missing=\[\.\.\.\]")
HEADER = re.compile(r"header=False")
TEXT = re.compile(r"\b(encoding|delimiter|quote|format)=(?:'([^']*)')?")
Words = Mapping[re.Pattern[str], Callable[[re.Match[str]], str]]

OPTIONS: Words = {
    TYPES: lambda found: f"say --types {found[1][1:-1]}={found[2]}",
    MISSING: lambda found: "--missing",
    HEADER: lambda found: "--no-header",
    TEXT: lambda found: f"--{found[1]} {found[2] or ''}".strip(),
}
STUDY: Words = {
    TYPES: lambda found: f"say types: {{{found[1]}: {found[2]}}} under data",
    MISSING: lambda found: "missing: [...] under data",
    HEADER: lambda found: "header: false under data",
    TEXT: lambda found: f"{found[1]}: {found[2] or '...'} under data",
}
CONTROLS: Words = {
    TYPES: lambda found: f"choose {found[2]} as the type of {found[1]} below",
    MISSING: lambda found: "'Missing values' below",
    HEADER: lambda found: "that in the study's data: header: false",
    TEXT: lambda found: f"{found[1]}: {found[2] or '...'} in the study's data",
}


def in_words(text: str, words: Words) -> str:
    """A message with what Python is told put as these words do."""
    for pattern, put in words.items():
        text = pattern.sub(put, text)
    return text
