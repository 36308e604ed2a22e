"""Exceptions, and helpers for messages that state the problem, its place and the fix."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from numbers import Number
from typing import Any

TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
VALUE = rf"{TEXT}|\w+|[\[{{](?:{TEXT}|[^'\"\]}}])*[\]}}]"
MANY = 30  # names that a message lists


class Fix(Enum):
    """A setting that solves a problem: the argument of Python and the key of a study.

    A message contains the argument, such as `delimiter=';'`. It is part of the text, so it survives when messages are
    prefixed, joined, stored and sent. `render_fixes` replaces it by the words of a front end.
    """

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
        """Return the argument with a value."""
        return f"{self}{value!r}"

    def __str__(self) -> str:
        return f"{self.value}="


OUT_OF_MEMORY = f"there is not enough memory; use {Fix.ENGINE('duckdb')}, or sample the records"
ARGUMENT = re.compile(rf"\b({'|'.join(fix.value for fix in Fix)})=({VALUE})?")
Words = Callable[[Fix, Any], str]  # words of a front end for a fix and its value, if it has one


class BadInput(ValueError):
    """Unusable data, roles, hierarchies or parameters."""

    path: tuple[Any, ...] = ()  # the place in a study, such as ("recipes", 0, "model", "k")


class BadColumns(BadInput):
    """Columns that cannot be read, with the fault of each."""

    def __init__(self, columns: Mapping[str, str | BadInput]) -> None:
        self.faults = {name: fault for name, fault in columns.items() if isinstance(fault, BadInput)}
        self.columns = {name: str(fault) for name, fault in columns.items()}
        super().__init__("; ".join(self.columns.values()))


class Unsatisfiable(ValueError):
    """No release of the method satisfies the model; the message gives the reason."""


class Undefined(Exception):
    """A figure or answer that a release does not have; the message gives the reason."""


class NotInMemory(BadInput, Undefined):
    """An operation on single records, which are not in memory."""


class TooMany(BadInput, Undefined):
    """An operation on all cells of a table, which do not fit into memory."""


def missing_package(name: str) -> str:
    """Return what to do about a failed import of a module."""
    package = name.partition(".")[0].replace("_", "-")
    return f"the Python package {package} is not installed; reinstall the workbench with its dependencies"


def safe_repr(value: object) -> str:
    """Describe an argument in a message; only by its type if it may contain records."""
    if value is None or isinstance(value, (str, Number)):
        return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
    if value is type(None):
        return "nothing"
    return value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"


def suggest_column(name: object, names: Sequence[str]) -> str:
    """Suggest the most similar column; never list all, because the first record may have been mistaken for a header."""
    near = difflib.get_close_matches(str(name), names, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    count = "1 column" if len(names) == 1 else f"{len(names):,} columns"
    return f"it has {count}, none with a similar name; if the first line of a file is a record, use {Fix.HEADER(False)}"


def list_some(names: Sequence[str]) -> str:
    """Join the first names, and count the others."""
    more = f" and {len(names) - MANY:,} more" if len(names) > MANY else ""
    return f"{', '.join(map(str, names[:MANY]))}{more}"


def suggest(name: object, known: Iterable[str]) -> str:
    """Suggest the most similar of the known names, or list them; see `suggest_column` for columns of data."""
    names = list(known)
    if near := difflib.get_close_matches(str(name), names, 1):
        return f"did you mean {near[0]!r}?"
    return f"choose from {list_some(names)}" if names else "none is defined"


@contextmanager
def prefix_path(*path: object) -> Iterator[None]:
    """Prefix the path of any BadInput that is raised inside."""
    try:
        yield
    except BadInput as error:
        error.path = (*path, *error.path)
        raise


def render_fixes(text: str, words: Words) -> str:
    """Replace the fixes in a message with a front end's wording."""

    def rendered(found: re.Match[str]) -> str:
        try:
            value = ast.literal_eval(found[2]) if found[2] else None
        except (SyntaxError, ValueError):
            return found[0]  # for example a column with such a name
        return words(Fix(found[1]), value)

    return ARGUMENT.sub(rendered, text)
