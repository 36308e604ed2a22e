"""New kinds of release, in one file, go through sweep, chart, disclosure, publishing and report without a change."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNFINISHED = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")  # what is compiled comes with its source, once it is whole

SCRIPT = """
import json, sys, warnings
import numpy as np, pandas as pd
from workbench import Store, Undefined, disclosure_table, sweep
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.reporting import Report
from workbench.studies.study import Study

warnings.simplefilter("ignore")
rng = np.random.default_rng(3)
rank = rng.beta(1, 2, 900)
city = rng.choice(list("abcde"), 900, p=[.4, .1, .3, .1, .1])
frame = pd.DataFrame({"age": 20 + (rank * 12).astype(int), "city": city})
frame["ill"] = np.array(["cold", "flu", "none"])[(np.clip(rank + rng.normal(0, .2, 900), 0, .99) * 3).astype(int)]
study = Study.from_dict({
    "study": "toys", "data": {"given": "toys"}, "roles": {"quasi": ["age", "city"], "sensitive": ["ill"]},
    "recipes": [
        {"method": {"name": "perturb", "keep": [0.1, 0.4]}},
        {"method": {"name": "cluster", "size": [40, 150]}, "model": {"name": "k-anonymity", "k": 10}},
    ],
    "measures": [{"name": "adversary's knowledge gain"}, {"name": "utility loss"}, {"name": "privacy loss"}],
    "axes": ["A_know", "U_loss"],
})
table = study.table(study.read(frame))
store = Store(sys.argv[1] + "/points")
frontier = sweep(table, study.candidates(), study.measured(), store)
chart = frontier.on(*study.axes).chart().to_dict()
perturbed, clustered = ([p for p in frontier.measured if p.recipe.method.name == one] for one in ("perturb", "cluster"))
noisy, sets = perturbed[0].recipe.release(table), clustered[0].recipe.release(table)
try:
    disclosure_table(noisy)
    reason = ""
except Undefined as why:
    reason = str(why)
read = Published(publish(study, sys.argv[1] + "/out", given=frame, releases="all"))
Report(read).write(sys.argv[1] + "/report")
print(json.dumps({
    "values": {str(p.recipe): sorted(p.values) for p in perturbed + clustered},
    "drawn": sorted({row["recipe"] for row in chart["datasets"]["points"] if not row["baseline"]}),
    "reason": reason,
    "labels": sorted(set(disclosure_table(sets)["city"])),
    "titles": {p["recipe"]: p["title"] for p in read.points},
    "opened": [p["recipe"] for p in read.points if p["opened"]],
    "files": len(list((read.folder / "points").glob("*/*.csv"))),
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    place = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "workbench", place / "workbench", ignore=UNFINISHED)
    shutil.copytree(ROOT / "data", place / "data")
    shutil.copy(ROOT / "tests" / "releases" / "toys.py", place / "workbench" / "methods" / "toys.py")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(place)], cwd=place, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(place)},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


PERTURBED = ["perturb, keep = 0.1", "perturb, keep = 0.4"]
CLUSTERED = [f"k-anonymity, k = 10 (cluster, size = {size})" for size in (40, 150)]


@pytest.mark.slow
def test_they_are_measured_and_drawn(found):
    assert found["values"] == {recipe: ["A_know", "P_loss", "U_loss"] for recipe in [*PERTURBED, *CLUSTERED]}
    assert found["drawn"] == sorted([*PERTURBED, *CLUSTERED])


@pytest.mark.slow
def test_what_one_cannot_answer_has_a_reason(found):
    assert "no classes" in found["reason"]
    assert any("," in label and label.startswith("{") for label in found["labels"])


def test_they_are_published_with_what_their_method_promises(found):
    assert "no more than chance in 90%" in found["titles"][PERTURBED[0]]
    assert set(PERTURBED) & set(found["opened"]) and found["files"] >= 1
