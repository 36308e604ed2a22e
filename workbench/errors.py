"""What can go wrong, in the user's words: each message says what, where and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from numbers import Number


class BadInput(ValueError):
    """Data, roles, hierarchies or parameters that cannot be used as they are."""


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
    return f"there are {', '.join(map(str, names))}"
