"""Strict Mondrian, k = 10, on a generated table of a million records, compared with the time to sort its cells."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import generated
from benchmarks.measuring import Figure, cpu
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity, Model, TCloseness


def measure(records: int = 1_000_000, runs: int = 9) -> list[Figure]:
    table = _table(records)
    six = table.with_roles(generated.QUASI[:6], generated.SENSITIVE)
    return [*_compare_with_sorting(six, runs), *_compare_with_sorting(table, runs)]


def _compare_with_sorting(table: Table, runs: int) -> list[Figure]:
    cells, close = len(table.cells()), KAnonymity(10) & TCloseness(0.3)
    keys = np.random.default_rng(0).integers(np.iinfo(np.int64).max, size=cells)
    sort, k, both = cpu(
        lambda: np.argsort(keys, kind="stable"),
        partial(_release, table, KAnonymity(10)),
        partial(_release, table, close),
        runs=runs,
    )
    said = f"{len(table.quasi)} quasi-identifiers"
    classes = _release(table, KAnonymity(10))
    return [
        Figure(f"{said}: cells", cells, "", 300_000, at_least=True, note=f"{table.records:,} records"),
        Figure("stable argsort of as many random keys: the yardstick, CPU", 1000 * sort, "ms"),
        Figure(
            "Mondrian to a release, in yardsticks", k / sort, "", 5, note=f"{1000 * k:.0f} ms CPU, {classes:,} classes"
        ),
        Figure(f"the same under {close}", both / sort, "", note=f"{1000 * both:.0f} ms CPU"),
    ]


def _release(table: Table, model: Model) -> int:
    return len(Mondrian()(table, model).classes)


def _table(records: int) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.parquet"
        generated.write(path, records)
        return Table.read(path, quasi=generated.QUASI, sensitive=generated.SENSITIVE)
