"""`workbench init` proposes studies that pass `check`, can be swept, give reasons and contain no values of the data."""

import json
import random
import sqlite3
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.commands import main
from workbench.frontier.sweep import sweep
from workbench.models.distribution_distances import jensen_shannon
from workbench.studies.checker import check_study
from workbench.studies.proposal import propose_study, propose_with_reasons
from workbench.studies.study import Study


def people(count: int = 4000) -> str:
    rng = random.Random(3)
    rows = [
        f"Marker-{i},{rng.randint(18, 77)}.5,{rng.choice(['10', '20', '99'])}{rng.randint(100, 399)},"
        f"{'F' if rng.random() < 0.5 else 'M'},200{rng.randint(0, 9)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)},"
        f"{rng.choice(['Planted', 'Flu', 'Ulcer', 'Asthma'])},{rng.randint(1000, 9000)}"
        for i in range(count)
    ]
    return "name,age,zip,sex,admitted,disease,income\n" + "\n".join(rows) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(people())
    return tmp_path


def run_command(capsys, *arguments, code=0):
    assert main.main([str(one) for one in arguments]) == code
    return capsys.readouterr()


@pytest.mark.slow
def test_the_proposed_study_can_be_checked_and_swept(folder, capsys):
    out, _ = run_command(capsys, "init", "people.csv")
    assert out == "Written: people.study.yaml. Review it, then run: workbench check people.study.yaml\n"
    study = Study.open("people.study.yaml")
    assert study.identifiers == ("name",) and "disease" in study.sensitive and {"age", "sex"} <= set(study.quasi)
    assert study.data == {"path": "people.csv", "types": {"zip": "text"}}
    assert study.hierarchies["zip"]["builder"] == "prefixes"
    assert study.hierarchies["income"]["builder"] == "intervals" and study.levels == {"income": 1}
    assert check_study("people.study.yaml").problems == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frontier = sweep(study.table(study.read()), study.candidates(), study.measured())
    assert len(frontier.efficient) > 2 and not len(frontier.undefined)


def test_reasons_are_next_to_each_line_and_on_stderr(folder, capsys):
    _, err = run_command(capsys, "init", "people.csv")
    text = (folder / "people.study.yaml").read_text()
    lines = {line.split("#")[0].strip(): line for line in text.splitlines()}
    assert "Its name suggests a person's name, which identifies somebody directly" in lines["- name"]
    assert "# " in lines["- age"] and "# " in lines["- disease"] and "# steps of the calendar" in lines["admitted:"]
    assert (
        "name (identifier): Its name suggests a person's name, which identifies somebody directly." in err.splitlines()
    )


def test_no_value_of_the_data_is_written_or_printed(folder, capsys):
    out, err = run_command(capsys, "init", "people.csv", "--json")
    text = (folder / "people.study.yaml").read_text()
    for value in ("Marker-", "Planted", "Ulcer", "77.5", "2000-0", "2009-0"):
        assert value not in text + out + err


def test_existing_files_are_not_overwritten(folder, capsys):
    (folder / "people.study.yaml").write_text("mine")
    assert "--force" in run_command(capsys, "init", "people.csv", code=2).err
    assert (folder / "people.study.yaml").read_text() == "mine"
    run_command(capsys, "init", "people.csv", "--force")
    assert Study.open("people.study.yaml").quasi


def test_given_roles_are_preserved(folder, capsys):
    (folder / "studies").mkdir()
    out = run_command(
        capsys,
        "init",
        "people.csv",
        "-o",
        "studies/mine.yaml",
        "--quasi",
        "age,sex",
        "--sensitive",
        "disease",
        "--json",
    ).out
    found, study = json.loads(out), Study.open("studies/mine.yaml")
    assert study.quasi == ("age", "sex") and study.sensitive == ("disease",)
    assert study.data["path"] == "../people.csv" and found["study"] == study.to_dict()
    assert {"what": "age (quasi-identifier)", "why": "Chosen by you."} in found["why"]
    assert check_study("studies/mine.yaml").problems == []


@pytest.mark.slow
def test_records_may_stay_on_disk(folder, capsys):
    run_command(capsys, "init", "people.csv", "--engine", "duckdb")
    found = Study.open("people.study.yaml")
    assert found.data["engine"] == "duckdb" and check_study("people.study.yaml").problems == []
    run_command(capsys, "init", "people.csv", "-o", "here.yaml")
    assert Study.open("here.yaml").quasi == found.quasi
    assert (
        "did you mean 'duckdb'"
        in run_command(capsys, "init", "people.csv", "--engine", "dukdb", "-o", "a.yaml", code=2).err
    )


