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


def together(table: Table, methods: Sequence[Method], what: str, published: bool = False) -> str:
    """The sum for who has the releases of all these methods (one a release), which are called `what`, in a sentence;
    nothing where none adds to the noise of another. What is published quotes no epsilon that few people decide."""
    several = [method for method in methods if not method.baseline]
    changed = [method.changed(table) if isinstance(method, RecordNoise) else () for method in several]
    draws = {name: _draws(several, name, changed) for name in table.released if any(name in one for one in changed)}
    bare = [name for name in draws if not all(name in one for one in changed)]
    if not bare and all(len(one) < 2 for one in draws.values()):
        return ""
    hidden = [name for name in draws if published and not all(one.epsilon_is_told for one in draws[name])]
    shown = [name for name in draws if name not in (*bare, *hidden)]
    parts = [_sum(name, [one.epsilon_of(table, name) for one in draws[name]]) for name in shown]
    if bare:
        parts.append(f"no epsilon for {join_names(bare)}, which some of them publish without noise")
    if more := [name for name in hidden if name not in bare]:
        parts.append(f"for {join_names(more)} the sum of several, which are not told")
    every = f"both {what}" if len(several) == 2 else f"all {len(several):,} {what}"
    return f"Several releases add up: {every} together have {'; '.join(parts)}."


def _draws(methods: Sequence[Method], name: str, changed: Sequence[Sequence[str]]) -> list[RecordNoise]:
    """A method for each different draw of a column."""
    found = {
        method.draw_of(name): method
        for method, names in zip(methods, changed, strict=True)
        if isinstance(method, RecordNoise) and name in names
    }
    return list(found.values())


def _sum(name: str, draws: Sequence[float]) -> str:
    """What the epsilons of a column add up to, never rounded down; and what that is the sum of, where it is short."""
    total = math.fsum(draws)
    if math.isinf(total):
        return f"no epsilon for {name}"
    short = " + ".join(figures(one, "lower") for one in draws) if len(draws) <= LISTED else f"{len(draws)} draws"
    return f"epsilon = {figures(total, 'lower')} for {name}{f' ({short})' if len(draws) > 1 else ''}"
