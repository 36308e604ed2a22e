"""Thirty million records in Parquet, anonymised to Parquet (k = 10) with the records in a file of DuckDB's."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import generated
from benchmarks.measuring import Figure, child, own_peak

GB = 1e9
QUASI = generated.QUASI[:6]  # few cells


def measure(records: int = 30_000_000, smaller: int = 1_000_000) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory, same = (_anonymised(folder, smaller, engine) for engine in ("memory", "duckdb"))
        alike = all(memory[what] == same[what] for what in ("classes", "rows"))
        large = _anonymised(folder, records, "duckdb")
    steps = "; ".join(f"{step}: {one['wall']:.0f} s, {one['peak'] / GB:.2f} GB" for step, one in large["steps"].items())
    share = same["cpu"] / memory["cpu"]
    return [
        Figure("the same classes and rows as in memory", int(alike), "", 1, at_least=True, note=f"{smaller:,} records"),
        Figure("CPU time, in units of that in memory", share, note=f"{smaller:,} records"),
        Figure("cells", large["cells"], note=f"{records:,} records"),
        Figure("peak memory of the whole process", large["peak"] / GB, "GB", 1, note=f"time and peak so far: {steps}"),
        Figure("wall time of the whole process", large["wall"], "s"),
        Figure("CPU time of the whole process", large["cpu"], "s"),
    ]


def _anonymised(folder: Path, records: int, engine: str) -> dict[str, Any]:
    """Return the results and the resources of a separate process."""
    path = folder / f"{records}.parquet"
    if not path.exists():
        child([sys.executable, generated.__file__, path, str(records)])
    out = folder / f"{records}-{engine}.parquet"
    done = child([sys.executable, __file__, path, out, engine])
    found = {**json.loads(done.printed.splitlines()[-1]), "peak": done.peak, "wall": done.wall, "cpu": done.cpu}
    found["rows"] = _sum_of_rows(out)
    out.unlink()
    return found


def _sum_of_rows(path: Path) -> int:
    """A sum over the rows that forgets their order."""
    import duckdb

    with duckdb.connect() as engine:
        found: tuple[int] = engine.sql(f"SELECT sum(hash(*COLUMNS(*)))::HUGEINT FROM '{path}'").fetchall()[0]
    return found[0]


def anonymise(path: Path, out: Path, engine: str) -> dict[str, Any]:
    """The cells, a digest of the classes, and the time and the peak of each step."""
    from workbench.data.table import Table
    from workbench.methods import Mondrian
    from workbench.models import KAnonymity

    steps, began = {}, time.perf_counter()

    def note(step: str) -> None:
        nonlocal began
        steps[step] = {"wall": time.perf_counter() - began, "peak": own_peak()}
        began = time.perf_counter()

    left_out = [name for name in generated.QUASI if name not in QUASI]
    table = Table.read(path, QUASI, generated.SENSITIVE, identifiers=left_out, engine=engine)
    note("read")
    cells = len(table.cells())
    note("collapsed")
    release = Mondrian()(table, KAnonymity(10))
    digest = hashlib.blake2b(digest_size=20)
    for counted in (release.classes.sizes, release.classes.low, release.classes.high):
        digest.update(counted.tobytes())
    note("anonymised")
    release.export(out)
    note("written")
    return {"cells": cells, "classes": digest.hexdigest(), "steps": steps}


if __name__ == "__main__":
    print(json.dumps(anonymise(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])))
