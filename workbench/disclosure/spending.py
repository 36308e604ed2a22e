"""Several releases of one table together: the budgets of their noise, epsilon or rho, add up, column by column.

What is drawn by the same settings of the same values is one draw, which counts once. A column that some of the
releases publish without noise has none in all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from workbench.base.figures import figures, join_names
from workbench.data.table import Table
from workbench.methods import Method, Spent

LISTED = 4  # budgets that a sum is said to be of


def together(table: Table, methods: Sequence[Method], what: str, published: bool = False) -> str:
    """The sum for who has the releases of all these methods (one a release), which are called `what`, in a sentence;
    nothing where none adds to the noise of another. What is published quotes no budget that few people decide."""
    spent = [method.spends(table) for method in methods if not method.baseline]
    draws = {name: _draws(spent, name) for name in table.released if any(name in one for one in spent)}
    bare = [name for name in draws if not all(name in one for one in spent)]
    if not bare and all(len(one) < 2 for one in draws.values()):
        return ""
    hidden = [name for name in draws if published and not all(one.told for one in draws[name])]
    shown = [name for name in draws if name not in (*bare, *hidden)]
    parts = [_sum(name, draws[name]) for name in shown]
    if bare:
        units = " or ".join(sorted({one.unit for name in bare for one in draws[name]}))
        parts.append(f"no {units} for {join_names(bare)}, which some of them publish without noise")
    if more := [name for name in hidden if name not in bare]:
        parts.append(f"for {join_names(more)} the sum of several, which are not told")
    every = f"both {what}" if len(spent) == 2 else f"all {len(spent):,} {what}"
    return f"Several releases add up: {every} together have {'; '.join(parts)}."


def _draws(spent: Sequence[Mapping[str, Spent]], name: str) -> list[Spent]:
    """The different draws of a column."""
    return list({one[name].draw: one[name] for one in spent if name in one}.values())


def _sum(name: str, draws: Sequence[Spent]) -> str:
    """What the budgets of a column add up to, never rounded down; and what that is the sum of, where it is short."""
    units, amounts = sorted({one.unit for one in draws}), [one.amount() for one in draws]
    if len(units) > 1:
        return f"no sum for {name}, since its noise is of two kinds ({' and '.join(units)})"
    total = math.fsum(amounts)
    if math.isinf(total):
        return f"no {units[0]} for {name}"
    short = " + ".join(figures(one, "lower") for one in amounts) if len(draws) <= LISTED else f"{len(draws)} draws"
    return f"{units[0]} = {figures(total, 'lower')} for {name}{f' ({short})' if len(draws) > 1 else ''}"
