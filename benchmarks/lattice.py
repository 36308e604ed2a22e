"""The lattice of ARX's Adult (30,162 records, 8 quasi-identifiers): every node scored, the best, and local recoding.

Its hierarchies are not in the repository: they are looked for in ../shared/data/arx. Required are ARX's figures.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measuring import ROOT, Figure, cpu
from workbench import lattice
from workbench.data import datasets
from workbench.data.hierarchies.builders import read_csv
from workbench.data.table import Table
from workbench.measures import GeometricLoss, PrivacyLoss
from workbench.methods import FullDomain, LocalRecoding, Mondrian
from workbench.models import DistinctLDiversity, KAnonymity, Model, TCloseness

SHARED = ROOT.parent / "shared" / "data" / "arx"
TRAINING = 32_561  # the records that come first in the bundled file
COLUMNS = {  # as they are called here, and in ARX's files
    "sex": "sex",
    "age": "age",
    "race": "race",
    "marital_status": "marital-status",
    "education": "education",
    "native_country": "native-country",
    "workclass": "workclass",
    "salary": "salary-class",
}
K = KAnonymity(5)
EVERYTHING = K & DistinctLDiversity(3) & TCloseness(0.2)
OPTIMA = {0.0: 0.5422, 0.05: 0.1701, 1.0: 0.1621}


def measure(runs: int = 3) -> list[Figure]:
    if not SHARED.exists():
        return [Figure("ARX's hierarchies are not here", None)]
    return measured(arx(SHARED), runs)


def arx(folder: Path) -> Table:
    """The complete records of the training file, under the hierarchies in a folder."""
    frame = pd.read_csv(datasets.path("adult"), nrows=TRAINING)[[*COLUMNS, "occupation"]].dropna()
    hierarchies = {name: read_csv(folder / f"adult_hierarchy_{given}.csv") for name, given in COLUMNS.items()}
    return Table.from_frame(frame, list(COLUMNS), "occupation", hierarchies=hierarchies)


def measured(table: Table, runs: int) -> list[Figure]:
    """The figures of one table."""
    on_levels = Mondrian(recode="levels")
    k_alone, everything, optimum, local, levels, regions = cpu(
        lambda: scores(table, K, [GeometricLoss()]),
        lambda: scores(table, EVERYTHING, [GeometricLoss(), PrivacyLoss()]),
        lambda: FullDomain(suppress=0.05)(fresh(table), K),
        lambda: LocalRecoding()(fresh(table), K),
        lambda: on_levels(fresh(table), K),
        lambda: Mondrian()(fresh(table), K),
        runs=runs,
    )
    nodes = len(lattice(table, K))
    return [
        Figure(f"k and geometric loss of all {nodes:,} nodes, CPU", k_alone, "s", 4),
        Figure("k, l, t, P_loss and geometric loss of all nodes, CPU", everything, "s", 8),
        *(optimal(table, suppress, least) for suppress, least in OPTIMA.items()),
        Figure("the best node with 5 % left out, k = 5, CPU", optimum, "s", note="cells collapsed again"),
        *recoded("local recoding", LocalRecoding(), table, local, required=True),
        *recoded("Mondrian on levels", on_levels, table, levels, required=False),
        *recoded("Mondrian on regions", Mondrian(), table, regions, required=False),
    ]


def scores(table: Table, model: Model, measures: list[GeometricLoss | PrivacyLoss]) -> pd.DataFrame:
    """The lattice of a table that remembers nothing."""
    return lattice(fresh(table), model, measures)


def fresh(table: Table) -> Table:
    """Return the same microdata in a table without cached results."""
    return table.with_roles(table.quasi, tuple(table.sensitive))


def optimal(table: Table, suppress: float, least: float) -> Figure:
    """The loss of the best node where so many records may be left out."""
    release = FullDomain(suppress=suppress)(table, K)
    found = GeometricLoss()(release).value
    note = f"{len(release.classes):,} classes, {release.suppressed:,} left out"
    share = f"at most {100 * suppress:g} % left out"
    return Figure(f"geometric loss of the best node, {share}", float(np.round(found, 4)), "", least, note=note)


def recoded(what: str, method: LocalRecoding | Mondrian, table: Table, seconds: float, required: bool) -> list[Figure]:
    """Loss and time of a method with which nobody is left out."""
    release = method(table, K)
    loss = GeometricLoss()(release).value
    note = f"{len(release.classes):,} classes"
    return [
        Figure(f"geometric loss of {what}", loss, "", 0.0281 if required else None, note=note),
        Figure(f"{what}, CPU", seconds, "s", 0.41 if required else None, note="cells collapsed again"),
    ]
