"""Answers to queries and their bounds, for Adult and for donations to parties."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measuring import Figure, cpu
from workbench.data import datasets
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.queries import Workload

DONATIONS = Path(__file__).resolve().parents[2] / "shared" / "data" / "donations-2008.csv.gz"
QUASI = ("state", "zip", "employer")
TIMES = 3  # that bounds may take what answers may


def measure(runs: int = 7, n: int = 372_629, count: int = 10_000) -> list[Figure]:
    found, adult = list[Figure](), datasets.adult()
    found += answer_times("Adult", adult, Workload.random(adult), 10, 30, runs)
    table = Table.read(DONATIONS, quasi=QUASI, sensitive="party") if DONATIONS.exists() else datasets.donations(n)
    name = "donations" if DONATIONS.exists() else "generated donations"
    many, one = Workload.random(table, count, 3), max(runs // 3, 1)
    (drawn,) = cpu(lambda: Workload.random(table, count, 3), runs=one)
    (truth,) = cpu(lambda: Workload.random(table, count, 3).truth, runs=one)
    found.append(Figure(f"{name}: {count:,} random queries are made, CPU", 1000 * drawn, "ms"))
    found.append(Figure(f"{name}: their true answers, CPU", 1000 * (truth - drawn), "ms"))
    return [*found, *answer_times(name, table, many, 25, 2000, one)]


def answer_times(name: str, table: Table, workload: Workload, k: int, most: float, runs: int) -> list[Figure]:
    """Measure the milliseconds of answers and bounds for both ways to publish; answers may take `most`."""
    found = []
    for publish in ("generalized", "bucketized"):
        release = Mondrian(publish=publish)(table, KAnonymity(k))
        note = f"{table.records:,} records in {len(release.classes):,} classes"
        count, bounds = cpu(
            lambda one=release: one.count(workload), lambda one=release: one.bounds(workload), runs=runs
        )
        what = f"{name}, {publish}: {len(workload):,} queries, CPU"
        found.append(Figure(what, 1000 * count, "ms", most, note=note))
        found.append(Figure(f"{what}, their bounds", 1000 * bounds, "ms", TIMES * most))
    return found
