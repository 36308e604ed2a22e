"""All faults of a study's file are reported together with their places."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.studies.checker import check_study
from workbench.studies.schema import parts_of_recipe, query_faults, recipe_faults, study_faults, variant_faults
from workbench.studies.study import Study, files_read

GOOD = {
    "study": "ill",
    "data": {"path": "people.csv"},
    "roles": {"quasi": ["age"], "sensitive": ["ill"], "weight": ["stands"]},
    "released_levels": {"age": [1, 2]},
    "importance": {"age": 2},
    "recipes": [{"method": {"name": "full-domain", "suppress": [0, 0.05]}, "model": {"name": "k-anonymity", "k": 5}}],
    "measures": [{"name": "privacy loss"}, {"name": "geometric loss"}],
    "axes": ["P_loss", "GL"],
    "intervals": {"over": "records", "times": 50},
}


def test_a_valid_study_has_no_fault():
    assert list(study_faults(GOOD)) == []


@pytest.mark.parametrize(
    ("key", "value", "path"),
    [
        ("rolse", {}, ("rolse",)),
        ("data", {"path": "a.csv", "sql": "SELECT 1"}, ("data",)),
        ("roles", {"quasi": ["age", "age"]}, ("roles", "quasi", 1)),
        ("released_levels", {"age": [2]}, ("released_levels", "age")),
        ("importance", {"age": 0}, ("importance", "age")),
        ("caps", {"P_loss": "low"}, ("caps", "P_loss")),
        ("intervals", "records", ("intervals",)),
        ("intervals", {"over": "people"}, ("intervals",)),
        ("intervals", {"over": "seeds", "time": 9}, ("intervals", "time")),
        ("intervals", {"over": "seeds", "times": 1}, ("intervals",)),
        ("intervals", {"over": "learning", "times": 5}, ("intervals", "times")),
        ("seed", -1, ("seed",)),
    ],
)
def test_each_fault_has_its_place_among_all_others(key, value, path):
    found = list(study_faults({**GOOD, "axes": "P_loss", key: value}))
    assert ("axes",) in [fault.path for fault in found]
    assert any(fault.path[: len(path)] == path for fault in found), found


MONDRIAN = {"name": "mondrian"}


def messages(faults):
    return [(fault.path, fault.text) for fault in faults]


def test_a_valid_recipe_has_no_fault():
    model = [{"name": "k-anonymity", "k": [2, 5]}, {"name": "t-closeness", "t": 0.2}]
    ranges = {"method": MONDRIAN, "model": model}
    assert messages(recipe_faults(ranges)) == []
    assert [path for path, _, _ in parts_of_recipe(ranges)] == [("method",), ("model", 0), ("model", 1)]


@pytest.mark.parametrize(
    ("ranges", "path", "text"),
    [
        ({}, (), "a recipe has a method"),
        ({"method": {"name": "mondrain"}}, ("method", "name"), "did you mean 'mondrian'"),
        ({"method": MONDRIAN, "modle": {}}, ("modle",), "modle"),
        ({"method": MONDRIAN, "model": {"name": "k-anonymity", "k": [2, 0]}}, ("model", "k", 1), "k"),
        ({"method": MONDRIAN, "model": {"name": "k-anonymity", "k": []}}, ("model", "k"), "no values"),
        ({"method": MONDRIAN, "model": {"name": "k-anonymity", "k": list(range(2, 20_000))}}, ("model",), "10,000"),
    ],
)
def test_a_fault_of_a_recipe_has_its_place(ranges, path, text):
    found = messages(recipe_faults(ranges))
    assert any(where == path and text in said for where, said in found), found


def test_all_faults_of_a_variant_are_reported_together():
    paths = {path for path, _ in messages(variant_faults("model", {"name": "t-closeness", "t": -1, "distance": "x"}))}
    assert {("t",), ("distance",)} <= paths


ASKS = {"name": "query error", "workload": "by sex"}


def messages_of_study(**given):
    return messages(study_faults({"measures": [], **given}))


def test_valid_workloads_have_no_fault():
    workloads = {
        "by sex": ["sex = 'F'"],
        "many": {"random": {"count": 20, "columns": ["age"]}},
        "log": {"file": "a.sql"},
    }
    assert (
        messages_of_study(workloads=workloads, measures=[ASKS, {"name": "query error"}], recipes=[{"method": MONDRIAN}])
        == []
    )


@pytest.mark.parametrize(
    ("workloads", "path", "text"),
    [
        (["age > 3"], (), "workloads must be a mapping"),
        ({"": ["age > 3"]}, ("",), "must be a text"),
        ({"random": ["age > 3"]}, ("random",), "choose another name"),
        ({"a": "age > 3"}, ("a",), "write a list of queries"),
        ({"a": ["age > 3", 7]}, ("a", 1), "query 2 is 7"),
        ({"a": {"random": {"cuont": 7}}}, ("a", "random", "cuont"), "did you mean 'count'"),
        ({"a": {"random": {"count": 0}}}, ("a", "random", "count"), "must be from 1 to"),
        ({"a": {"random": {"rule": "any"}}}, ("a", "random", "rule"), "is not one of values"),
        ({"a": {"random": {"columns": "age"}}}, ("a", "random", "columns"), "must be a list of columns"),
        ({"a": {"random": {"seed": "x"}}}, ("a", "random", "seed"), "must be a whole number"),
        ({"a": {"file": 7}}, ("a",), "write a list of queries"),
    ],
)
def test_a_fault_of_a_workload_has_its_place(workloads, path, text):
    ((where, said),) = messages_of_study(workloads=workloads)
    assert where == ("workloads", *path) and text in said


def test_an_unknown_workload_is_reported():
    measures = [ASKS, {"name": "query error", "workload": {"file": "../secret"}}]
    (one, file) = messages_of_study(workloads={"by sexes": ["sex = 'F'"]}, measures=measures)
    assert one == (
        ("measures", 0, "workload"),
        "query error: 'by sex' is not a workload of the study; did you mean 'by sexes'?",
    )
    assert file[0] == ("measures", 1, "workload") and "name the queries in workloads" in file[1]


def test_queries_are_parsed_independently():
    table = Table.from_frame(pd.DataFrame({"age": [20, 30, 40], "sex": ["F", "M", "F"]}), quasi=["age", "sex"])
    table = table.with_settings(
        workloads={
            "a": ["age >= 30", "agee >= 30", "sex = 'X'", "age >="],
            "many": {"random": {"dimension": 3, "sensitive": False}},
        }
    )
    notes = []
    found = list(query_faults(table, notes))
    assert [fault.path for fault in found] == [("a", 1), ("a", 3), ("many", "random")]
    assert found[0].text.startswith("workload 'a', query 2, column 1: there is no column 'agee'; did you mean 'age'?")
    assert "column 7: " in found[1].text and "dimension = 3 must be from 0 to 2" in found[2].text
    assert notes == ["workload 'a', query 3: no record has a requested value of sex"]


TEXT = """study: People
data: {path: people.csv}
roles: {quasi: [age, work], sensitive: [ill]}
workloads:
  by work:
  - age >= 24
  - work = 'a' and age >= 24
  log: {file: log.sql}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: 3}}
