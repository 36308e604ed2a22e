"""All privacy figures of a release of about 1,500 classes (k = 15 on Adult), beside pycanon's nine."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.measuring import HERE, Figure, NotInstalled, child, cpu, environment
from workbench import datasets
from workbench.measures import Measure
from workbench.measures.achieved import MODELS, Achieved
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.parameters import catalog
from workbench.release import Release

PYCANON = ("pycanon==1.3.6",)


def measure(runs: int = 15, peer: bool = True) -> list[Figure]:
    release = Mondrian()(datasets.adult(), KAnonymity(15))
    figures = privacy_measures()
    # a copy of a release remembers nothing: its classes are counted again
    (seconds,) = cpu(lambda: everything(replace(release), figures), runs=runs)
    found = everything(release, figures)
    lines = [
        Figure("classes", len(release.classes), "", 1500, at_least=True),
        Figure(f"all {len(found)} privacy figures, CPU", 1000 * seconds, "ms", 60, note=", ".join(found)),
    ]
    return [*lines, *_pycanon(release, seconds)] if peer else lines


def privacy_measures() -> list[Measure]:
    """Every measure of the catalog on the side of privacy, and the figure of every model."""
    kinds = catalog("workbench.measures", Measure).values()
    own = [kind() for kind in kinds if kind.side == "privacy" and kind is not Achieved]
    return [*own, *map(Achieved, MODELS)]


def everything(release: Release, figures: list[Measure]) -> dict[str, float]:
    """The value of each figure."""
    return {figure.key: figure(release).value for figure in figures}


def _pycanon(release: Release, ours: float) -> list[Figure]:
    what = "pycanon 1.3.6's nine figures on the same release, CPU"
    try:
        python = environment(*PYCANON)
    except NotInstalled as error:
        return [Figure(what, None, "s", note=str(error))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        release.frame()[[*release.table.quasi, *release.table.sensitive]].to_csv(path, index=False)
        said = json.loads(child([python, HERE / "in_pycanon.py", path]).printed.splitlines()[-1])
    figures = ", ".join(f"{name} {value:.4g}" for name, value in said["figures"].items())
    return [Figure(what, said["cpu"], "s", note=figures), Figure("times faster than pycanon", said["cpu"] / ours)]
