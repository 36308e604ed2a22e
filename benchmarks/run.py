"""All benchmarks, or those named: what was required and what was measured; the status is 1 if anything falls short.

A full run is kept in results.json and results.md.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import platform
import sys
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from benchmarks.measuring import NO_INSTALL, Figure  # noqa: E402

BENCHMARKS = (
    "adult",
    "million",
    "peers",
    "privacy_figures",
    "lattice",
    "clustering",
    "figure_2a",
    "queries",
    "miners",
    "large_file",
    "larger_than_memory",
    "scaling",
    "in_parts",
    "exporting",
    "cold_start",
    "reports",
    "in_browser",
    "proposals",
    "without_sensitive",
)
PACKAGES = ("numpy", "pandas", "pyarrow", "duckdb", "numba", "altair", "vl-convert-python")
Results = Mapping[str, Sequence[Figure]]


def main() -> int:
    chosen = _arguments()
    if chosen.no_install:
        os.environ[NO_INSTALL] = "1"
    names = chosen.benchmarks or BENCHMARKS
    results: dict[str, Sequence[Figure]] = {}
    # a fresh process for each: none runs in the memory or the caches of another
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as processes:
        for name in names:
            results[name] = processes.submit(measured, name).result()
            print(f"\n{title(name)}\n\n{table(results[name])}", flush=True)
    if set(names) == set(BENCHMARKS):
        (HERE / "results.json").write_text(json.dumps(as_data(results), indent=1) + "\n")
        (HERE / "results.md").write_text(as_text(results))
    missed = [f"{name}: {one.what}" for name, figures in results.items() for one in figures if one.met is False]
    print("\n" + ("\n".join(["Not met:", *missed]) if missed else "Every requirement is met."))
    return 1 if missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmarks", nargs="*", metavar="benchmark", help=f"some of {', '.join(BENCHMARKS)}")
    parser.add_argument("--no-install", action="store_true", help="do not install peers that are not there yet")
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.benchmarks) - set(BENCHMARKS)):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    return chosen


def measured(name: str) -> list[Figure]:
    """The figures of one benchmark; one that breaks down misses a requirement, and the others still run."""
    try:
        return importlib.import_module(f"benchmarks.{name}").measure()
    except Exception as error:
        traceback.print_exc()
        return [Figure("runs to its end", None, required=0, note=type(error).__name__)]


def title(name: str) -> str:
    """The first line of a benchmark's docstring."""
    return (importlib.import_module(f"benchmarks.{name}").__doc__ or name).splitlines()[0]


def machine() -> dict[str, Any]:
    """Describe the machine and the packages, without names and paths."""
    found = {"cores": os.cpu_count(), "machine": platform.machine(), "system": platform.system()}
    found["python"] = platform.python_version()
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def as_data(results: Results) -> dict[str, Any]:
    """Return all figures as data for other programs."""
    figures = {name: [{**asdict(one), "met": one.met} for one in found] for name, found in results.items()}
    return {"machine": machine(), "benchmarks": figures}


def as_text(results: Results) -> str:
    """Return all figures as Markdown."""
    about = ", ".join(f"{name} {value}" for name, value in machine().items())
    head = "# Benchmarks\n\nWritten by `make bench`. Times are the minimum of several runs, warm unless noted.\n"
    return f"{head}\n{about}\n" + "".join(f"\n## {title(name)}\n\n{table(found)}\n" for name, found in results.items())


def table(figures: Sequence[Figure]) -> str:
    """The figures of a benchmark as a Markdown table, its columns aligned."""
    rows = [("figure", "required", "measured", "met?", "note"), *map(_row, figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    rows.insert(1, tuple("-" * width for width in widths))
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _row(one: Figure) -> tuple[str, ...]:
    bound = "" if one.required is None else f"{'≥' if one.at_least else '≤'} {_amount(one.required, one.unit)}"
    found = "not measured" if one.measured is None else _amount(one.measured, one.unit)
    return one.what, bound, found, {True: "yes", False: "NO", None: ""}[one.met], one.note


def _amount(value: float, unit: str) -> str:
    number = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{number} {unit}".strip()


if __name__ == "__main__":
    sys.exit(main())
