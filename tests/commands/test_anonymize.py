"""`workbench anonymize` on the command line writes the requested releases or nothing."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.commands.people import STUDY, error_line, pipe_input, run, study_in
from tests.methods.raking.tables import people_with_values
from workbench.base.errors import BadInput
from workbench.models.k_anonymity import KAnonymity
from workbench.releases import base, export
from workbench.releases.side_information import refuse_giveaways
from workbench.studies.study import Study

ROLES = ["--quasi", "age,work", "--sensitive", "disease"]


@pytest.fixture
def study(tmp_path):
    return study_in(tmp_path)


def files(folder):
    return sorted(name for name in os.listdir(folder) if not name.startswith("people"))


def smallest(frame):
    return frame.groupby(["age", "work"]).size().min()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("recipe", ["2", "#2", "k-anonymity, k=6", "k-anonymity, k = 6 (mondrian)", "K-anonymity,k=6"])
def test_one_recipe_is_written_to_a_file(study, tmp_path, capsys, recipe, ending):
    out = tmp_path / f"out.{ending}"
    said, err = run(capsys, "anonymize", study, "--recipe", recipe, "-o", out)
    back = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    assert len(back) == 120 and smallest(back) >= 6 and list(back) == ["age", "work", "disease"]
    assert said == "" and "k-anonymity, k = 6 holds: k = " in err and f"Written: {out}" in err
    asked = Study.open(study)
    table = asked.table(asked.read())
    assert smallest(back) == asked.candidates()[1].release(table).audit(KAnonymity(6)).achieved[0][1]
    assert not (tmp_path / "people.results").exists()  # one recipe is not a sweep


@pytest.mark.slow
def test_every_recipe_that_the_frontier_prints_is_accepted(study, tmp_path, capsys):
    points = json.loads(run(capsys, "frontier", study, "--json")[0])["points"]
    for point in points:
        for spelled in (point["recipe"], point["number"]):
            asked = ["--recipe", spelled, "-o", tmp_path / "o.csv", "--force", "--json", "--raw"]
            out, _ = run(capsys, "anonymize", study, *asked)
            found = json.loads(out)
            assert found["recipe"] == point["recipe"] and found["settings"] == point["settings"]
            assert found["audit"] is None or found["audit"]["holds"]


def test_what_the_method_reports_about_a_release_is_printed(tmp_path, capsys):
    """Raked buckets of 718 records with 312 values lose more than plain ones."""
    people_with_values(312, 718, 5).to_csv(tmp_path / "ill.csv", index=False)
    roles = ["--quasi", "age,town,sex", "--sensitive", "illness"]
    asked = ["--method", "raked buckets", "--model", "t-closeness, t=0.1, distance=js", "-o", tmp_path / "out.csv"]
    _, err = run(capsys, "anonymize", tmp_path / "ill.csv", *roles, *asked)
    assert "Note: plain buckets (Mondrian, median cuts) are published in place of raked ones" in err
    assert "exchanged between records" not in err
    found = json.loads(run(capsys, "anonymize", tmp_path / "ill.csv", *roles, *asked, "--force", "--json")[0])
    assert len(found["notices"]) == 1 and found["notices"][0] in err


def test_the_recommended_release_under_the_caps_is_written(study, tmp_path, capsys):
    shown = json.loads(run(capsys, "frontier", study, "--json")[0])
    recipe = shown["points"][shown["recommended"] - 1]["recipe"]
    _, err = run(capsys, "anonymize", study, "-o", tmp_path / "one.csv")
    assert f"note: recommended under P_loss=0.5 is number {shown['recommended']}, {recipe}" in err
    assert "not recommended" not in err
    found = json.loads(run(capsys, "anonymize", study, "--cap", "R_id=0.05", "-o", tmp_path / "two.csv", "--json")[0])
    back = pd.read_csv(tmp_path / "two.csv")
    names = ["two.csv", "two-codebook.csv", "two-codebook.json"]
    assert smallest(back) >= 20 and found["records"] == len(back) == 120 and found["not_recommended"] == []
    assert found["files"] == [str(tmp_path / name) for name in names]
    said = error_line(capsys, "anonymize", study, "--cap", "R_id=0.001", "-o", tmp_path / "three.csv")
    assert "no point has R_id at most 0.001" in said and "The nearest candidate is number 4, t-closeness" in said
    assert not (tmp_path / "three.csv").exists()


def test_nothing_is_written_if_every_release_within_the_cap_has_objections(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("t: [0.1, 0.3]", "t: [0.3]"))
    said = error_line(capsys, "anonymize", study, "--cap", "P_loss=0.2", "-o", tmp_path / "out.csv")
    assert "the only candidate within the caps is not recommended: number 3, k-anonymity, k = 12 (mondrian)" in said
    assert "the disease of some may be nearly certain" in said and not (tmp_path / "out.csv").exists()


def test_a_release_that_is_not_recommended_is_written_with_a_warning(study, tmp_path, capsys):
    _, err = run(capsys, "anonymize", study, "--recipe", "1", "-o", tmp_path / "one.csv")
    warning = next(line for line in err.splitlines() if "is not recommended" in line)
    assert "can be inferred with certainty" in warning and "in a group of fewer than 5" in warning
    tight = tmp_path / "tight.yaml"
    tight.write_text(study.read_text().replace("caps: {P_loss: 0.5}", "caps: {P_loss: 0.15}"))
    asked = ("anonymize", tight, "--recipe", "3", "-o", tmp_path / "three.csv", "--json")
    out, err = run(capsys, *asked)
    first, *_ = json.loads(out)["not_recommended"]
    assert first == "its P_loss is 0.179, above the cap of 0.15" and first in err and (tmp_path / "three.csv").exists()
    _, err = run(capsys, "anonymize", study, "--recipe", "4", "-o", tmp_path / "four.csv")
    assert "not recommended" not in err


@pytest.mark.parametrize("recipe", ["6", "keep", "mondrian", "mondrian, publish=bucketized"])
def test_raw_quasi_identifiers_are_written_only_with_an_option(study, tmp_path, capsys, recipe):
    out = tmp_path / "out.csv"
    said = error_line(capsys, "anonymize", study, "--recipe", recipe, "-o", out)
    assert "publishes age and work unchanged" in said and "use --raw" in said and not out.exists()
    run(capsys, "anonymize", study, "--recipe", recipe, "-o", out, "--raw")
    assert list(tmp_path.glob("out*.csv"))


def test_a_recipe_that_is_not_a_candidate_is_accepted(study, tmp_path, capsys):
    asked = "k-anonymity, k=9 & t-closeness, t=0.5, distance=js"
    _, err = run(capsys, "anonymize", study, "--recipe", asked, "-o", tmp_path / "o.csv")
    assert "is not a candidate of the study, and was not measured" in err
    assert smallest(pd.read_csv(tmp_path / "o.csv")) >= 9


def test_each_run_draws_a_new_order(study, tmp_path, capsys):
    texts = []
    for name in ("a.csv", "b.csv"):
        run(capsys, "anonymize", study, "--recipe", "1", "-o", tmp_path / name)
        texts.append((tmp_path / name).read_text().splitlines())
    assert texts[0] != texts[1] and sorted(texts[0]) == sorted(texts[1])


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--recipe", "8"], "the study has recipes 1 to 7"),
        (["--recipe", "0"], "recipes 1 to 7"),
        (["--recipe", "k-anonimity, k=6"], "did you mean 'k-anonymity'?"),
        (["--recipe", "k-anonymity, k=600"], "no release of this table can satisfy"),
        (["--recipe", "1", "--cap", "P_loss=1"], "leave out --cap"),
        (["--recipe", "1", "--quasi", "age"], "leave out --quasi"),
        (["--cap", "P_los=1"], "not measured with 'P_los'"),
        (["--cap", "P_loss=x"], "write a measure and a number"),
    ],
)
def test_errors_are_reported_and_nothing_is_written(study, tmp_path, capsys, arguments, words):
    assert words in error_line(capsys, "anonymize", study, *arguments, "-o", tmp_path / "out.csv")
    assert files(tmp_path) == []


def test_several_recipes_with_one_name_need_a_number(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("t: [0.1, 0.3]", "t: [0.3000001, 0.3]"))
    text = error_line(
        capsys, "anonymize", study, "--recipe", "t-closeness, t = 0.3, distance = js (mondrian)", "-o", "x.csv"
    )
    assert "use a number: 4 (" in text and "5 (" in text
    both = study_in(tmp_path, STUDY.replace("{name: mondrian}", "{name: mondrian, strict: [true, false]}", 1))
    assert "several recipes" in error_line(capsys, "anonymize", both, "--recipe", "k-anonymity, k=3", "-o", "x.csv")


def test_a_recipe_is_required_without_caps(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("caps: {P_loss: 0.5}", ""))
    assert "select a release: --recipe" in error_line(capsys, "anonymize", study, "-o", tmp_path / "out.csv")


@pytest.mark.parametrize(
    "name, more, words",
    [
        ("there.csv", [], "already exists; use --force"),
        ("out.xlsx", [], "unsupported file type"),
        ("nowhere/out.csv", [], "does not exist"),
        ("folder.csv", ["--force"], "is a folder"),
        ("out.parquet", ["--defuse-formulas"], "--defuse-formulas is for CSV"),
    ],
)
def test_an_invalid_target_is_reported_before_any_work(study, tmp_path, capsys, monkeypatch, name, more, words):
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr(Study, "read", lambda *_: pytest.fail("the data were read"))
    assert words in error_line(capsys, "anonymize", study, "-o", tmp_path / name, *more)
    assert (tmp_path / "there.csv").read_text() == "mine" and files(tmp_path) == ["folder.csv", "there.csv"]


def test_force_overwrites(study, tmp_path, capsys):
    (tmp_path / "there.csv").write_text("mine")
    run(capsys, "anonymize", study, "--recipe", "1", "-o", tmp_path / "there.csv", "--force")
    assert len(pd.read_csv(tmp_path / "there.csv")) == 120


def test_a_failure_while_writing_leaves_the_old_file(study, tmp_path, capsys, monkeypatch):
    (tmp_path / "there.csv").write_text("mine")

    def half(rows, file):
        file.write(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(export, "write_csv", half)
    assert "no space left" in error_line(
        capsys, "anonymize", study, "--recipe", "1", "-o", tmp_path / "there.csv", "--force"
    )
    assert (tmp_path / "there.csv").read_text() == "mine" and files(tmp_path) == ["there.csv"]


def test_a_release_that_violates_its_model_is_never_written(study, tmp_path, capsys, monkeypatch):
    real = base.Release.audit
    calls = []

    def audit(self, model):  # satisfied for the method, violated in the final audit
        calls.append(model)
        return real(self, model if len(calls) == 1 else KAnonymity(1000))

    monkeypatch.setattr(base.Release, "audit", audit)
    text = error_line(capsys, "anonymize", study, "--recipe", "1", "-o", tmp_path / "out.csv")
    assert "is violated by" in text and "nothing was written" in text and files(tmp_path) == []


def test_several_files_appear_atomically(tmp_path, capsys):
    study = study_in(tmp_path, STUDY.replace("{name: mondrian}", "{name: mondrian, publish: bucketized}", 1))
    arguments = ["anonymize", study, "--recipe", "1", "-o"]
    out, _ = run(capsys, *arguments, tmp_path / "out.csv", "--json")
    assert files(tmp_path) == ["out-disease.csv", "out-records.csv"]
    assert [Path(name).name for name in json.loads(out)["files"]] == ["out-records.csv", "out-disease.csv"]
    assert "already exists" in error_line(capsys, *arguments, tmp_path / "out.csv")
    assert "2 tables, but stdout takes only one" in error_line(capsys, *arguments, "-")


# --- from data, without a study


def test_data_are_anonymized_without_a_study(study, tmp_path, capsys):
    model = ["--model", "k-anonymity, k=10 & t-closeness, t=0.6, distance=js"]
    _, err = run(capsys, "anonymize", tmp_path / "people.csv", *ROLES, *model, "-o", tmp_path / "out.csv")
    assert smallest(pd.read_csv(tmp_path / "out.csv")) >= 10 and "holds: k = " in err
    methods = ["--method", "mondrian, strict=false"]
    run(capsys, "anonymize", tmp_path / "people.csv", *ROLES, *model, *methods, "-o", tmp_path / "two.csv")
    assert smallest(pd.read_csv(tmp_path / "two.csv")) >= 10
    run(capsys, "anonymize", tmp_path / "people.csv", "--quasi", "age", "--quasi", "work", "--identifiers", "disease",
        "--model", "k-anonymity, k=5 (mondrian)", "-o", tmp_path / "three.csv")  # fmt: skip
    assert list(pd.read_csv(tmp_path / "three.csv")) == ["age", "work"]


def test_data_are_read_from_a_pipe_and_written_to_a_pipe(study, tmp_path, capsys, monkeypatch):
    pipe_input(monkeypatch, (tmp_path / "people.csv").read_bytes())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    out, err = run(capsys, "anonymize", "-", *ROLES, "--model", "k-anonymity, k=5", "-o", "-")
    back = pd.read_csv(io.StringIO(out))
    assert len(back) == 120 and smallest(back) >= 5 and "Written: to standard output." in err
    assert files(tmp_path) == []  # no copy of the data is left


@pytest.mark.parametrize("data", [b"", b"a,b\n1,2,3\n", b"\x00\xff\xfe"])
def test_errors_about_a_pipe_do_not_name_the_temporary_copy(tmp_path, capsys, monkeypatch, data):
    pipe_input(monkeypatch, data)
    text = error_line(capsys, "anonymize", "-", *ROLES, "--model", "k-anonymity, k=5", "-o", tmp_path / "out.csv")
    assert "workbench-" not in text and files(tmp_path) == []


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--model", "k-anonymity"], "--quasi age,sex is missing"),
        ([*ROLES], '--model "k-anonymity, k=10" is missing'),
        ([*ROLES, "--model", "mondrian"], "this is a method"),
        ([*ROLES, "--model", "k-anonymity (mondrian)", "--method", "keep"], "leave out --method"),
        ([*ROLES, "--model", "k-anonymity", "--method", "mondrain"], "did you mean 'mondrian'?"),
        ([*ROLES, "--model", "k-anonymity", "--recipe", "1"], "is not a study (.yaml); leave out --recipe"),
        ([*ROLES, "--model", "k-anonymity", "--cap", "a=1"], "leave out --cap"),
        (["--quasi", "age,wrk", "--model", "k-anonymity"], "wrk"),
        ([*ROLES, "--model", "k-anonymity, k=500"], "no release of this table can satisfy"),
    ],
)
def test_errors_in_a_table_are_reported(study, tmp_path, capsys, arguments, words):
    assert words in error_line(capsys, "anonymize", tmp_path / "people.csv", *arguments, "-o", tmp_path / "out.csv")
    assert files(tmp_path) == []


def test_revealing_columns_are_refused_by_name(study, tmp_path, capsys):
    frame = pd.read_csv(tmp_path / "people.csv")
    frame["born"] = 2000 - frame["age"]
    frame["ssn"] = [f"123-45-{i:04}" for i in range(120)]
    frame.to_csv(tmp_path / "people.csv", index=False)
    command = ["anonymize", tmp_path / "people.csv", *ROLES, "--model", "k-anonymity, k=5", "-o"]
    for out in (tmp_path / "out.csv", "-"):
        text = error_line(capsys, *command, out)
        assert "'born' reveals 'age'" in text and "'ssn' nearly identifies people" in text and "use --giveaways" in text
        assert "123-45" not in text and files(tmp_path) == []
    run(capsys, *command, tmp_path / "out.csv", "--giveaways")
    assert "ssn" in pd.read_csv(tmp_path / "out.csv")
    run(capsys, *command, tmp_path / "two.csv", "--identifiers", "ssn,born")
    assert "123-45" not in (tmp_path / "two.csv").read_text()


@pytest.mark.parametrize("to", ["file", "stdout"])
def test_formulas_are_escaped_on_request(tmp_path, capsys, to):
    rows = [f"{20 + i % 9},{'=1+1' if i % 2 else '@SUM(A1)'},{('-5', '-flu')[i % 3 > 0]},{-i}" for i in range(60)]
    (tmp_path / "data.csv").write_text("age,=work,disease,n\n" + "\n".join(rows) + "\n")
    command = ["anonymize", tmp_path / "data.csv", "--quasi", "age,=work", "--sensitive", "disease", "--giveaways"]
    command += ["--model", "k-anonymity, k=2", "-o", tmp_path / "out.csv" if to == "file" else "-", "--force"]
    texts = []
    for more in ([], ["--defuse-formulas"]):
        out, _ = run(capsys, *command, *more)
        texts.append((tmp_path / "out.csv").read_text() if to == "file" else out)
    plain, safe = (pd.read_csv(io.StringIO(text), dtype=str) for text in texts)
    assert set(plain["=work"]) == {"=1+1", "@SUM(A1)"} and set(plain["disease"]) == {"-5", "-flu"}
    assert set(safe["'=work"]) == {"'=1+1", "'@SUM(A1)"} and set(safe["disease"]) == {"-5", "'-flu"}
    assert set(safe["n"]) == {str(-i) for i in range(60)}


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error(study):
    everything = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    rows = "\n".join(f"{i % 50},{'abc'[i % 3]},{'xy'[i % 2]}" for i in range(100_000))
    (study.parent / "big.csv").write_text("age,work,disease\n" + rows + "\n")
    command = f"'{sys.executable}' -m workbench.commands.main anonymize big.csv --quasi age,work --sensitive disease"
    command += " --model 'k-anonymity, k=5' -o - | head -n 1"
    found = subprocess.run(command, shell=True, cwd=study.parent, env=everything, capture_output=True, text=True)
    assert found.stdout == "age,work,disease\n" and "Error" not in found.stderr and "Traceback" not in found.stderr


def test_export_in_python_has_the_same_options(study, tmp_path):
    asked = Study.open(study)
    made = asked.candidates()[0].release(asked.table(asked.read()))
    refuse_giveaways(made, "x")
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(BadInput, match="already exists"):
        made.export(tmp_path / "out.csv", overwrite=False)