measures: [{name: privacy loss}, {name: query error, workload: by work}]
"""


@pytest.fixture
def folder(tmp_path):
    rows = [f"{20 + i % 9},{'ab'[i % 2]},{'xy'[i % 3 == 0]}" for i in range(36)]
    (tmp_path / "people.csv").write_text("age,work,ill\n" + "\n".join(rows) + "\n")
    (tmp_path / "log.sql").write_text("SELECT COUNT(*) FROM p WHERE age > 22;\nSELECT 1;\n")
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("work = 'a'", "wrk = 'a'", 7, "workload 'by work', query 2, column 1: there is no column 'wrk'"),
        ("by work}", "by wrok}", 11, "did you mean 'by work'"),
        ("log.sql", "none.sql", 8, "does not exist"),
        ("{file: log.sql}", "{flie: log.sql}", 8, "write a list of queries"),
    ],
)
def test_a_study_is_checked_with_its_workloads(folder, old, new, line, text):
    for content in (TEXT, TEXT.replace(old, new)):
        (folder / "study.yaml").write_text(content)
        found = check_study(folder / "study.yaml")
        if content == TEXT:
            assert not found.problems and any("workload 'log': line 2" in note for note in found.notes)
    (problem,) = found.problems
    assert problem.line == line and text in problem.text


def test_an_untrusted_study_reads_queries_only_from_its_folder(folder):
    study = Study.from_yaml(TEXT, folder, confined=True)
    assert folder / "log.sql" in files_read(study)
    with pytest.raises(BadInput, match="outside the folder of the study"):
        Study.from_yaml(TEXT.replace("log.sql", "../log.sql"), folder, confined=True)
