"""The frontiers of two workloads: releases that are efficient for one, for the other, and for both."""

from __future__ import annotations

from typing import Any

from widgets.base.vega import live
from workbench.base.errors import Undefined, safe_repr
from workbench.base.figures import format_number
from workbench.frontier.frontier import Frontier
from workbench.measures import QueryError

NAMED = 3  # releases of each side


def measure_of(frontier: Frontier | None, workload: str) -> QueryError | None:
    """The query error of a workload, if the points were measured with it."""
    among = frontier.measures if frontier is not None else ()
    return next((one for one in among if isinstance(one, QueryError) and one.workload == workload), None)


def both(frontier: Frontier | None, first: str, second: str, selected: int) -> tuple[list[dict[str, Any]], str]:
    """The specs of two charts, and what they say; Undefined where the points were not measured so."""
    keys = []
    for name in (first, second):
        measure = measure_of(frontier, name)
        if measure is None:
            raise Undefined(
                f"The points are not measured by the workload {safe_repr(name)}: tick query error in Methods "
                f"and measures, "
                "and choose it there"
            )
        keys.append(measure.key)
    assert frontier is not None
    from workbench.charts.query_errors import two_frontiers  # takes a moment to load

    charts = two_frontiers(frontier, (keys[0], keys[1]), (first, second), selected)
    return [live(one) for one in charts], in_words(frontier, (first, second), (keys[0], keys[1]), selected)


def in_words(frontier: Frontier, names: tuple[str, str], keys: tuple[str, str], selected: int) -> str:
    """Describe the releases that serve only one workload."""
    good = [frontier.on(utility=key).is_efficient() for key in keys]
    parts = [f"{int((good[0] & good[1]).sum())} releases are efficient for both workloads."]
    for own, other, name in ((0, 1, names[0]), (1, 0, names[1])):
        alone = [i for i, yes in enumerate(good[own] & ~good[other]) if yes]
        if alone:
            shown = "; ".join(str(frontier.measured[i].recipe) for i in alone[:NAMED])
            more = f" and {len(alone) - NAMED} more" if len(alone) > NAMED else ""
            parts.append(f"For {name} alone: {shown}{more}.")
    if 0 <= selected < len(frontier.measured):
        values = frontier.measured[selected].values
        told = [f"{format_number(100 * values[key])} % for {name}"
                for key, name in zip(keys, names, strict=True) if key in values]  # fmt: skip
        parts.append(f"The selected release: answers are wrong by {' and '.join(told)}, on average.")
    return " ".join(parts)
