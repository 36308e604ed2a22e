"""A privacy model dropped into workbench/models/ is in the pickers, the sweep and the chart; nothing else changes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNFINISHED = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")  # what is compiled comes with its source, once it is whole

MODEL = '''
"""At most half."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.sensitive import Sensitive
from workbench.models import Model, class_shares
from workbench.base.parameters import parameter


@dataclass(frozen=True)
class AtMost(Model):
    certainty: float = parameter(0.5, "the most that may be believed of anybody", low=0, high=1, above=True)
    name = "at most"
    title = "At most half"
    summary = "nobody may be believed to have any value with more than a share of certainty"
    figure = "certainty"

    @property
    def limit(self) -> float:
        return self.certainty

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return class_shares(histogram).max(axis=1)
'''

SCRIPT = """
import json
from widgets import Workbench
from widgets.base.part import Part

told = []
send = Part.send_message
Part.send_message = lambda self, kind, buffers=None, **content: told.append((type(self).__name__, kind, content))
bench = Workbench("adult", keep=False)
offered = {name for name, kind, content in told if '"at most"' in json.dumps(content, default=str)}
bench.recipes.recipes = [{"method": {"name": "mondrian"}, "model": {"name": "at most", "certainty": [0.4, 0.6, 0.8]}}]
bench.card._receive(None, {"kind": "model", "name": "at most", "field": "asked"}, [])
bench.card._receive(None, {"kind": "move", "part": 0, "name": "certainty", "value": 0.45, "field": "0.certainty"}, [])
worst = bench.disclosure.release.classes.distributions("occupation").max()
print(json.dumps({
    "offered": sorted(offered),
    "points": [str(point.recipe.model) for point in bench.frontier.measured if not point.recipe.baseline],
    "drawn": "at most" in json.dumps(bench.chart.altair().to_dict()),
    "moving": str(bench.chart.moving.recipe.model),
    "worst": float(worst),
    "limit": bench.disclosure.model.limit,
}))
"""


@pytest.mark.slow
def test_a_new_model_is_everywhere_at_once(tmp_path):
    for package in ("workbench", "widgets"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=UNFINISHED)
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / "workbench" / "models" / "at_most.py").write_text(MODEL)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert {"RecipePicker", "ReleaseCard"} <= set(found["offered"])
    assert found["points"] == [f"at most, certainty = {share}" for share in (0.4, 0.6, 0.8)]
    assert found["drawn"] and found["moving"] == "at most, certainty = 0.45"
    assert found["worst"] <= 0.45 == found["limit"]
