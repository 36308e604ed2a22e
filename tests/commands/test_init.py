"""`workbench init`: what it proposes passes `check`, can be swept, says why, and has no value of the data."""

import json
import random
import warnings

import pytest

from workbench import cli
from workbench.checking import checked
from workbench.starting import begin, proposed
from workbench.study import Study
from workbench.sweeps import sweep


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


def said(capsys, *arguments, code=0):
    assert cli.main([str(one) for one in arguments]) == code
    return capsys.readouterr()


def test_a_study_is_written_that_can_be_checked_and_swept(folder, capsys):
    out, _ = said(capsys, "init", "people.csv")
    assert out == "Written: people.study.yaml. Look through it, then: workbench check people.study.yaml\n"
    study = Study.open("people.study.yaml")
    assert study.identifiers == ("name",) and "disease" in study.sensitive and {"age", "sex"} <= set(study.quasi)
    assert study.data == {"path": "people.csv", "types": {"zip": "text"}}
    assert study.hierarchies["zip"]["builder"] == "prefixes"
    assert study.hierarchies["income"]["builder"] == "intervals" and study.levels == {"income": 1}
    assert checked("people.study.yaml").problems == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frontier = sweep(study.table(study.read()), study.candidates(), study.measured())
    assert len(frontier.efficient) > 2 and not len(frontier.undefined)


def test_why_stands_beside_each_line_and_on_stderr(folder, capsys):
    _, err = said(capsys, "init", "people.csv")
    text = (folder / "people.study.yaml").read_text()
    lines = {line.split("#")[0].strip(): line for line in text.splitlines()}
    assert "By its name it tells directly who somebody is" in lines["- name"]
    assert "# " in lines["- age"] and "# " in lines["- disease"] and "# steps of the calendar" in lines["admitted:"]
    assert "name (identifier): By its name it tells directly who somebody is." in err.splitlines()


def test_no_value_of_the_data_is_in_the_file_or_said(folder, capsys):
    out, err = said(capsys, "init", "people.csv", "--json")
    text = (folder / "people.study.yaml").read_text()
    for value in ("Marker-", "Planted", "Ulcer", "77.5", "2000-0", "2009-0"):
        assert value not in text + out + err


def test_what_is_there_stays(folder, capsys):
    (folder / "people.study.yaml").write_text("mine")
    assert "--force" in said(capsys, "init", "people.csv", code=2).err
    assert (folder / "people.study.yaml").read_text() == "mine"
    said(capsys, "init", "people.csv", "--force")
    assert Study.open("people.study.yaml").quasi


def test_roles_that_are_given_stay(folder, capsys):
    (folder / "studies").mkdir()
    out = said(
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
    assert checked("studies/mine.yaml").problems == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.csv"], "no such file"),
        (["people.csv", "-o", "study.txt"], "ends in .yaml"),
        (["people.csv", "-o", "nowhere/study.yaml"], "does not exist"),
        (["people.csv", "--quasi", "aeg"], "did you mean 'age'"),
        (["people.csv", "--quasi", "age", "--sensitive", "age"], "two roles"),
        (["."], "folder"),
    ],
)
def test_what_cannot_be_is_one_line_and_leaves_nothing(folder, capsys, arguments, says):
    err = said(capsys, "init", *arguments, code=2).err
    assert err.count("\n") == 1 and says in err
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_without_anything_sensitive_sizes_are_measured(folder):
    text = "\n".join(",".join(line.split(",")[:4]) for line in people().splitlines())
    (folder / "people.csv").write_text(text + "\n")
    start = begin("people.csv")
    assert not start.study.sensitive and any("sensitive" in line for line in start.head)
    assert next(recipe.model.name for recipe in start.study.candidates()) == "k-anonymity"
    (folder / "s.yaml").write_text(start.text())
    assert checked("s.yaml").problems == []


@pytest.mark.parametrize("name", ["a\nb", "#1", "it's", "x: y", "\x1b[31m", "{a}", "no", "7"])
def test_whatever_columns_are_called_the_file_says_the_same(folder, name):
    quoted = name.replace('"', '""')
    (folder / "people.csv").write_text(people().replace("sex", f'"{quoted}"', 1))
    start = begin("people.csv", quasi=["age", name], sensitive=["disease"])
    assert Study.from_yaml(start.text()).to_dict() == start.study.to_dict()


def test_a_report_of_data_begins_with_the_same_study(folder):
    assert (
        proposed("people.csv", ["age"], ["disease"]).to_dict()
        == begin("people.csv", ["age"], ["disease"]).study.to_dict()
    )
