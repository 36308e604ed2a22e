"""`workbench check`: one sentence about a valid study, all problems of an invalid one."""

import json

import pytest

from workbench.commands import main
from workbench.data.datasets import DATA
from workbench.studies.checker import check_study
from workbench.studies.study import Study

READY = sorted((DATA / "studies").glob("*.yaml"))
STUDY = """\
study: People
data: {path: people.csv, only: {town: North}}
roles:
  quasi: [age, work]
  sensitive: [disease]
hierarchies:
  age: {builder: intervals, widths: [10, 20]}
recipes:
- method: {name: mondrian}
  model: {name: k-anonymity, k: [3, 6]}
measures: [{name: privacy loss}, {name: utility loss}]
caps: {P_loss: 0.2}
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    towns = ("North", "South")
    rows = [
        f"{20 + i % 37},{'Farm' if i % 3 else 'Shop'},{towns[i % 2]},{('Flu', 'Ulcer', 'Asthma')[i * i % 3]}"
        for i in range(120)
    ]
    (tmp_path / "people.csv").write_text("age,work,town,disease\n" + "\n".join(rows) + "\n")
    (tmp_path / "people.yaml").write_text(STUDY)
    return tmp_path / "people.yaml"


def run_command(capsys, *arguments, code=0):
    assert main.main([str(one) for one in arguments]) == code
    return capsys.readouterr()


def change(study, before, after):
    text = study.read_text()
    assert before in text
    study.write_text(text.replace(before, after))


def test_a_valid_study_is_described_in_one_sentence(study, capsys):
    out, err = run_command(capsys, "check", "people.yaml")
    assert out == (
        "People: 60 records; others may know age and work; what must not be learned is disease; "
        "neutral columns: town; 2 releases, measured by P_loss and U_loss.\n"
    )
    assert err == ""


@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("[age, work]", "[age, wrok]", 4, "the data have no column 'wrok'; did you mean 'work'?"),
        ("North}", "Nowhere}", 2, "no record has the value requested for 'town'"),
        ("people.csv", "peple.csv", 2, "not an existing file"),
        ("  age: {builder: intervals", "  work: {builder: intervals", 7, "intervals need numbers"),
        ("  age: {builder: intervals, widths: [10, 20]}", "  work: {builder: nested, tree: {A: [Farm]}}", 7,
         "1 of the 2 values of 'work' are missing from its hierarchy"),
        ("[3, 6]", "[3, 600]", 10, "k-anonymity: k = 600 must be at most 60"),
        ("k-anonymity, k: [3, 6]", '"(alpha,k)-anonymity", alpha: [0.01]', 10, "no release of this table can satisfy"),
        ("name: mondrian}", "name: mondrian, split: information_gain, target: salary}", 9, "not a column of the table"),
        ("caps: {P_loss", "caps: {A_know", 12, "'A_know' is not among the measures"),
        ("[disease]", "[]", 12, "privacy loss cannot be measured"),
        ("disease]", "disease]\nlevels: {disease: 2}", 6, "has no level 2"),
        ("  quasi: [age, work]\n", "", 3, "no quasi-identifier"),
    ],
)  # fmt: skip
def test_a_conflict_with_the_data_names_the_line(study, capsys, before, after, line, says):
    change(study, before, after)
    out, err = run_command(capsys, "check", "people.yaml", code=2)
    assert out == "" and says in err
    assert any(one.startswith(f"people.yaml, line {line}: ") and says in one for one in err.splitlines())
    assert "Ulcer" not in err and "Shop" not in err


def test_json_output_has_the_same_problems(study, capsys):
    change(study, "age, work]", "aged, work]")
    out, err = run_command(capsys, "check", "people.yaml", "--json", code=2)
    found = json.loads(out)
    assert err == "" and found["summary"] == ""
    assert found["problems"][0] | {"text": ""} == {"line": 4, "path": ["roles", "quasi", 0], "text": ""}
    change(study, "aged, work]", "age, work]")
    found = json.loads(run_command(capsys, "check", "people.yaml", "--json").out)
    assert found["problems"] == [] and "60 records" in found["summary"]


@pytest.mark.parametrize("path", READY, ids=lambda path: path.stem)
def test_the_bundled_studies_have_no_problem(path):
    found = check_study(path)
    assert not found.problems and found.summary


def test_there_are_three_bundled_studies():
    names = {Study.open(path).name: len(Study.open(path).candidates()) for path in READY}
    assert names == {
        "Adult, as in Li & Li (2009)": 32,
        "Marital status, as in Brickell & Shmatikov (2008)": 11,
        "Occupation, as in Brickell & Shmatikov (2008)": 12,
    }
