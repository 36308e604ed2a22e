"""A table without a sensitive column works everywhere: candidates, a release, a report and a dashboard."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import widgets
from tests.commands.people import in_this_process, run
from workbench import Table
from workbench.base.errors import Undefined
from workbench.base.package import DATA
from workbench.base.variants import catalog
from workbench.data import datasets
from workbench.measures import Measure
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.publication.publish import publish
from workbench.publication.report import batch
from workbench.studies.study import Study, chart_axes

MADE_WITHOUT_PARAMETERS = {"query error", "good utility", "workload utility"}
TEXT = """study: Nothing sensitive
data: {path: people.csv}
roles: {quasi: [age, sex, town]}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: [3, 10, 50]}}
measures: [MEASURES]
"""
MEASURES = {
    "none that is defined": "{name: privacy loss}, {name: utility loss}",
    "one side": "{name: privacy loss}, {name: information loss}",
    "both sides": "{name: re-identification risk}, {name: information loss}",
}


def people(count=600):
    """Return people with skewed towns and ages; the old live in Oak."""
    rng = np.random.default_rng(5)
    age = 18 + rng.gamma(2, 14, count).astype(int)
    town = np.where(age + rng.integers(0, 30, count) > 70, "Oak", rng.choice(["Ash", "Elm"], count, p=[0.8, 0.2]))
    return pd.DataFrame({"age": age, "sex": rng.choice(["F", "M"], count, p=[0.3, 0.7]), "town": town})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people().to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batch, "run", in_this_process)
    return tmp_path


@pytest.mark.parametrize("name", catalog("workbench.measures", Measure))
def test_measures_that_need_a_sensitive_column_declare_it(name):
    measure = catalog("workbench.measures", Measure)[name]
    if name in MADE_WITHOUT_PARAMETERS:
        pytest.skip("depends on its parameters")
    release = Mondrian()(Table.from_frame(people(), ["age", "sex", "town"]), KAnonymity(10))
    try:
        measure()(release)
    except Undefined as why:
        assert measure.needs_sensitive == ("no column is declared sensitive" in str(why))
    else:
        assert not measure.needs_sensitive


@pytest.mark.slow
@pytest.mark.parametrize("measures", MEASURES.values(), ids=MEASURES)
def test_commands_report_and_dashboard_work(folder, capsys, measures):
    (folder / "study.yaml").write_text(TEXT.replace("MEASURES", measures))
    out, _ = run(capsys, "check", "study.yaml")
    assert "nothing is sensitive, so charts show R_id and NCP" in out
    found = json.loads(run(capsys, "frontier", "study.yaml", "--cap", "R_id=0.2", "--json")[0])
    efficient = [one for one in found["points"] if one["efficient"]]
    assert len(efficient) >= 2 and all({"R_id", "NCP"} <= set(one["values"]) for one in efficient)
    run(capsys, "anonymize", "study.yaml", "--cap", "R_id=0.2", "-o", "release.csv")
    released = pd.read_csv("release.csv")
    assert len(released) == 600 and released.groupby(["age", "sex", "town"]).size().min() >= 5
    run(capsys, "report", "study.yaml", "-o", "page.html")
    assert "R_id" in (folder / "page-points.csv").read_text()
    publish(Study.open("study.yaml"), folder / "published", warn=lambda text: None)
    assert widgets.Dashboard(folder / "published").published.privacy["key"] == "R_id"


@pytest.mark.slow
def test_init_and_the_workbench_choose_measures_that_are_defined(folder, capsys):
    run(capsys, "init", "people.csv", "--quasi", "age,sex,town")
    proposed = Study.open("people.study.yaml").with_(sensitive=())
    assert chart_axes(proposed) == ("R_id", "NCP")
    bench = widgets.Workbench("people.csv", keep=False)
    bench.session.change(quasi=("age", "sex", "town"))
    bench.wait()
    assert bench.session.study.axes == ("R_id", "NCP") and bench.release is not None
    assert bench.points["R_id"].notna().sum() >= 5
    bench.session.change(quasi=("age", "sex"), sensitive=("town",))
    assert bench.session.study.axes == ("P_loss", "U_loss")


def test_chosen_measures_stay_and_the_chart_shows_others(folder):
    bench = widgets.Workbench(Study(
        data={"path": "people.csv"}, quasi=("age", "sex"), folder=str(folder), axes=("P_loss", "U_loss"),
        recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 20]}},),
        measures=({"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.2}),
    ), keep=False)  # fmt: skip
    bench.wait()
    assert [one["name"] for one in bench.session.study.measures] == ["privacy loss", "utility loss"]
    assert list(bench.chart.axes) == ["R_id", "NCP"] and len(bench.frontier.efficient) == 2


def bundled_and_generated():
    adult = pd.read_csv(DATA / "adult.csv.gz").sample(4_000, random_state=0)
    yield "adult", adult[["age", "workclass", "education", "race", "sex", "occupation", "salary"]], None
    yield "donations", datasets.generate_donations(4_000, 0), ["state", "zip", "employer"]
    yield "visits", datasets.generate_visits(4_000, 0), ["birth_year", "sex", "race", "region"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "frame", "quasi"), bundled_and_generated(), ids=lambda one: one if isinstance(one, str) else ""
)
def test_bundled_and_generated_tables_work_from_init_to_a_report(folder, capsys, name, frame, quasi):
    """Run `init`, an export, a report and a published folder without a sensitive column."""
    frame.to_csv(f"{name}.csv", index=False)
    study = Path(f"{name}.study.yaml")
    run(capsys, "init", f"{name}.csv", "--quasi", ",".join(quasi or frame.columns), "--out", study)
    given = Study.open(study)
    k_anonymity = {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 20, 100]}}
    dropped = (
        *given.dropped,
        *given.sensitive,
        *(c for c in frame if c not in given.quasi and c not in given.identifiers),
    )
    given.with_(sensitive=(), levels={}, dropped=tuple(dict.fromkeys(dropped)), recipes=(k_anonymity,)).save(study)
    run(capsys, "anonymize", study, "--cap", "R_id=0.2", "--out", "release.csv")
    assert len(pd.read_csv("release.csv")) == len(frame)
    run(capsys, "report", study, "--out", "page.html")
    publish(Study.open(study), folder / "published", warn=lambda text: None)
    assert widgets.Dashboard(folder / "published").published.privacy["key"] == "R_id"
