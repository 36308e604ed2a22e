"""Files of several sizes through DuckDB, or a server of Spark's: read, collapsed, eight points, a release written.

    python benchmarks/scaling.py 1000000 10000000 100000000 [--remote sc://host:15002] [--folder /large/disk]

With `remote` the server has to see the folder too, and writes the release there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if str(Path(__file__).resolve().parents[1]) not in sys.path:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import generated
from benchmarks.measuring import Figure, child, own_peak

GB = 1e9
QUASI = generated.QUASI[:6]
SIZES = (1_000_000, 10_000_000)


def measure(sizes: Sequence[int] = SIZES, remote: str = "", folder: str | None = None) -> list[Figure]:
    """Peak memory and CPU time by size; time beside that of the smallest size, a record."""
    figures, first = [], None
    for records in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            path, out = Path(name) / "in.parquet", Path(name) / "out.parquet"
            child([sys.executable, generated.__file__, path, str(records)])
            done = child([sys.executable, __file__, "--one", path, out, remote])
        found: dict[str, Any] = json.loads(done.printed.splitlines()[-1])
        steps = (
            f"{step}: {used['cpu']:.0f} s CPU, {used['peak'] / GB:.2f} GB" for step, used in found["steps"].items()
        )
        note, first = f"{records:,} records, {found['cells']:,} cells", first or done.cpu / records
        figures += [
            Figure(f"{note}: peak memory", done.peak / GB, "GB", 4, note="; ".join(steps)),
            Figure(f"{note}: CPU time", done.cpu, "s"),
            Figure(f"{note}: CPU time of a record, beside the smallest file's", done.cpu / records / first, "", 1.3),
        ]
    return figures


def one(path: Path, out: Path, remote: str) -> dict[str, Any]:
    """The cells, and the CPU time and the peak of each step so far, all in this process."""
    from workbench.data.engines.spark_session import Session
    from workbench.data.table import Table
    from workbench.frontier.recipe import Recipe
    from workbench.frontier.sweep import sweep
    from workbench.measures import PrivacyLoss, UtilityLoss
    from workbench.methods import Mondrian
    from workbench.models import KAnonymity, TCloseness

    steps: dict[str, dict[str, float]] = {}
    began = time.process_time()

    def note(step: str) -> None:
        nonlocal began
        steps[step] = {"cpu": time.process_time() - began, "peak": own_peak()}
        began = time.process_time()

    left_out = [name for name in generated.QUASI if name not in QUASI]
    data: Any = Session.opened(remote).spark.read.parquet(str(path)) if remote else path
    table = Table.read(data, QUASI, generated.SENSITIVE, left_out, engine="spark" if remote else "duckdb")
    note("read")
    cells = len(table.cells())
    note("collapsed")
    models = [*(KAnonymity(k) for k in (10, 100, 1000, 10_000)), *(TCloseness(t) for t in (0.4, 0.3, 0.2, 0.1))]
    points = sweep(table, [Recipe(Mondrian(), model) for model in models], [PrivacyLoss(), UtilityLoss()]).points
    note(f"{len(points)} points with the baselines")
    release = Mondrian()(table, KAnonymity(10))
    release.export(f"spark:{out}" if remote else out)
    note("release written")
    shutil.rmtree(out, ignore_errors=True)
    return {"cells": cells, "steps": steps}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])))
    else:
        given = argparse.ArgumentParser(description=__doc__)
        given.add_argument("sizes", nargs="*", type=int, default=SIZES)
        given.add_argument("--remote", default="")
        given.add_argument("--folder")
        for figure in measure(**vars(given.parse_args())):
            print(f"{figure.what}: {figure.measured:.2f} {figure.unit}  {figure.note}", flush=True)
