"""Clusterings: k-member on Adult, threshold clustering beside Mondrian and up to a million records, and what they lose.

As a script with a number of records: threshold clustering of so many, for `measure` to time and to weigh.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from benchmarks import lattice, million  # noqa: E402
from benchmarks.measuring import Figure, child, cpu  # noqa: E402
from workbench.data import datasets  # noqa: E402
from workbench.data.table import Table  # noqa: E402
from workbench.measures import GeometricLoss, GroupUtility  # noqa: E402
from workbench.methods import KMember, Method, Microaggregation, Mondrian, ThresholdClustering  # noqa: E402
from workbench.models import KAnonymity  # noqa: E402

KEYS = 5_000_000
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
TGCU, TGCB = ThresholdClustering(1, 0), ThresholdClustering(size=50)
BESIDE = 0.0325  # what the best known desktop tool loses by local recoding at k = 5, in .41 s


def measure(runs: int = 3, sizes: Sequence[int] = SIZES) -> list[Figure]:
    figures = [*parted(datasets.adult(), runs), *log_linear(sizes)]
    if not lattice.SHARED.exists():
        return [*figures, Figure("ARX's hierarchies are not here", None)]
    table = lattice.arx(lattice.SHARED)
    return [*k_member(table, runs), *figures, *losses(table)]


def k_member(table: Table, runs: int, keys: int = KEYS) -> list[Figure]:
    """k-member at k = 10, in seconds and in sorts of the same run."""
    random = np.random.default_rng(0).integers(np.iinfo(np.int64).max, size=keys)
    seconds, sort = cpu(
        lambda: KMember()(table, KAnonymity(10)).classes, lambda: np.argsort(random, kind="stable"), runs=runs
    )
    said = f"{table.records:,} records, {len(table.quasi)} quasi-identifiers; {seconds / sort:.1f} stable argsorts"
    return [Figure("k-member, k = 10, CPU", seconds, "s", max(5, 14 * sort), note=said)]


def parted(table: Table, runs: int) -> list[Figure]:
    """Threshold clustering in parts, with the sample that chooses its thresholds, beside Mondrian."""
    table.cells()
    model = KAnonymity(10)

    def fresh() -> Table:
        """Return a table without cached thresholds and cuts, which collapses its cells again."""
        found = table.with_settings(importance={})
        found.remember(("cells", ()), table.cells)
        return found

    seconds, mondrian = cpu(lambda: TGCB(fresh(), model).classes, lambda: Mondrian()(fresh(), model).classes, runs=runs)
    said = f"{table.records:,} records; Mondrian {1000 * mondrian:.0f} ms"
    return [Figure("threshold clustering, equal weights, s = 5 k, CPU", seconds, "s", 3 * mondrian + 0.5, note=said)]


def log_linear(sizes: Sequence[int]) -> list[Figure]:
    """Measure how time grows with the records, and the memory of the largest table; draw clustering.svg."""
    seconds, peak = [], 0
    for records in sizes:
        ran = child([sys.executable, Path(__file__), str(records)])
        seconds.append(json.loads(ran.printed))
        peak = ran.peak
    if tuple(sizes) == SIZES:
        draw(sizes, seconds)
    each = [1e6 * one / n for one, n in zip(seconds, sizes, strict=True)]
    per_log = [one / math.log2(n) for one, n in zip(each, sizes, strict=True)]
    said = ", ".join(f"{n:,}: {one:.2f} s" for n, one in zip(sizes, seconds, strict=True))
    return [
        Figure("time by n log n, the most over the least records", per_log[-1] / per_log[0], "", 2, note=said),
        Figure(f"memory at {sizes[-1]:,} records", peak / 2**20, "MB", 1024, note="the whole process"),
    ]


def draw(sizes: Sequence[int], seconds: Sequence[float]) -> None:
    """Draw seconds by records, both logarithmic, with a line of n log n through the first."""
    import altair as alt

    first = seconds[0] / (sizes[0] * math.log(sizes[0]))
    rows = [{"records": n, "seconds": one, "line": "measured"} for n, one in zip(sizes, seconds, strict=True)]
    rows += [{"records": n, "seconds": first * n * math.log(n), "line": "n log n"} for n in sizes]
    x, y = (alt.X("records:Q").scale(type="log"), alt.Y("seconds:Q").scale(type="log"))
    chart = alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(x, y, color="line:N")
    chart.save(str(HERE / "clustering.svg"))


def losses(table: Table) -> list[Figure]:
    """Measure the loss of each method without suppression."""
    found = []
    for k in (5, 10):
        methods: dict[str, Method] = {
            "k-member": KMember(),
            "MDAV": Microaggregation(),
            "threshold clustering by utility": TGCU,
            "Mondrian on regions": Mondrian(),
        }
        for what, method in methods.items():
            release = method(table, KAnonymity(k))
            shown = GroupUtility()(release).value, GroupUtility("records")(release).value
            note = f"UM {shown[0]:.3f}, by records {shown[1]:.3f}; local recoding elsewhere: {BESIDE} at k = 5"
            found.append(Figure(f"geometric loss of {what}, k = {k}", GeometricLoss()(release).value, note=note))
    return found


def main() -> None:
    table = million._table(int(sys.argv[1]))
    table.cells()
    small = million._table(1000)
    TGCB(small, KAnonymity(10))  # compiled
    began = time.process_time()
    TGCB(table, KAnonymity(10))
    print(time.process_time() - began)


if __name__ == "__main__":
    main()
