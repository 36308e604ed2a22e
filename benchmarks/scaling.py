"""Files of several sizes through DuckDB, or a server of Spark's: read, collapsed, one recipe and a hundred, written.

    python benchmarks/scaling.py 1000000 10000000 100000000 [--remote sc://host:15002] [--folder /large/disk]

A server given by `remote` needs access to the folder, and writes the release there. With a hundred million records or
more, scaling.svg is drawn for all sizes. A billion:
`nice python benchmarks/scaling.py 10000000 1000000000 --folder ...`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if str(Path(__file__).resolve().parents[1]) not in sys.path:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import generated
from benchmarks.measuring import HERE, Figure, child, own_peak

GB = 1e9
QUASI = generated.QUASI[:6]
SIZES = (1_000_000, 10_000_000)
PANDAS = 10_000_000  # records that pandas collapses too
DRAWN = 100_000_000  # from so many records on
MANY = 100  # recipes
LINE = 1.3  # times what the line says
PER_RECORD, PER_CELL = ("read", "collapsed", "release written"), ("one recipe", f"{MANY} recipes")


def measure(sizes: Sequence[int] = SIZES, remote: str = "", folder: str | None = None) -> list[Figure]:
    """Peak memory and CPU time by size; time beside that of the smallest size, a record."""
    figures, ran = [], dict[int, dict[str, Any]]()
    for records in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            path, out = Path(name) / "in.parquet", Path(name) / "out.parquet"
            child([sys.executable, generated.__file__, path, str(records), *QUASI, generated.SENSITIVE])
            done = child([sys.executable, __file__, "--one", path, out, remote])
            found: dict[str, Any] = json.loads(done.printed.splitlines()[-1])
            ran[records] = found
            new = _of_one(records, found, done.peak, done.cpu, ran)
            if records <= PANDAS and not remote:
                new += _compare_with_pandas(records, path, found["steps"])
        for figure in new:  # the next size may take an hour
            print(f"{figure.what}: {figure.measured:.2f} {figure.unit}  {figure.note}", file=sys.stderr, flush=True)
        figures += new
    if max(sizes) >= DRAWN and not remote:
        draw(ran)
    return figures


def _of_one(records: int, found: Mapping[str, Any], peak: int, cpu: float, ran: Mapping[int, Any]) -> list[Figure]:
    steps, (smallest, first) = found["steps"], next(iter(ran.items()))
    said = "; ".join(f"{step}: {used['cpu']:.1f} s CPU, {used['peak'] / GB:.2f} GB" for step, used in steps.items())
    note = f"{records:,} records, {found['cells']:,} cells"
    a_record = [sum(one["steps"][s]["cpu"] for s in PER_RECORD) / n for n, one in ((records, found), (smallest, first))]
    begun = steps["read"]["cpu"] + steps["collapsed"]["cpu"]
    share = (begun + steps[PER_CELL[1]]["cpu"]) / (begun + steps[PER_CELL[0]]["cpu"])
    return [
        Figure(f"{note}: peak memory", peak / GB, "GB", 4, note=said),
        Figure(f"{note}: CPU time", cpu, "s"),
        Figure(
            f"{note}: CPU time that follows records, relative to the smallest file's",
            a_record[0] / a_record[1],
            "",
            LINE,
        ),
        Figure(f"{note}: CPU time of {MANY} recipes, in units of one's", share, note="both with reading and collapse"),
    ]


def _compare_with_pandas(records: int, path: Path, steps: Mapping[str, Any]) -> list[Figure]:
    """Compare with the cells by `groupby`, from the same file."""
    done = child([sys.executable, __file__, "--pandas", path])
    pandas: dict[str, float] = json.loads(done.printed)
    read, collapsed = steps["read"]["cpu"], steps["collapsed"]["cpu"]
    said = (
        f"pandas: read {pandas['read']:.1f} s, grouped {pandas['grouped']:.1f} s CPU, {pandas['peak'] / GB:.2f} GB for "
        f"{pandas['cells']:,.0f} cells"
    )
    grouped = f"{records:,} records: CPU time of pandas' groupby, in units of DuckDB's collapse"
    all_of_it = f"{records:,} records: CPU time of pandas, read and grouped, in units of DuckDB's, read and collapsed"
    both = pandas["read"] + pandas["grouped"]
    return [
        Figure(grouped, pandas["grouped"] / collapsed, "", 1, at_least=True, note=said),
        Figure(all_of_it, both / (read + collapsed), ""),
    ]


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
        print(f"{step}: {steps[step]}", file=sys.stderr, flush=True)
        began = time.process_time()

    data: Any = Session.opened(remote).spark.read.parquet(str(path)) if remote else path
    table = Table.read(data, QUASI, generated.SENSITIVE, engine="spark" if remote else "duckdb")
    note("read")
    cells = len(table.cells())
    note("collapsed")
    models = [
        *(KAnonymity(10 + 10 * i) for i in range(MANY // 2)),
        *(TCloseness(0.4 - i / 200) for i in range(MANY // 2)),
    ]
    measures, recipes = [PrivacyLoss(), UtilityLoss()], [Recipe(Mondrian(), model) for model in models]
    sweep(table, recipes[:1], measures, baselines=False)
    note(PER_CELL[0])
    Mondrian()(table, KAnonymity(10)).export(f"spark:{out}" if remote else out)
    note("release written")
    shutil.rmtree(out, ignore_errors=True)
    sweep(table, recipes, measures, baselines=False)
    note(PER_CELL[1])
    return {"cells": cells, "steps": steps}


def by_pandas(path: Path) -> dict[str, float]:
    """Measure the time and the memory of pandas for the same cells."""
    import pandas as pd

    names = [*QUASI, generated.SENSITIVE]
    began = time.process_time()
    frame = pd.read_parquet(path, columns=names)
    read = time.process_time()
    cells = frame.groupby(names, dropna=False).size()
    return {"cells": len(cells), "read": read - began, "grouped": time.process_time() - read, "peak": own_peak()}


def draw(ran: Mapping[int, Mapping[str, Any]]) -> None:
    """CPU time by records, both logarithmic: points are measured, lines what the second file leads one to expect, so
    much a record or so much a cell. (In a small first file all takes what it takes to start.)"""
    import altair as alt

    known, rows = list(ran)[min(1, len(ran) - 1)], []
    for n, found in ran.items():
        for step, used in found["steps"].items():
            grown = found["cells"] / ran[known]["cells"] if step in PER_CELL else n / known
            expected = ran[known]["steps"][step]["cpu"] * grown
            rows.append({"records": n, "step": step, "measured": used["cpu"], "expected": expected})
    x = alt.X("records:Q", axis=alt.Axis(values=list(ran), format=".0e")).scale(type="log")
    chart = alt.Chart(alt.Data(values=rows)).encode(x, color="step:N")
    y = [alt.Y(f"{name}:Q", title="CPU seconds").scale(type="log") for name in ("expected", "measured")]
    alt.layer(chart.mark_line().encode(y[0]), chart.mark_point(filled=True, size=60).encode(y[1])).save(
        str(HERE / "scaling.svg")
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])))
    elif sys.argv[1:2] == ["--pandas"]:
        print(json.dumps(by_pandas(Path(sys.argv[2]))))
    else:
        given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        given.add_argument("sizes", nargs="*", type=int, default=SIZES)
        given.add_argument("--remote", default="")
        given.add_argument("--folder")
        measure(**vars(given.parse_args()))
