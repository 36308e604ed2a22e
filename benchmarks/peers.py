"""Mondrian, k = 10, on Adult, compared with Python peers, each in its own environment.

Peers get the columns as numbers (codes in our order) or as categories, and the fastest run counts. anjana is not
Mondrian: it recodes whole columns, and uses our hierarchies.
Tried and excluded: crowds (a search over the same lattice as anjana's, in pure Python), anonypyx' MDAV (a distance
matrix of 16 GB), pyarx (a client that needs ARX's server), cn-protect (gone from PyPI).
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.measuring import HERE, Figure, NotInstalled, child, cpu, environment
from workbench.data import datasets
from workbench.data.table import Table
from workbench.measures import Discernibility
from workbench.methods import Mondrian
from workbench.models import KAnonymity

TIMES = 25
PEERS = {
    "anonypy": ("anonypy==0.2.1", "pandas==2.3.3"),
    "anonypyx": ("anonypyx==0.2.11", "pandas==2.3.3"),
    "anonymity_api": ("anonymity-api==1.0.4", "pandas==2.3.3"),
    "anjana": ("anjana==1.2.3",),
}


def measure() -> list[Figure]:
    table = datasets.adult()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values, codes = _hand_over(table, folder)
        runs, missing = _peers(folder)
    warm, *through = cpu(
        lambda: Mondrian()(table, KAnonymity(10)).classes,
        lambda: _through(values, table),
        lambda: _through(codes, table),
    )
    ours = Mondrian()(table, KAnonymity(10))
    shape = _shape(len(ours.classes), Discernibility()(ours).value)
    least = min((run["cpu"] for run in runs), default=None)
    fastest = next((f"fastest: {_name(run)}" for run in runs if run["cpu"] == least), "no peer could be installed")
    return [
        Figure("workbench: Mondrian to a release, CPU", warm, "s", note=shape),
        Figure("workbench: from a data frame to the published frame, CPU", max(through), "s"),
        *map(_figure, runs),
        *missing,
        Figure("times faster than the fastest peer", least and least / warm, "", TIMES, True, fastest),
        Figure("times faster, data frame to published frame", least and least / max(through), "", TIMES, True, fastest),
    ]


def _hand_over(table: Table, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The data as values and as codes, and the hierarchies level by level, in files that any peer can read."""
    names = [*table.quasi, *table.sensitive]
    values = table.frame[names]
    codes = pd.DataFrame({name: table.codes[name] for name in table.quasi}).assign(occupation=values["occupation"])
    values.to_csv(folder / "values.csv", index=False)
    codes.to_csv(folder / "codes.csv", index=False)
    levels = {}
    for name in table.quasi:
        column = table.columns[name]
        assert column.hierarchy is not None
        nodes = [column.hierarchy.node(j) for j in range(len(column.hierarchy.levels))]
        higher = [[level.labels[i] for i in node] for level, node in zip(column.hierarchy.levels, nodes, strict=True)]
        levels[name] = [list(column.labels), *higher, ["*"] * column.size]
    (folder / "hierarchies.json").write_text(json.dumps(levels))
    return values, codes


def _peers(folder: Path) -> tuple[list[dict[str, Any]], list[Figure]]:
    """Return each peer's runs with each kind of input, and the peers that cannot be installed."""
    runs, missing = [], []
    for name, requirements in PEERS.items():
        try:
            python = environment(*requirements)
        except NotInstalled as error:
            missing.append(Figure(f"{name}, CPU", None, "s", note=str(error)))
            continue
        printed = child([python, HERE / "in_peer_environment.py", name, folder]).printed
        runs += json.loads(printed.splitlines()[-1])
    return runs, missing


def _through(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Do the work of a peer's call: data frame in, published rows out."""
    read = Table.from_frame(frame, quasi=table.quasi, sensitive=tuple(table.sensitive))
    return Mondrian()(read, KAnonymity(10)).frame()


def _name(run: dict[str, Any]) -> str:
    return f"{run['peer']} {run['version']} ({run['given']})"


def _figure(run: dict[str, Any]) -> Figure:
    return Figure(f"{_name(run)}, CPU", run["cpu"], "s", note=_shape(run["classes"], run["discernibility"]))


def _shape(classes: int, discernibility: float) -> str:
    return f"{classes:,} classes, discernibility {discernibility:,.0f}"
