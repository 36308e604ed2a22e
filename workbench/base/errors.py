"""What can go wrong, in the user's words: each message says what, where and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Number
from typing import Any

MANY = 30  # names that a message lists


class BadInput(ValueError):
    """Data, roles, hierarchies or parameters that cannot be used as they are."""

    path: tuple[Any, ...] = ()  # where in a study it stands, as ("recipes", 0, "model", "k")


class BadColumns(BadInput):
    """Columns that cannot be read as they are: what is wrong with each."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self.columns = dict(columns)
        super().__init__("; ".join(self.columns.values()))


class Unsatisfiable(ValueError):
    """No release of this method keeps the model; the message says why."""


class Undefined(Exception):
    """A question that a release cannot answer; the message is the reason."""


class NotInMemory(BadInput, Undefined):
    """What looks at records one by one, where they are not in memory."""


class TooMany(BadInput, Undefined):
    """What needs all cells of a table in memory, where they do not fit."""


def said(value: object) -> str:
    """What was given in a call, for a message: of all but small values the type alone, since it may hold records."""
    if value is None or isinstance(value, (str, Number)):
        return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
    if value is type(None):
        return "nothing"
    return value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"


def listing(names: Sequence[str]) -> str:
    """What there is to choose from: names of our own, never those of columns."""
    return f"there {'is' if len(names) == 1 else 'are'} {enumerated(names) or 'none'}"


def columns_meant(name: object, names: Sequence[str]) -> str:
    """The nearest column. All of them are listed nowhere: a first record may have been read as names."""
    near = difflib.get_close_matches(str(name), names, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    count = "1 column" if len(names) == 1 else f"{len(names):,} columns"
    return f"it has {count}, none of a like name; if the first line of a file is a record, say header=False"


def enumerated(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MANY:,} more" if len(names) > MANY else ""
    return f"{', '.join(map(str, names[:MANY]))}{more}"


def meant(name: object, known: Iterable[str]) -> str:
    """The nearest of the names that there are, or all of them."""
    there = list(known)
    near = difflib.get_close_matches(str(name), there, 1)
    return f"did you mean {near[0]!r}?" if near else listing(there)


@contextmanager
def at(*path: object) -> Iterator[None]:
    """What goes wrong inside stands there."""
    try:
        yield
    except BadInput as error:
        error.path = (*path, *error.path)
        raise
