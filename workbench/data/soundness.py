"""Check whether columns can have their roles."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.roles import check_weight
from workbench.data.sensitive import require_measurable


def require_sound(columns: Mapping[str, Column], roles: Mapping[str, str], levels: Mapping[str, int]) -> None:
    """Raise BadInput if a level is not of a sensitive column, or a column cannot have its role."""
    sensitive = [name for name in columns if roles[name] == "sensitive"]
    for name in levels:
        if name not in sensitive:
            available = ", ".join(sensitive) or "none"
            raise BadInput(f"levels: {name!r} is not a sensitive column; the sensitive columns are: {available}")
    for name in sensitive:
        require_measurable(columns[name], levels.get(name, 0))
    for name in columns:
        if roles[name] == "weight":
            check_weight(columns[name])
