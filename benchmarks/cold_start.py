"""In a fresh process: the eight k points of figure 2(a) drawn as SVG, and `import workbench`.

What counts is wall time less the time spent waiting for a core that other programs held; the note has both.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import Child, Figure, child

DRAW = """
import sys
import workbench
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity

table = workbench.datasets.adult()
points = workbench.recipes(Mondrian(), KAnonymity, k=[10, 50, 100, 200, 500, 1000, 2000, 5000])
chart = workbench.sweep(table, points, [PrivacyLoss(), UtilityLoss()]).chart()
workbench.charts.save(chart, sys.argv[1])
"""

IMPORT = """
import json, sys
%s
heavy = ("altair", "matplotlib", "IPython", "ipykernel", "ipywidgets", "anywidget", "notebook", "voila")
found = {name.partition(".")[0] for name in sys.modules}
print(json.dumps(sorted(name for name in found if name in heavy or name.startswith("jupyter"))))
"""


def measure(runs: int = 5) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = [_draw(folder, folder / f"cache {i}") for i in range(2)]
        again = [_draw(folder, folder / "cache 0") for _ in range(runs)]
    return [
        _timed("eight k points drawn, no numba cache, wall less waiting", first, 15),
        _timed("eight k points drawn, numba cache there, wall less waiting", again, 4),
        *_imported("import workbench", runs, 1),
        *_imported("from workbench import Table", runs, None),
    ]


def _draw(folder: Path, cache: Path) -> Child:
    """Draw with this folder as numba's cache, which may be empty."""
    picture = folder / "frontier.svg"
    picture.unlink(missing_ok=True)
    done = child([sys.executable, "-c", DRAW, picture], {"NUMBA_CACHE_DIR": str(cache)})
    assert picture.read_text().count("<path") >= 8, "the picture shows no points"
    return done


def _imported(statement: str, runs: int, seconds: float | None) -> list[Figure]:
    done = [child([sys.executable, "-c", IMPORT % statement]) for _ in range(runs)]
    heavy = json.loads(done[0].printed)
    return [
        _timed(f"`{statement}`, wall less waiting", done, seconds),
        Figure("packages of Altair, Matplotlib and Jupyter that it loads", len(heavy), "", 0, note=", ".join(heavy)),
    ]


def _timed(what: str, done: list[Child], required: float | None) -> Figure:
    least = min(done, key=lambda one: one.wall - one.waiting)
    note = f"wall {least.wall:.2f} s with {least.waiting:.2f} s of waiting for a core; CPU {least.cpu:.2f} s"
    return Figure(what, least.wall - least.waiting, "s", required, note=note)
