"""Studies come to the same figures as before: the ready ones, and two hundred small ones at random.

`python -m tests.project.test_same_figures` writes the record again, after a decision to change figures.
"""

import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.studies import KINDS, random_frame, random_study
from workbench import Undefined, sweep
from workbench.frontier.store import SECRET
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.reporting import Report
from workbench.studies.study import Study

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "records" / "figures.json"
READY = ("li_li_2009", "brickell_shmatikov_2008_marital", "brickell_shmatikov_2008_occupation")
SMALL = 200
TOLD = ("recipe", "values", "efficient", "baseline")  # parts of a published point; texts may change


def digits(value):
    """Round a value enough to be independent of the processor, but not of a change."""
    return float(f"{value:.12g}") if math.isfinite(value) else str(value)


def value_or_none(compute):
    try:
        return compute()
    except Undefined:
        return None


def figures(study, given=None, store=None):
    """The losses of every point, which of them are efficient, the knee and the area."""
    frontier = sweep(study.table(study.read(given)), study.candidates(), study.measured(), store, threads=1)
    points = {
        str(point.recipe): [bool(best), {key: digits(value) for key, value in point.values.items()}]
        for point, best in zip(frontier.measured, frontier.is_efficient(), strict=True)
    }
    return {
        "points": points,
        "knee": value_or_none(lambda: str(frontier.knee.recipe)),
        "area": value_or_none(lambda: digits(frontier.area)),
    }


def ready(name):
    """A ready study's figures, those of its points.json, and its page."""
    study = Study.open(ROOT / "data" / "studies" / f"{name}.yaml")
    with tempfile.TemporaryDirectory() as place:
        (store := Path(place) / "points").mkdir(mode=0o700)
        (store / SECRET).write_bytes(bytes(32))  # by which published counts are rounded
        found, out = figures(study, store=store), Path(place) / "out"
        made = publish(study, out, store=store, releases=False, warn=lambda text: None)
        report = Report(Published(made))
        told, page = report.points, report.write(Path(place) / "report")[-1].read_text("utf-8")
    points = [{key: point[key] for key in TOLD} for point in told["points"]]
    return found | {"told": {"points": points, "cap": told["cap"], "recommended": told["recommended"]}}, page


def small(seed):
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    study, frame = random_study(kind, rng), random_frame(kind, rng)
    exact = dict.fromkeys(study.quasi, "exact")  # as recorded; tests/data/test_published.py checks the other regions
    return figures(study.with_(regions=exact), frame)


@pytest.fixture(scope="module")
def record():
    return json.loads(RECORD.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", READY)
def test_a_ready_study_has_the_figures_that_it_had(name, record):
    found, page = ready(name)
    assert json.loads(json.dumps(found)) == record[name]
    assert "Proposed is the release" in page and "<svg" in page


@pytest.mark.slow
def test_small_studies_have_the_figures_that_they_had(record):
    assert [seed for seed in range(SMALL) if json.loads(json.dumps(small(seed))) != record["small"][seed]] == []


if __name__ == "__main__":
    found = {name: ready(name)[0] for name in READY} | {"small": [small(seed) for seed in range(SMALL)]}
    RECORD.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
