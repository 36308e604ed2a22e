"""Several releases of one table together: the epsilons of their noise add up, column by column.

What is drawn by the same settings of the same values is one draw, which counts once. A column that some of the
releases publish without noise has no epsilon in all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.base.figures import figures, join_names
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.noise import RecordNoise

LISTED = 4  # epsilons that a sum is said to be of


def together(table: Table, methods: Sequence[Method], what: str) -> str:
    """The sum for who has the releases of all these methods (one a release), which are called `what`, in a sentence;
    nothing where none adds to the noise of another."""
    several = [method for method in methods if not method.baseline]
    changed = [method.changed(table) if isinstance(method, RecordNoise) else () for method in several]
    spent = {name: _spent(table, several, name) for name in table.released if any(name in one for one in changed)}
    bare = [name for name in spent if not all(name in one for one in changed)]
    if not bare and all(len(draws) < 2 for draws in spent.values()):
        return ""
    parts = [_of_column(name, draws) for name, draws in spent.items() if name not in bare]
    if bare:
        parts.append(f"none for {join_names(bare)}, which some of them publish without noise")
    every = f"both {what}" if len(several) == 2 else f"all {len(several):,} {what}"
    return f"Several releases add up: {every} together have {'; '.join(parts)}."


def _spent(table: Table, methods: Sequence[Method], name: str) -> list[float]:
    """The epsilon of each different draw of a column."""
    draws = {
        method.draw_of(name): method.epsilon_of(table, name)
        for method in methods
        if isinstance(method, RecordNoise) and name in method.changed(table)
    }
    return list(draws.values())


def _of_column(name: str, draws: Sequence[float]) -> str:
    """What they add up to, never rounded down; and what that is the sum of, where it is short."""
    total = math.fsum(draws)
    if math.isinf(total):
        return f"no epsilon for {name}"
    short = " + ".join(figures(one, "lower") for one in draws) if len(draws) <= LISTED else f"{len(draws)} draws"
    return f"epsilon = {figures(total, 'lower')} for {name}{f' ({short})' if len(draws) > 1 else ''}"
