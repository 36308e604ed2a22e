"""`workbench frontier` on the command line."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.commands.people import STUDY, error_line, run, study_in
from workbench.base.figures import format_number
from workbench.frontier.decision import decide
from workbench.frontier.sweep import sweep
from workbench.studies.script import python_code
from workbench.studies.study import Study


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    """Make the output as wide as necessary, whatever terminal runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def study(tmp_path):
    return study_in(tmp_path)


def frontier_of(study):
    asked = Study.open(study)
    return sweep(asked.table(asked.read()), asked.candidates(), asked.measured())


def rows(out):
    """Return the number, recipe and marks of each line of the table."""
    found = re.findall(
        r"^ *(\d+)  (.*?\)|keep|remove)  +[\d.e-]+ +[\d.e-]+ +[\d.e-]+ +(?:under )?[\d.]+ %(?:  +([a-z].*))?$",
        out,
        re.MULTILINE,
    )
    return {int(number): (recipe, marks) for number, recipe, marks in found}


def test_the_table_has_the_efficient_points(study, capsys):
    out, _ = run(capsys, "frontier", study)
    whole = frontier_of(study)
    efficient = {i + 1: str(whole.measured[i].recipe) for i in whole.efficient.index}
    assert {number: recipe for number, (recipe, _) in rows(out).items()} == efficient
    found = rows(out)
    assert {number for number, (_, marks) in found.items() if "not recommended" in marks} == {1, 3, 5}
    assert [number for number, (_, marks) in found.items() if marks.split(", ")[0] == "recommended"] == [4], (
        "without objections"
    )
    assert {number for number, (_, marks) in found.items() if "small classes possible" in marks} >= {1, 4, 5}
    assert "small classes possible: classes of fewer than 5 records are possible: its model allows them" in out
    words = "recommended: the least U_loss(min_support=0.1) with P_loss at most 0.5; 4 better ones are not recommended"
    assert words in out and "not recommended: 3: the disease of some may be nearly certain" in out
    assert re.search(r"^share of removal: .* publishing no quasi-identifiers \(remove\)$", out, re.MULTILINE)
    assert "P_loss: privacy loss, lower is better" in out and "\x1b" not in out


def test_the_re_identification_risk_is_next_to_the_privacy_loss(study, capsys):
    out, _ = run(capsys, "frontier", study)
    assert (
        re.search(r"^#  recipe +P_loss +R_id +U_loss +share of removal$", out, re.MULTILINE)
        and "R_id: re-identification risk" in out
    )
    point = frontier_of(study).measured[0]
    line = next(line for line in out.splitlines() if line.startswith("1  "))
    assert all(f"{format_number(point.values[key])} " in line for key in ("P_loss", "R_id"))


def test_the_option_all_names_the_dominator_of_each_point(study, capsys):
    found = rows(run(capsys, "frontier", study, "--all")[0])
    assert set(found) == set(range(1, 8))
    assert {recipe for recipe, marks in found.values() if marks == "baseline"} == {"keep", "remove"}
    whole = frontier_of(study)
    for number, (_recipe, marks) in found.items():
        point = whole.measured[number - 1]
        if not point.recipe.baseline:
            beaten = [whole.measured.index(one) + 1 for one in whole.dominators(point) if one in whole.measured]
            assert ("dominated by" in marks) == bool(beaten)
            named = re.search(r"dominated by ([\d, ]+)", marks)
            assert not named or {int(n) for n in named[1].split(",")} <= set(beaten)