@pytest.mark.slow
def test_a_folder_of_partitions_and_a_table_in_a_file_are_accepted(folder, capsys):
    (folder / "parts").mkdir()
    (folder / "people.csv").rename(folder / "parts" / "1.csv")
    run_command(capsys, "init", "parts")
    study = Study.open("parts.study.yaml")
    assert study.data["path"] == "parts" and study.name == "parts" and check_study("parts.study.yaml").problems == []
    run_command(capsys, "init", "parts/*.csv")
    assert Study.open("parts/parts.study.yaml").data["path"] == "*.csv"
    with sqlite3.connect("town.sqlite") as file:
        pd.read_csv("parts/1.csv").to_sql("people", file, index=False)
        file.execute("CREATE TABLE houses (id)")
    file.close()
    err = run_command(capsys, "init", "town.sqlite", code=2).err
    assert "the file has 2 tables; choose one, such as --table houses, --table people" in err
    run_command(capsys, "init", "town.sqlite", "--table", "people")
    assert Study.open("town.study.yaml").data.items() >= {"path": "town.sqlite", "table": "people"}.items()
    assert check_study("town.study.yaml").problems == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.csv"], "not an existing file"),
        (["people.csv", "-o", "study.txt"], "must end in .yaml"),
        (["people.csv", "-o", "nowhere/study.yaml"], "does not exist"),
        (["people.csv", "--quasi", "aeg"], "did you mean 'age'"),
        (["people.csv", "--quasi", "age", "--sensitive", "age"], "two roles"),
        (["*.parquet"], "no data file matches this pattern"),
        (["https://example.org/people.csv"], "nothing is downloaded"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(folder, capsys, arguments, says):
    err = run_command(capsys, "init", *arguments, code=2).err
    assert err.count("\n") == 1 and says in err
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_sizes_are_measured_without_sensitive_columns(folder):
    text = "\n".join(",".join(line.split(",")[:4]) for line in people().splitlines())
    (folder / "people.csv").write_text(text + "\n")
    start = propose_with_reasons("people.csv")
    assert not start.study.sensitive and any("sensitive" in line for line in start.head)
    assert next(recipe.model.name for recipe in start.study.candidates()) == "k-anonymity"
    (folder / "s.yaml").write_text(start.text())
    assert check_study("s.yaml").problems == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a\nb", "#1", "it's", "x: y", "\x1b[31m", "{a}", "no", "7"])
def test_the_file_does_not_depend_on_the_names_of_columns(folder, name):
    quoted = name.replace('"', '""')
    (folder / "people.csv").write_text(people().replace("sex", f'"{quoted}"', 1))
    start = propose_with_reasons("people.csv", quasi=["age", name], sensitive=["disease"])
    assert Study.from_yaml(start.text()).to_dict() == start.study.to_dict()


def test_a_report_of_data_uses_the_same_study(folder):
    assert (
        propose_study("people.csv", ["age"], ["disease"]).to_dict()
        == propose_with_reasons("people.csv", ["age"], ["disease"]).study.to_dict()
    )


def test_every_proposed_release_has_no_small_class_and_no_certain_value(folder):
    study = propose_study("people.csv")
    table = study.table(study.read())
    assert len(table.sensitive) == 2 and not table.neutral
    full = max(jensen_shannon(np.eye(len(one)), one.prior).min() for one in table.sensitive.values())
    for recipe in study.candidates():
        parts = {part.name: part for part in recipe.model.parts}
        assert parts["k-anonymity"].k >= 5
        assert "t-closeness" not in parts or 0.05 * full <= parts["t-closeness"].t < full
        assert recipe.release(table).side_information_risk()[3:] == (0, 0), "no class of one, no certain value"


REAL = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["namcs-2011", "donations-2008"])
def test_no_release_with_certain_values_is_proposed_for_real_files(name):
    path = REAL / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    study = propose_study(path)
    table = study.table(study.read())
    assert table.sensitive and not table.neutral
    swept = sweep(table, study.candidates(), study.measured()).on(*study.axes)
    assert swept.knee.recipe.release(table).side_information_risk()[3:] == (0, 0) and swept.knee.values["R_id"] <= 0.1
    for recipe in study.candidates()[::3]:
        assert recipe.release(table).side_information_risk()[3:] == (0, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n" + "".join(f"x{i},y{i}\n" for i in range(60)), "no column distinguishes"),
        ("age,disease\n40,flu\n", "no column distinguishes"),
        ("disease\n" + "flu\ncold\n" * 40, "no column distinguishes"),
    ],
    ids=["all unique", "one row", "nothing that others may know"],
)
def test_a_missing_proposal_is_reported(folder, capsys, text, says):
    (folder / "awkward.csv").write_text(text)
    assert (
        says in run_command(capsys, "init", "awkward.csv", code=2).err and not (folder / "awkward.study.yaml").exists()
    )


def test_a_sensitive_column_with_too_many_values_is_omitted(folder):
    rows = [
        f"{i % 70},{'fm'[i % 2]},{'flu' if i % 3 else 'cold'},disease {i * 7 % 1501} of a kind" for i in range(6000)
    ]
    (folder / "text.csv").write_text("age,sex,disease,disorder\n" + "\n".join(rows) + "\n")
    start = propose_with_reasons("text.csv")
    assert start.study.sensitive == ("disease",) and start.study.dropped == ("disorder",)
    assert "too many to protect one by one, and no groups" in dict(start.reasons())["disorder (left out)"]


