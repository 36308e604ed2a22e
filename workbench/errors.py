"""What can go wrong, in the user's words: each message says what, where and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Number
from typing import Any

MANY = 30  # names that a message lists


class BadInput(ValueError):
    """Data, roles, hierarchies or parameters that cannot be used as they are."""

    path: tuple[Any, ...] = ()  # where in a study it stands, as ("recipes", 0, "model", "k")


class Unsatisfiable(ValueError):
    """No release of this method keeps the model; the message says why."""


class Undefined(Exception):
    """A question that a release cannot answer; the message is the reason."""


def said(value: object) -> str:
    """What was given in a call, for a message: of all but small values the type alone, since it may hold records."""
    if value is None or isinstance(value, (str, Number)):
        return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
    return value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"


def listing(names: Sequence[str]) -> str:
    """What columns there are; not where a record may have been read as names, which no message shows."""
    if any(re.fullmatch(r"[+-]?[\d.,]+", str(name)) for name in names):
        return "some names are numbers: if the first line is a record, say header=False"
    return f"there are {enumerated(names)}"


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
