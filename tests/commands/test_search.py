"""`workbench search` on the command line."""

import json
import re

import pytest
import yaml

from tests.commands.people import STUDY, error_line, run, study_in
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.studies.study import Study

FEW = ("--budget", "12 evaluations")
MORE = ("--budget", "40 evaluations")


def test_the_best_point_under_a_cap_is_printed_with_its_line_for_the_study(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # the table is as wide as necessary
    study = study_in(tmp_path)
    out, err = run(capsys, "search", study, "--cap", "P_loss=0.2", *FEW)
    first, best, line, *notes = out.splitlines()
    assert first.startswith("12 points, ") and best.startswith("recommended under the caps: t-closeness, t = ")
    assert notes[-1] == "It stopped after 12 evaluations: the budget of 12 evaluations is used."
    assert err.count("measured: ") == 12
    written = yaml.safe_load(line.removeprefix("  in the study: "))
    study.write_text(study.read_text().replace("recipes:\n", f"recipes:\n- {json.dumps(written[0])}\n"))
    out, _ = run(capsys, "frontier", study, "--cap", "P_loss=0.2")
    assert re.search(r"1 .*raked buckets", out), "the study contains it now"


def test_points_are_stored_next_to_the_study_and_reused(tmp_path, capsys):
    study = study_in(tmp_path)
    out, _ = run(capsys, "search", study, *FEW)
    keys = Store(tmp_path / "people.results").keys()
    assert len(keys) == 12
    assert run(capsys, "search", study, *FEW)[0] == out, "reproducible"
    assert Store(tmp_path / "people.results").keys() == keys
    asked = Study.open(study)
    data, recipe = asked.table(asked.read()), asked.candidates()[0]
    assert sweep(data, [recipe], asked.measured(), Store(tmp_path / "people.results")).measured[0].key not in keys


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_all_points_are_written_to_a_file_and_as_json(tmp_path, capsys, ending):
    study, file = study_in(tmp_path), tmp_path / f"points.{ending}"
    out, err = run(capsys, "search", study, "--json", "--out", file, *FEW, "--family", "k-anonymity (mondrian)")
    found = json.loads(out)
    assert found["caps"] == {"P_loss": 0.5} and str(file) in err
    best = next(one for one in found["points"] if one["recipe"] == found["recommended"]["recipe"])
    allowed = [
        one["values"]
        for one in found["points"]
        if not one["baseline"] and not one["against"] and one["values"]["P_loss"] <= 0.5
    ]
    assert best["values"]["U_loss(min_support=0.1)"] == min(one["U_loss(min_support=0.1)"] for one in allowed)
    assert {one["line"] for one in found["points"] if not one["baseline"]} == {"k-anonymity (mondrian)"}
    assert len(found["points"]) == (len(file.read_text().splitlines()) - 1 if ending == "csv" else 12)


def test_the_goal_refers_to_the_axes_of_the_study(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("caps: {P_loss: 0.5}", "axes: [R_id, U_loss(min_support=0.1)]"))
    found = json.loads(run(capsys, "search", study, "--json", "--cap", "R_id=0.1", "--budget", "30 evaluations")[0])
    assert found["axes"]["privacy"] == "R_id"
    best = next(one for one in found["points"] if one["recipe"] == found["recommended"]["recipe"])
    assert best["values"]["R_id"] <= 0.1


def test_the_efficient_points_are_printed_without_a_cap_and_a_reason_if_none_satisfies_it(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("caps: {P_loss: 0.5}\n", ""))
    out, _ = run(capsys, "search", study, *FEW)
    assert out.count("  in the study: ") > 1 and "recommended" not in out
    family = ("--family", "k-anonymity, k=3 (mondrian)")
    out, err = run(capsys, "search", study, "--cap", "R_id=0.001", *FEW, *family, code=2)
    assert "nothing is recommended: no point has R_id at most 0.001; the lowest R_id is " in out
    assert "The nearest candidate is k-anonymity, k = " in out and "note: nothing is recommended" in err


def test_candidates_of_the_study_are_included_with_their_numbers(tmp_path, capsys):
    study = study_in(tmp_path)
    run(capsys, "sweep", study)
    out, _ = run(capsys, "search", study, "--budget", "2 evaluations", "--json")  # only the baselines
    found, shown = json.loads(out), json.loads(run(capsys, "frontier", study, "--json")[0])
    assert [one["number"] for one in found["points"]] == list(range(1, 8))
    assert found["recommended"] == {"number": 4, "recipe": shown["points"][3]["recipe"]}
    assert shown["recommended"] == 4 and found["points"][3]["values"] == shown["points"][3]["values"]
    out, _ = run(
        capsys, "search", study, "--budget", "3 evaluations", "--family", "k-anonymity, k=9 (mondrian)", "--json"
    )
    new = [one for one in json.loads(out)["points"] if one["number"] is None]
    assert len(new) == 1, "a point that the study does not have has no number"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("--cap", "P_los=0.1"), "P_los"),
        (("--budget", "soon"), "use seconds"),
        (("--family", "mondrian"), "not a method and a single model"),
        (("--out", "points.txt"), ".csv or .json"),
    ],
)
def test_errors_are_reported_before_any_work(tmp_path, capsys, typed, words):
    assert words in error_line(capsys, "search", study_in(tmp_path), *typed)
    assert not list(tmp_path.glob("people.results/*"))


@pytest.mark.slow
def test_the_reason_for_an_omitted_family_uses_the_terms_of_a_study(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("people.csv", "people.csv, engine: duckdb"))
    found = json.loads(run(capsys, "search", study, "--json", *MORE)[0])
    assert "engine: memory under data" in str(found["notes"]) and "engine='memory'" not in str(found["notes"])
    out, _ = run(capsys, "search", study, *MORE)
    assert "engine: memory under data" in out and "engine='memory'" not in out
