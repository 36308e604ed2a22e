"""Strict Mondrian, k = 10, on Adult with six quasi-identifiers, to a release with its classes; and to serve queries."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import Figure, cpu
from workbench.data import datasets
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity

BEFORE = 5.58  # Mondrian in argsorts when every cut that left too few records was judged by the model


def measure(runs: int = 30) -> list[Figure]:
    table, method, model = datasets.adult(), Mondrian(), KAnonymity(10)
    keys = np.random.default_rng(0).integers(np.iinfo(np.int64).max, size=len(table.cells()))
    warm, whole, sort = cpu(
        lambda: method(table, model).classes,
        lambda: method(fresh(table), model).classes,
        lambda: np.argsort(keys, kind="stable"),
        runs=runs,
    )
    classes = len(method(table, model).classes)
    serving = Mondrian("workload", workload="random")
    (served,) = cpu(lambda: serving(table, model).classes, runs=min(runs, 5))
    return [
        Figure("Mondrian to a release, CPU", 1000 * warm, "ms", 12, note=f"{classes:,} classes; cells are remembered"),
        Figure(
            "the same in stable argsorts of as many random keys as there are cells",
            warm / sort,
            "",
            0.7 * BEFORE,
            note=f"{warm / sort / BEFORE:.2f} of the {BEFORE:g} that it was",
        ),
        Figure("the same, cells collapsed again, CPU", 1000 * whole, "ms", note=f"{len(table.cells()):,} cells"),
        Figure("Mondrian that serves 1,000 random queries, CPU", 1000 * served, "ms", 2000),
    ]


def fresh(table: Table) -> Table:
    """Return the same microdata in a table without cached results."""
    return table.with_roles(table.quasi, tuple(table.sensitive))