def test_options_for_reading_a_table_are_accepted(tmp_path, monkeypatch, capsys):
    rows = "".join(
        f"{20 + i % 40};{'é' if i % 2 else 'a'};{-7 if i % 9 == 0 else i % 3};{i % 50}\n" for i in range(300)
    )
    (tmp_path / "people.dat").write_bytes(("age;name;ill;code\n" + rows).encode("cp1252"))
    (tmp_path / "codes.csv").write_text("".join(f"{i};{i // 10}\n" for i in range(50)))
    monkeypatch.chdir(tmp_path)
    options = ["--format", "csv", "--encoding", "cp1252", "--delimiter", ";", "--types", "code=text", "--missing=-7"]
    asked = ["init", "people.dat", "-o", "p.yaml", "--quasi", "age,code", "--sensitive", "ill", *options]
    assert main.main([*asked, "--hierarchy", "code=codes.csv"]) == 0
    study = Study.open("p.yaml")
    table = study.table(study.read())
    assert table.columns["code"].kind == "text" and len(table.columns["code"].hierarchy.levels[0].labels) == 5
    assert table.columns["ill"].missing == 34 and study.read().columns["name"].labels == ("a", "é")
    capsys.readouterr()
    assert main.main(["init", "people.dat", "-o", "q.yaml"]) == 2
    assert "--format csv" in capsys.readouterr().err
    assert main.main(["init", "people.dat", "-o", "q.yaml", "--format", "csv", "--types", "code"]) == 2
    assert "--types code: write a column" in capsys.readouterr().err
    roles = ["--quasi", "age,code", "--sensitive", "ill"]
    made = ["anonymize", "people.dat", *roles, "--identifiers", "name", *options, "--hierarchy", "code=codes.csv"]
    assert main.main([*made, "--model", "k-anonymity, k=5", "-o", "r.csv"]) == 0
    released = ["audit", "r.csv", *roles, "--original", "people.dat"]
    assert main.main(["audit", "people.dat", *roles, *options[:6]]) == 0
    assert main.main(["audit", "r.csv", *roles, "--types", "code=text"]) == 2
    assert "add --original" in capsys.readouterr().err
    assert main.main([*released, *options[:4]]) == 2


def test_numbers_beyond_floats_get_a_proposal(tmp_path, capsys):
    """Ids such as 9007199254740993 differ by less than the precision of a float."""
    rows = "".join(f"{9007199254740993 + i % 7},{20 + i % 30},{'flu' if i % 3 else 'HIV'}\n" for i in range(90))
    (tmp_path / "people.csv").write_text(f"code,age,disease\n{rows}")
    assert main.main(["init", str(tmp_path / "people.csv"), "--quasi", "code,age", "--sensitive", "disease"]) == 0
    assert main.main(["check", str(tmp_path / "people.study.yaml")]) == 0


def test_a_column_named_like_a_formula_is_omitted(tmp_path, capsys):
    rows = "".join(f"{i % 4},{20 + i % 30},{'flu' if i % 3 else 'HIV'}\n" for i in range(90))
    (tmp_path / "people.csv").write_text(f"=sum(x),age,disease\n{rows}")
    assert main.main(["init", str(tmp_path / "people.csv"), "--quasi", "age", "--sensitive", "disease"]) == 0
    assert main.main(["check", str(tmp_path / "people.study.yaml")]) == 0
    assert "which a spreadsheet treats as a formula; rename it to publish it" in capsys.readouterr().err


def test_a_name_with_a_comma_is_quoted(tmp_path, capsys):
    rows = "".join(f"{i % 4},{20 + i % 30},{'flu' if i % 3 else 'HIV'}\n" for i in range(90))
    (tmp_path / "people.csv").write_text(f'"town, code","age",disease\n{rows}')
    given = ["--quasi", '"town, code",age', "--sensitive", "disease"]
    assert main.main(["init", str(tmp_path / "people.csv"), *given]) == 0
    assert main.main(["audit", str(tmp_path / "people.csv"), *given]) == 0
    assert "quasi-identifiers town, code and age" in capsys.readouterr().out


@pytest.mark.slow
def test_a_survey_weight_is_proposed_or_named(folder, capsys):
    rows = (folder / "people.csv").read_text().splitlines()
    text = [rows[0] + ",weight,wgt", *(f"{row},{1 + i % 7}.5,{2 + i % 3}.25" for i, row in enumerate(rows[1:]))]
    (folder / "weighed.csv").write_text("\n".join(text))
    run_command(capsys, "init", "weighed.csv")
    study = Study.open("weighed.study.yaml")
    assert study.weight == ("weight",) and "wgt" in study.dropped and check_study("weighed.study.yaml").problems == []
    run_command(capsys, "init", "weighed.csv", "--weight", "wgt", "--force")
    study = Study.open("weighed.study.yaml")
    assert study.weight == ("wgt",) and "weight" in study.dropped
    roles = ["--quasi", "age,zip", "--sensitive", "disease", "--identifiers", "name,income,admitted,sex,wgt"]
    run_command(
        capsys, "anonymize", "weighed.csv", *roles, "--weight", "weight", "--model", "k-anonymity, k=9", "-o", "o.csv"
    )
    assert (folder / "o.csv").read_text().splitlines()[0] == "age,zip,disease"
