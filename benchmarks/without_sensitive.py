"""Each table of `proposals.yaml` without a sensitive column, from `init` to a release, a report and a dashboard.

Tables for which no sensitive column is proposed go as they are proposed. In all others the proposed sensitive columns
are declared quasi-identifiers. Each step is a command in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import yaml

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from benchmarks.measuring import Figure  # noqa: E402
from benchmarks.proposals import GOLD, PARTS, read  # noqa: E402
from workbench.studies.proposal import measures_for, recipes_for  # noqa: E402
from workbench.studies.study import Study  # noqa: E402

STUDY = "table.study.yaml"
CAP = "R_id=0.5"
PAGE = """
import sys
import widgets
from workbench.publication.publish import publish
from workbench.studies.study import Study

publish(Study.open(sys.argv[1]), "published", warn=lambda text: None)
assert widgets.Dashboard("published").published.privacy["key"] == "R_id"
"""


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        found = [(name, *tried(frame, types, Path(folder) / str(i))) for i, (name, frame, types) in enumerate(tables())]
    return figures(found)


def figures(found: list[tuple[str, bool, str]]) -> list[Figure]:
    """Count the tables that reach the end, with and without a proposed sensitive column; list where others stop."""
    kinds = {True: "nothing sensitive proposed", False: "sensitive columns declared quasi-identifiers"}
    told = []
    for kind, what in kinds.items():
        stops = [stop for _, as_proposed, stop in found if as_proposed == kind]
        told.append(Figure(f"{what}: tables that reach the end", stops.count(""), "", len(stops), True))
    stopped = [(name, stop) for name, _, stop in found if stop]
    return [*told, *(Figure(f"{name}: stops", None, note=stop) for name, stop in stopped)]


def tables() -> Iterator[tuple[str, pd.DataFrame, dict[str, str]]]:
    """Each table with the types that have to be declared."""
    gold = yaml.safe_load(GOLD.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            for name, about in gold[part].items():
                yield name, read(about["from"], Path(folder)), about.get("types", {})


def tried(frame: pd.DataFrame, types: dict[str, str], folder: Path) -> tuple[bool, str]:
    """Return if no sensitive column was proposed, and the step and message at which the table stopped, if any."""
    folder.mkdir()
    frame.to_csv(folder / "table.csv", index=False)
    declared = ["--types", ",".join(f"{column}={kind}" for column, kind in types.items())] if types else []
    if stop := _stop(folder, "init", "table.csv", *declared):
        return True, stop
    study = Study.open(folder / STUDY)
    as_proposed = not study.sensitive
    if not as_proposed:
        _without_sensitive(study).save(folder / STUDY)
    steps = (
        ("check", STUDY),
        ("frontier", STUDY, "--cap", CAP),
        ("anonymize", STUDY, "--cap", CAP, "--out", "release.csv"),
        ("report", STUDY, "--cap", CAP, "--release", "--out", "page.html"),
        ("dashboard", STUDY),
    )
    return as_proposed, next(filter(None, (_stop(folder, *step) for step in steps)), "")


def _without_sensitive(study: Study) -> Study:
    study = study.with_(quasi=(*study.quasi, *study.sensitive), sensitive=(), levels={})
    table = study.table(study.read())
    measures, axes = measures_for(table)
    return study.with_(recipes=recipes_for(table), measures=measures, axes=axes)


def _stop(folder: Path, step: str, *arguments: str) -> str:
    """The step and the last line of its message if it fails."""
    command = ["-c", PAGE] if step == "dashboard" else ["-m", "workbench.commands.main", step]
    done = subprocess.run([sys.executable, *command, *arguments], cwd=folder, capture_output=True, text=True)
    return f"{step}: {(done.stderr.strip() or '?').splitlines()[-1]}" if done.returncode else ""
