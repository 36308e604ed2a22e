"""What can go wrong, in the user's words: each message says what, where and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence


class BadInput(ValueError):
    """Data, roles, hierarchies or parameters that cannot be used as they are."""


class Unsatisfiable(ValueError):
    """No release of this method keeps the model; the message says why."""


class Undefined(Exception):
    """A question that a release cannot answer; the message is the reason."""


def listing(names: Sequence[str]) -> str:
    """What columns there are; not where a record may have been read as names, which no message shows."""
    if any(re.fullmatch(r"[+-]?[\d.,]+", str(name)) for name in names):
        return "some names are numbers: if the first line is a record, say header=False"
    return f"there are {', '.join(map(str, names))}"
