"""Queries and workloads, their true answers and those of releases, and large populations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.queries.workload import Workload as Workload


def __getattr__(name: str) -> Any:
    """Load `Workload` lazily."""
    if name == "Workload":
        from workbench.queries.workload import Workload

        return Workload
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
