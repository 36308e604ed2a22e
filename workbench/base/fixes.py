"""Settings that a message recommends, by identity; each front end renders them in its own words.

A message contains a fix as the argument of Python, such as `delimiter=';'`: plain text, which may be prefixed, joined,
stored and sent. `render_fixes` reads the argument, and writes the option, the line of a study or the control instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from enum import Enum
from typing import Any


class Fix(Enum):
    """A setting that solves a problem; its value is the argument of Python and the key of a study."""

    DELIMITER = "delimiter"
    ENCODING = "encoding"
    ENGINE = "engine"
    FORMAT = "format"
    HEADER = "header"
    LEVELS = "levels"
    MEMORY_LIMIT = "memory_limit"
    MISSING = "missing"
    QUOTE = "quote"
    REMOTE = "remote"
    SAMPLE = "sample"
    TABLE = "table"
    TEMP_DIRECTORY = "temp_directory"
    TYPES = "types"

    def __call__(self, value: object) -> str:
        """Return the argument with a value; dots end a list that is to be continued."""
        return f"{self}{value!r}".replace("Ellipsis]", "...]")

    def __str__(self) -> str:
        return f"{self.value}="


Words = Callable[[Fix, Any], str]  # from a fix and its value, None for any value, to the words of a front end

TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ARGUMENT = re.compile(rf"\b({'|'.join(fix.value for fix in Fix)})=({TEXT}|\w+|[\[{{](?:{TEXT}|[^'\"\]}}])*[\]}}])?")


def render_fixes(text: str, words: Words) -> str:
    """Replace the fixes in a message by the words of a front end."""

    def rendered(found: re.Match[str]) -> str:
        try:
            value = ast.literal_eval(found[2]) if found[2] else None
        except (SyntaxError, ValueError):
            return found[0]  # for example a column with such a name
        return words(Fix(found[1]), value)

    return ARGUMENT.sub(rendered, text)