def test_json_output_is_complete_and_reproducible(study, capsys):
    texts = [run(capsys, "frontier", study, "--json")[0] for _ in range(2)]
    assert texts[0] == texts[1]
    found, whole = json.loads(texts[0]), frontier_of(study)
    assert found["study"] == "People" and found["axes"] == {"privacy": "P_loss", "utility": "U_loss(min_support=0.1)"}
    assert found["efficient"] == [i + 1 for i in whole.efficient.index]
    assert [one["values"] for one in found["points"]] == [dict(point.values) for point in whole.measured]
    assert found["recommended"] == decide(whole, {"P_loss": 0.5}).recommended == 4 and found["nearest"] is None
    assert [one["number"] for one in found["points"]] == list(range(1, 8))
    whole_cost = found["points"][6]["values"]["U_loss(min_support=0.1)"]  # of removing all quasi-identifiers
    for one in found["points"]:
        assert one["share_of_removal"] == one["values"]["U_loss(min_support=0.1)"] / whole_cost
    assert found["points"][found["knee"] - 1]["recipe"] == str(whole.knee.recipe)
    assert found["area"] == whole.area and found["caps"] == {"P_loss": 0.5} and found["reasons"] == {}
    for one, point in zip(found["points"], whole.measured, strict=True):
        assert bool(one["dominated_by"]) == (not one["baseline"] and bool(whole.dominators(point)))


def test_axes_and_caps_can_be_chosen(study, capsys):
    found = json.loads(run(capsys, "frontier", study, "--privacy", "R_id", "--cap", "R_id=0.2", "--json")[0])
    assert found["axes"]["privacy"] == "R_id" and found["caps"] == {"R_id": 0.2}


def test_the_nearest_candidate_is_named_with_status_2_if_none_satisfies_the_cap(study, capsys):
    out, err = run(capsys, "frontier", study, "--cap", "R_id=0.001", code=2)
    assert "nothing is recommended: no point has R_id at most 0.001" in out and "nearest" in rows(out)[4][1].split(", ")
    assert "The nearest candidate is number 4, t-closeness, t = 0.1, distance = js (mondrian): R_id 0.00834." in out
    assert "note: nothing is recommended: no point has R_id at most 0.001" in err
    found = json.loads(run(capsys, "frontier", study, "--cap", "R_id=0.001", "--json", code=2)[0])
    assert found["recommended"] is None and found["nearest"] == 4
    assert "no point has" in found["reasons"]["recommended"]


def test_a_candidate_without_objections_is_suggested_without_a_cap(study, tmp_path, capsys):
    free = tmp_path / "free.yaml"
    Study.open(study).with_(caps={}).save(free)
    out, _ = run(capsys, "frontier", free)
    assert (
        "suggested: no limit is set" in out and "suggested" in rows(out)[4][1].split(", ") and "knee" in rows(out)[3][1]
    )
    assert json.loads(run(capsys, "frontier", free, "--json")[0])["recommended"] == 4


def test_the_recommended_point_is_shown_although_dominated_on_the_axes(study, capsys):
    out, _ = run(capsys, "frontier", study, "--cap", "R_id=0.03")
    whole = frontier_of(study)
    number = decide(whole, {"R_id": 0.03}).recommended
    assert rows(out)[number][0] == str(whole.measured[number - 1].recipe) and "R_id: re-identification" in out


def test_undefined_points_are_counted_and_explained(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("12]", "1000]"))
    assert "1 not in the frontier: undefined on an axis (--all shows the reasons)" in run(capsys, "frontier", study)[0]
    assert "3 is not in the frontier: P_loss, U_loss" in run(capsys, "frontier", study, "--all")[0]
    (undefined,) = json.loads(run(capsys, "frontier", study, "--json")[0])["undefined"]
    assert undefined["number"] == 3


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--cap", "P_loss"], "--cap P_loss: write a measure and a number"),
        (["--cap", "P_loss=much"], "write a measure and a number"),
        (["--cap", "P_loss=nan"], "write a measure and a number"),
        (["--cap", "P_los=1"], "not measured with 'P_los'"),
        (["--privacy", "U_loss(min_support=0.1)"], "is not a measure of privacy"),
        (["--utility", "none"], "not measured with 'none'"),
    ],
)
def test_errors_are_reported_before_any_work(study, tmp_path, capsys, arguments, words):
    assert words in error_line(capsys, "frontier", study, *arguments)
    assert not (tmp_path / "people.results").exists()


