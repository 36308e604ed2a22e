"""Measure recipes as points, and compute the frontier of points that no other dominates."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.frontier.intervals import with_intervals as with_intervals
    from workbench.frontier.lower_bounds import bound as bound

_HOME = {"bound": "lower_bounds", "with_intervals": "intervals"}


def __getattr__(name: str) -> Any:
    """Import lazily, because these modules load the code that evaluates releases."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
