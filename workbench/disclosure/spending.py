"""Joint privacy budgets of several noisy releases of one table: epsilon or rho add up, column by column.

The same settings applied to the same values are one draw, which counts once. A column that some of the releases publish
without noise has no joint budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from workbench.base.figures import format_guarantee, format_number, join_names
from workbench.data.table import Table
from workbench.methods import Method, Spent

LISTED = 4  # maximum number of listed terms of a sum


def describe_joint_budget(table: Table, methods: Sequence[Method], what: str, published: bool = False) -> str:
    """Return the joint budget of releases by these methods (one each), which are called `what`, as a sentence; empty if
    no budgets add up. The published form omits budgets that depend on few people.
    """
    spent = [method.spent_budgets(table) for method in methods if not method.baseline]
    draws = {name: _draws(spent, name) for name in table.released if any(name in one for one in spent)}
    bare = [name for name in draws if not all(name in one for one in spent)]
    if not bare and all(len(one) < 2 for one in draws.values()):
        return ""
    hidden = [name for name in draws if published and not all(one.is_public for one in draws[name])]
    shown = [name for name in draws if name not in (*bare, *hidden)]
    parts = [_sum(name, draws[name]) for name in shown]
    if bare:
        units = " or ".join(sorted({one.unit for name in bare for one in draws[name]}))
        parts.append(f"no {units} for {join_names(bare)}, which some of them publish without noise")
    if more := [name for name in hidden if name not in bare]:
        parts.append(f"for {join_names(more)} the sum of several, which are not published")
    every = f"both {what}" if len(spent) == 2 else f"all {len(spent):,} {what}"
    return f"Several releases add up: {every} together have {'; '.join(parts)}."


def _draws(spent: Sequence[Mapping[str, Spent]], name: str) -> list[Spent]:
    """Return the distinct draws of a column."""
    return list({one[name].draw: one[name] for one in spent if name in one}.values())


def _sum(name: str, draws: Sequence[Spent]) -> str:
    """Describe the sum of a column's budgets, never rounded down, with its terms if they are few."""
    units, amounts = sorted({one.unit for one in draws}), [one.amount() for one in draws]
    if len(units) > 1:
        return f"no sum for {name}, since its noise is of two kinds ({' and '.join(units)})"
    total = math.fsum(amounts)
    if math.isinf(total):
        return f"no {units[0]} for {name}"
    short = (
        " + ".join(format_number(one, "lower") for one in amounts) if len(draws) <= LISTED else f"{len(draws)} draws"
    )
    return f"{units[0]} {format_guarantee(total)} for {name}{f' ({short})' if len(draws) > 1 else ''}"
