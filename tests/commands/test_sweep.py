"""`workbench sweep` on the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from tests.commands.people import STUDY, error_line, in_this_process, run, study_in
from workbench.base import progress
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import ReidentificationRisk
from workbench.publication.report import batch
from workbench.studies.study import Study


def test_every_candidate_is_computed_once_and_then_loaded(tmp_path, capsys):
    study = study_in(tmp_path)
    out, err = run(capsys, "sweep", study)
    assert out == "People: 7 points, 7 made and 0 from the store; none undefined on some measure\n"
    assert err.count("measured: ") == 7 and "7/7" in err
    assert len(Store(tmp_path / "people.results").keys()) == 7
    out, _ = run(capsys, "sweep", study)
    assert out.startswith("People: 7 points, 0 made and 7 from the store")
    study.write_text(STUDY.replace("12]", "12, 24]"))
    out, _ = run(capsys, "sweep", study, "--json")
    assert json.loads(out) == {"study": "People", "points": 8, "made": 1, "from_store": 7, "undefined": []}


def test_a_long_sweep_reports_the_remaining_time(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "EARLIEST", 0.0)
    err = run(capsys, "sweep", study_in(tmp_path))[1]
    assert err.count(" left; measured: ") == 6 and "1/7 about " in err, "no remaining time at the end"


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_the_points_are_those_of_the_engine_and_reproducible(tmp_path, capsys, ending):
    study, files = study_in(tmp_path), [tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"]
    for file in files:
        _, err = run(capsys, "sweep", study, "--out", file)
        assert str(file) in err
    assert files[0].read_bytes() == files[1].read_bytes()
    asked = Study.open(study)
    points = sweep(asked.table(asked.read()), asked.candidates(), asked.measured()).measured
    if ending == "json":
        found = json.loads(files[0].read_text())
        assert [one["values"] for one in found["points"]] == [dict(point.values) for point in points]
        assert [one["number"] for one in found["points"]] == list(range(1, 8))
    else:
        found = pd.read_csv(files[0])
        assert found["P_loss"].tolist() == [point.values["P_loss"] for point in points]
        assert found["recipe"].tolist() == [str(point.recipe) for point in points]


def test_undefined_figures_are_reported_with_reasons(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("k: [3, 6, 12]", "k: [3, 1000]").replace("t: [0.1, 0.3]", "t: 0.3"))
    out, _ = run(capsys, "sweep", study)
    assert "1 undefined on some measure\n  k-anonymity, k = 1000 (mondrian): P_loss, U_loss(min_support=0.1), " in out
    assert "R_id undefined: no release of this table can satisfy" in out
    (undefined,) = json.loads(run(capsys, "sweep", study, "--json")[0])["undefined"]
    assert list(undefined["reasons"].values()) == [["P_loss", "U_loss(min_support=0.1)", "R_id"]]


def test_an_unexpected_exception_in_a_measure_is_named_at_the_end(tmp_path, capsys, monkeypatch):
    def fail(*_):
        raise OverflowError("Ann, 31, flu")

    monkeypatch.setattr(ReidentificationRisk, "measure", fail)
    out, err = run(capsys, "sweep", study_in(tmp_path))
    assert "note: R_id is undefined for 7 points because of an unexpected OverflowError; please report it\n" in err
    assert "R_id undefined: an unexpected OverflowError in " in out and "Ann" not in out + err
    assert "7 made" in run(capsys, "sweep", tmp_path / "people.yaml")[0], "failed measures are retried"


@pytest.mark.parametrize(
    "out, words",
    [("points.txt", "must end in .csv or .json"), ("nowhere/a.csv", "does not exist"), ("f.csv", "folder")],
)
def test_an_invalid_place_is_reported_before_any_work(tmp_path, capsys, out, words):
    (tmp_path / "f.csv").mkdir()
    assert words in error_line(capsys, "sweep", study_in(tmp_path), "--out", tmp_path / out)
    assert not (tmp_path / "people.results").exists()


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("people.csv", "none.csv", "not an existing file"),
        ("name: privacy loss", "name: privacy los", "privacy los"),
        ("[age, work]", "[age, wrk]", "wrk"),
        ("k-anonymity", "k-anonimity", "k-anonimity"),
    ],
)
def test_an_invalid_study_is_an_error_in_one_line_and_leaves_nothing(tmp_path, capsys, old, new, words):
    study = study_in(tmp_path, STUDY.replace(old, new))
    assert words in error_line(capsys, "sweep", study)
    assert sorted(os.listdir(tmp_path)) == ["people.csv", "people.yaml"]
    assert "is not a study" in error_line(capsys, "sweep", tmp_path / "people.csv")


@pytest.mark.slow
def test_an_interrupt_keeps_finished_points(tmp_path):
    study = study_in(tmp_path, STUDY.replace("[3, 6, 12]", str(list(range(2, 120)))))
    command = [sys.executable, "-m", "workbench.commands.main", "sweep", study]
    everything = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=everything)
    first = process.stderr.readline()
    assert first.startswith("1/")
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    kept = len(Store(tmp_path / "people.results").keys())
    if process.returncode == 0:  # the sweep ended first
        assert kept == 122
        return
    assert process.returncode == 130 and out == "" and "Traceback" not in err, (out, err, time.monotonic() - began)
    assert f"note: stopped; {kept} new points are stored in" in err and 0 < kept < 122


def test_points_are_stored_in_a_given_folder(tmp_path, capsys, monkeypatch):
    """A study in a read-only folder can be swept this way."""
    monkeypatch.setattr(batch, "run", in_this_process)
    (tmp_path / "archive").mkdir()
    study, store = study_in(tmp_path / "archive"), tmp_path / "mine"
    before = sorted(path.name for path in study.parent.iterdir())
    run(capsys, "sweep", study, "--store", store)
    assert any(store.iterdir())
    out, _ = run(capsys, "sweep", study, "--store", store)
    assert "0 made" in out
    run(capsys, "frontier", study, "--store", store)
    run(capsys, "anonymize", study, "--recipe", "1", "--store", store, "-o", tmp_path / "release.csv")
    run(capsys, "query", study, "age >= 40", "--recipe", "1", "--store", store)
    run(capsys, "report", study, "--store", store, "-o", tmp_path / "page.html")
    run(capsys, "dashboard", "--publish", study, tmp_path / "published", "--store", store)
    assert sorted(path.name for path in study.parent.iterdir()) == before