@pytest.mark.parametrize("width", [50, 60, 80, 200])
def test_the_table_fits_the_terminal(study, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out, _ = run(capsys, "frontier", study, "--all")
    assert max(map(len, out.splitlines())) <= width
    assert "".join(out.split()).count("(mondrian)") == 5  # wrapped, not cut


def test_figures_of_a_sample_have_intervals_in_every_output(tmp_path, capsys):
    path = study_in(tmp_path, STUDY.replace("{path: people.csv}", "{path: people.csv, sample: 60}"))
    out, err = run(capsys, "frontier", path)
    assert "Figures are of releases of a random sample of 60 of 120 records" in out
    assert re.search(r"\d \(0?\.\d+ to 0?\.\d+\)", out)
    assert "note: what follows is about a random sample of 60 of 120 records" in err
    asked = Study.open(path)
    asked.with_(intervals={}).save(path)
    assert asked.intervals == {"over": "records"} and Study.open(path).intervals == {}, (
        "the study requests no intervals"
    )
    found = json.loads(run(capsys, "frontier", path, "--json")[0])
    assert not any("intervals" in point for point in found["points"]) and "60 of 120" in found["sample"]
    release = tmp_path / "release.csv"
    _, err = run(capsys, "anonymize", path, "--recipe", "2", "-o", release)
    assert "Tell recipients: it is of a random sample of 60 of 120 records." in err
    assert len(release.read_text().splitlines()) == 61
    assert "sample=60" in python_code(asked, asked.candidates()[0])


def test_intervals_are_in_the_table_and_invalid_ones_refused_before_any_work(study, capsys):
    assert "'records', 'seeds' or 'learning'" in error_line(capsys, "frontier", study, "--intervals", "people")
    assert "from 2 to" in error_line(capsys, "frontier", study, "--intervals", "seeds", "--times", "1")
    assert "--intervals records" in error_line(capsys, "frontier", study, "--times", "9")
    assert "leave out --times" in error_line(capsys, "frontier", study, "--intervals", "learning", "--times", "9")
    assert not (study.parent / f"{study.stem}.results").exists()
    out, err = run(capsys, "frontier", study, "--intervals", "records", "--times", "3", "--json")
    assert (
        "note: in brackets: the range of a figure in other samples of the same size, estimated from 3 resamples" in err
    )
    found = json.loads(out)
    made = [point for point in found["points"] if not point["baseline"]]
    assert made and all(
        low <= point["values"][key] <= high for point in made for key, (low, high) in point["intervals"].items()
    )
    assert any(point["intervals"] for point in made)


def test_a_study_may_request_intervals(study, capsys):
    asked = study.with_name("asked.yaml")
    asked.write_text(study.read_text() + "intervals: {over: records, times: 3}\n")
    found = json.loads(run(capsys, "frontier", asked, "--json")[0])
    assert any("U_loss(min_support=0.1)" in point["intervals"] for point in found["points"])
    run(capsys, "sweep", asked, "--out", study.parent / "points.csv")
    points = pd.read_csv(study.parent / "points.csv")
    low, value, high = (points[f"P_loss{end}"] for end in (" low", "", " high"))
    assert (low <= value).all() and (value <= high).all() and (low < high).any()


@pytest.mark.slow
@pytest.mark.parametrize("plain", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_color_is_used_only_on_a_terminal(study, plain):
    """Use a real terminal, since only that is recognized as one."""
    ours, theirs = pty.openpty()
    everything = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[2]), **plain}
    for name in ("NO_COLOR", "COLUMNS"):
        if name not in plain:
            everything.pop(name, None)
    command = [sys.executable, "-m", "workbench.commands.main", "frontier", study]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=everything)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(60) == 0 and b"recommended" in seen
    assert (b"\x1b[32m" in seen) == (not plain)


def test_the_reason_for_an_omitted_point_uses_the_terms_of_a_study(tmp_path, capsys):
    text = STUDY.replace("people.csv", "people.csv, engine: duckdb").replace("re-identification risk", "linkability")
    study = study_in(tmp_path, text)
    out, _ = run(capsys, "frontier", study, "--privacy", "R_link", "--all", "--cap", "R_link=1", code=2)
    assert "1 is not in the frontier: " in out and "engine: memory under data" in out and "engine='memory'" not in out
    out, _ = run(capsys, "sweep", study)
    assert "R_link undefined: people are attacked record by record" in out and "engine='memory'" not in out
