"""Recipes to points, and the points that no other dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.frontier.least import bound as bound


def __getattr__(name: str) -> Any:
    """`bound` is loaded when it is asked for."""
    if name == "bound":
        from workbench.frontier.least import bound

        return bound
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
