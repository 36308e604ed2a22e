"""What is asked of many: large populations, and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.workloads.workload import Workload as Workload


def __getattr__(name: str) -> Any:
    """`Workload`, loaded when it is asked for."""
    if name == "Workload":
        from workbench.workloads.workload import Workload

        return Workload
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
