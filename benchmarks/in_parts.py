"""Records of which hardly two are alike, too many combinations for memory: releases by parts, measured and written.

    python benchmarks/in_parts.py 10000000 100000000 [--fitting 50000000] [--part 4194304] [--folder /large/disk]
                                  [--remote sc://host:15002]

`fitting` is how many combinations are taken to fit into memory at once, `part` how many are fetched at a time. With
`remote` the records are read and released by a server of Spark's that sees the folder too.
"""

from __future__ import annotations

import argparse
import json
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
QUASI = (*generated.QUASI[:6], *generated.FINEST)
SIZES = (10_000_000,)
FITTING, PART = 5_000_000, 2**22


def measure(
    sizes: Sequence[int] = SIZES,
    fitting: int = FITTING,
    part: int = PART,
    folder: str | None = None,
    remote: str = "",
) -> list[Figure]:
    """Peak memory and CPU time by size."""
    figures = []
    for records in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            path, out = Path(name) / "in.parquet", Path(name) / "out.parquet"
            child([sys.executable, generated.__file__, path, str(records), *QUASI, generated.SENSITIVE])
            done = child([sys.executable, __file__, "--one", path, out, str(fitting), str(part), remote])
        found: dict[str, Any] = json.loads(done.printed.splitlines()[-1])
        steps = (
            f"{step}: {used['cpu']:.0f} s CPU, {used['seconds']:.0f} s, {used['peak'] / GB:.2f} GB"
            for step, used in found["steps"].items()
        )
        note = f"{records:,} records, about {found['cells']:,} cells in {found['parts']} parts"
        figures += [
            Figure(f"{note}: peak memory", done.peak / GB, "GB", 6, note="; ".join(steps)),
            Figure(f"{note}: CPU time", done.cpu, "s"),
        ]
    return figures


def one(path: Path, out: Path, fitting: int, part: int, remote: str) -> dict[str, Any]:
    """The cells and parts, and the time and the peak of each step so far, all in this process."""
    from workbench.data import engines as remote_engine
    from workbench.data.engines.spark_session import Session
    from workbench.data.table import Table
    from workbench.measures import PrivacyLoss, UtilityLoss
    from workbench.methods import Mondrian
    from workbench.methods.mondrian import out_of_core as first_cuts
    from workbench.models import KAnonymity, TCloseness

    remote_engine.MOST, first_cuts.PART = fitting, part
    steps: dict[str, dict[str, float]] = {}
    began = time.process_time(), time.perf_counter()

    def note(step: str) -> None:
        nonlocal began
        now = time.process_time(), time.perf_counter()
        steps[step] = {"cpu": now[0] - began[0], "seconds": now[1] - began[1], "peak": own_peak()}
        print(f"{step}: {steps[step]}", file=sys.stderr, flush=True)
        began = now

    data: Any = Session.opened(remote).spark.read.parquet(str(path)) if remote else path
    table = Table.read(data, QUASI, generated.SENSITIVE, engine="spark" if remote else "duckdb")
    note("read")
    engine = table.engine
    print(engine, file=sys.stderr, flush=True)
    assert isinstance(engine, remote_engine.RemoteEngine) and not engine.cells_fit, "give fewer that fit"
    note("cells counted")
    release = Mondrian()(table, KAnonymity(100))
    note(f"k = 100, {len(release.classes):,} classes")
    again = Mondrian()(table, KAnonymity(1000))
    note(f"k = 1000, {len(again.classes):,} classes")
    again = Mondrian()(table, TCloseness(0.2))
    note(f"t = 0.2, {len(again.classes):,} classes")
    for measure in (PrivacyLoss(), UtilityLoss()):
        measure(release)
        note(f"{measure.symbol} of k = 100")
    release.export(f"spark:{out}" if remote else out)
    note("release written")
    known = table.remember(("first cuts", False), lambda: first_cuts.SplitCounter(table, False))
    parts = sum(1 for _ in known.splits_under(KAnonymity(100), None).leaves)
    return {"cells": engine.combinations, "parts": parts, "steps": steps}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])))
    else:
        given = argparse.ArgumentParser(description=__doc__)
        given.add_argument("sizes", nargs="*", type=int, default=SIZES)
        given.add_argument("--fitting", type=int, default=FITTING)
        given.add_argument("--part", type=int, default=PART)
        given.add_argument("--folder")
        given.add_argument("--remote", default="")
        for figure in measure(**vars(given.parse_args())):
            print(f"{figure.what}: {figure.measured:.2f} {figure.unit}  {figure.note}", flush=True)
