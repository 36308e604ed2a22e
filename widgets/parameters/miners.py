"""Parsing and formatting of miners.

Commas separate names; miners with settings are written as in a study, as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from workbench.base.errors import BadInput
from workbench.base.parameters import Plain
from workbench.base.variants import Variant
from workbench.miners.sets import miners, sets

LISTED = "miners or sets of miners, separated by commas"


def values(text: str, kind: type[Variant], name: str) -> list[Any]:
    """Parse typed miners; empty text is the default."""
    found = _read(text, name) or kind.__dataclass_fields__[name].default  # type: ignore[attr-defined]
    try:
        kind.check_value(name, found)
    except BadInput as error:
        raise BadInput(str(error).removeprefix(f"{kind.name}: ")) from None
    return [tuple(found) if isinstance(found, list) else found]


def _read(text: str, name: str) -> Any:
    if text.strip()[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except ValueError:
            raise BadInput(f"{name}: this is neither a list of names nor JSON; separate names by commas") from None
    names = [one.strip() for one in text.split(",") if one.strip()]
    return names[0] if len(names) == 1 else names


def written(given: Sequence[Any]) -> str:
    """Format a value as text."""
    (value,) = given
    value = value.data if isinstance(value, Plain) else value
    several = list(value) if isinstance(value, (list, tuple)) else [value]
    return ", ".join(several) if all(isinstance(one, str) for one in several) else json.dumps(several)


def options() -> list[str]:
    """Return the names of miners and of sets of miners."""
    return [*sets(), *miners()]
