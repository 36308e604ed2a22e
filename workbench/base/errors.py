"""Exceptions, and helpers for messages that state the problem, its place and the fix."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Number
from typing import Any

from workbench.base.fixes import Fix

MANY = 30  # names that a message lists
OUT_OF_MEMORY = f"there is not enough memory; use {Fix.ENGINE('duckdb')}, or a random sample ({Fix.SAMPLE(100_000)})"


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
    return f"the Python package {package} is not installed; install the workbench again with all that it requires"


def safe_repr(value: object) -> str:
    """Describe an argument in a message; only by its type if it may contain records."""
    if value is None or isinstance(value, (str, Number)):
        return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
    if value is type(None):
        return "nothing"
    return value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"


def list_choices(names: Sequence[str]) -> str:
    """List the names to choose from; never used for columns, whose names may be data."""
    return f"there {'is' if len(names) == 1 else 'are'} {list_some(names) or 'none'}"


def suggest_column(name: object, names: Sequence[str]) -> str:
    """Suggest the most similar column; never lists all, since a first record may have been read as names."""
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
    """Suggest the most similar of the known names, or list all of them."""
    there = list(known)
    near = difflib.get_close_matches(str(name), there, 1)
    return f"did you mean {near[0]!r}?" if near else list_choices(there)


@contextmanager
def prefix_path(*path: object) -> Iterator[None]:
    """Prefix the path of any BadInput that is raised inside."""
    try:
        yield
    except BadInput as error:
        error.path = (*path, *error.path)
        raise
