"""A release (k = 10) written as CSV from codes in batches, compared with a pandas frame in memory."""

from __future__ import annotations

import json
import sys
import tempfile
import time
import zlib
from pathlib import Path

from benchmarks import generated
from benchmarks.measuring import Figure, child, own_peak

GB = 1e9


def measure(records: int = 2_000_000, large: int = 10_000_000) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        codes, frame = (_exported(folder, records, how) for how in ("codes", "pandas"))
        whole = _exported(folder, large, "codes")
    same = codes["rows"] == frame["rows"]
    note = f"{codes['cpu']:.1f} s beside {frame['cpu']:.1f} s"
    more = [one["peak"] - one["before"] for one in (codes, frame)]
    return [
        Figure("the same rows", int(same), "", 1, at_least=True, note=f"{records:,} records, in random order"),
        Figure("CPU time, as a share of that by way of a frame", codes["cpu"] / frame["cpu"], "", 0.5, note=note),
        Figure(
            "memory beyond that of anonymising", more[0] / GB, "GB", note=f"by way of a frame {more[1] / GB:.2f} GB"
        ),
        Figure(
            "peak memory of reading, anonymising, writing", whole["peak"] / GB, "GB", 1.4, note=f"{large:,} records"
        ),
        Figure("CPU time of writing", whole["cpu"], "s", note=f"{large:,} records"),
    ]


def _exported(folder: Path, records: int, how: str) -> dict[str, float]:
    path = folder / f"{records}.parquet"
    if not path.exists():
        child([sys.executable, generated.__file__, path, str(records)])
    found: dict[str, float] = json.loads(child([sys.executable, __file__, path, how]).printed.splitlines()[-1])
    return found


def export(path: Path, how: str) -> dict[str, float]:
    """The CPU time of writing, the peak before it and after, and a sum over the rows that forgets their order."""
    from workbench.data.table import Table
    from workbench.methods import Mondrian
    from workbench.models import KAnonymity

    release = Mondrian()(Table.read(path, quasi=generated.QUASI, sensitive=generated.SENSITIVE), KAnonymity(10))
    before, began, out = own_peak(), time.process_time(), path.with_name(f"{how}.csv")
    if how == "codes":
        release.export(out, giveaways=True)
    else:
        release.frame().to_csv(out, index=False)
    used, peak = time.process_time() - began, own_peak()
    with out.open("rb") as file:
        rows = sum(map(zlib.crc32, file))
    out.unlink()
    return {"cpu": used, "before": before, "peak": peak, "rows": rows}


if __name__ == "__main__":
    print(json.dumps(export(Path(sys.argv[1]), sys.argv[2])))
