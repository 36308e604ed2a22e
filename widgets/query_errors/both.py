"""The frontiers of two workloads, and the releases that are efficient for one or both."""

from __future__ import annotations

from typing import Any

from widgets.base.vega import live
from workbench.base.errors import Undefined, safe_repr
from workbench.base.figures import format_number
from workbench.frontier.frontier import Frontier
from workbench.measures import QueryError

NAMED = 3  # number of releases that are named per workload


def measure_of(frontier: Frontier | None, workload: str) -> QueryError | None:
    """Return the query error of a workload, if it was measured."""
    among = frontier.measures if frontier is not None else ()
    return next((one for one in among if isinstance(one, QueryError) and one.workload == workload), None)


def both(frontier: Frontier | None, first: str, second: str, selected: int) -> tuple[list[dict[str, Any]], str]:
    """Return the specs of two charts and a description; raise Undefined if a workload was not measured."""
    keys = []
    for name in (first, second):
        measure = measure_of(frontier, name)
        if measure is None:
            raise Undefined(
                f"The workload {safe_repr(name)} was not measured: tick query error in Methods and measures, "
                "and choose the workload there"
            )
        keys.append(measure.key)
    assert frontier is not None
    from workbench.charts.frontier import draw_two_frontiers  # slow to import

    charts = draw_two_frontiers(frontier, (keys[0], keys[1]), (first, second), selected)
    return [live(one) for one in charts], describe_frontiers(frontier, (first, second), (keys[0], keys[1]), selected)


def describe_frontiers(frontier: Frontier, names: tuple[str, str], keys: tuple[str, str], selected: int) -> str:
    """Describe the releases that serve only one workload."""
    good = [frontier.on(utility=key).is_efficient() for key in keys]
    parts = [f"{int((good[0] & good[1]).sum())} releases are efficient for both workloads."]
    for own, other, name in ((0, 1, names[0]), (1, 0, names[1])):
        alone = [i for i, yes in enumerate(good[own] & ~good[other]) if yes]
        if alone:
            shown = "; ".join(str(frontier.measured[i].recipe) for i in alone[:NAMED])
            more = f" and {len(alone) - NAMED} more" if len(alone) > NAMED else ""
            parts.append(f"Only for {name}: {shown}{more}.")
    if 0 <= selected < len(frontier.measured):
        values = frontier.measured[selected].values
        errors = [f"{format_number(100 * values[key])} % for {name}"
                for key, name in zip(keys, names, strict=True) if key in values]  # fmt: skip
        parts.append(f"The selected release: the average error is {' and '.join(errors)}.")
    return " ".join(parts)
