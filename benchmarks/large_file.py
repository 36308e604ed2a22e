"""A Parquet file of ten million records, eight quasi-identifiers: read, collapsed, anonymised (k = 10), measured."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import generated
from benchmarks.measuring import Figure, child, own_peak

GB = 1e9
LARGE = "populations found"


def measure(records: int = 10_000_000) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.parquet"
        child([sys.executable, generated.__file__, path, str(records)])
        size = path.stat().st_size
        done = child([sys.executable, __file__, path])
    steps = json.loads(done.printed.splitlines()[-1])
    before, large = sum(one["cpu"] for name, one in steps.items() if name != LARGE), steps[LARGE]
    so_far = "; ".join(f"{step}: {one['wall']:.1f} s, {one['peak'] / GB:.2f} GB" for step, one in steps.items())
    return [
        Figure("cells", steps["collapsed"]["count"], "", 3_000_000, at_least=True, note=f"{records:,} records"),
        Figure("peak memory of the whole process", done.peak / GB, "GB", 1.5, note=f"the file has {size / GB:.2f} GB"),
        Figure(
            "populations, in units of all before them, CPU",
            large["cpu"] / before,
            "",
            0.5,
            note=f"{large['cpu']:.1f} s of CPU for {large['count']:,} with 5 % of the records",
        ),
        Figure("wall time of the whole process", done.wall, "s", note=f"time and peak so far: {so_far}"),
        Figure("CPU time of the whole process", done.cpu, "s", note=f"{steps['anonymised']['count']:,} classes"),
    ]


def anonymise(path: Path) -> dict[str, dict[str, float]]:
    """Return the counts, the time and the peak memory of each step."""
    from workbench.data.table import Table
    from workbench.methods import Mondrian
    from workbench.models import KAnonymity
    from workbench.queries.populations import large_populations

    steps, began, spent = {}, time.perf_counter(), time.process_time()

    def note(step: str, count: int) -> None:
        nonlocal began, spent
        wall, cpu = time.perf_counter() - began, time.process_time() - spent
        steps[step] = {"count": count, "wall": wall, "cpu": cpu, "peak": own_peak()}
        began, spent = time.perf_counter(), time.process_time()

    table = Table.read(path, quasi=generated.QUASI, sensitive=generated.SENSITIVE)
    note("read", table.records)
    note("collapsed", len(table.cells()))
    note("anonymised", len(Mondrian()(table, KAnonymity(10)).classes))
    note(LARGE, len(large_populations(table)))
    return steps


if __name__ == "__main__":
    print(json.dumps(anonymise(Path(sys.argv[1]))))
