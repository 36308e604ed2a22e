"""The parameters of the report notebook, as papermill writes them: text, numbers, lists and mappings."""

import dataclasses
import re

import nbformat
import papermill
import pytest

from tests.planted import planted
from tests.project.tracked import ROOT
from workbench import BadInput
from workbench.publication.report.parameters import DESCRIPTIONS, ReportParameters
from workbench.publication.report.reporting import build_report
from workbench.studies.study import Study

NOTEBOOK = ROOT / "notebooks" / "report.ipynb"
WRITTEN_BY = {"output", "release"}  # used by the notebook itself


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    planted(folder, caps={"P_loss": 0.1}).save(folder / "ill.yaml")
    return folder / "ill.yaml"


def changed(study, **given):
    return ReportParameters(study=str(study), **given).chosen()[0]


def test_dataclass_notebook_and_documentation_list_the_same_parameters():
    names = [one.name for one in dataclasses.fields(ReportParameters)]
    assert names == list(DESCRIPTIONS)
    assert set(papermill.inspect_notebook(str(NOTEBOOK))) == {*names, *WRITTEN_BY}
    documented = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", (ROOT / "docs" / "commands.md").read_text(), re.M))
    assert {name: documented[name] for name in names} == DESCRIPTIONS
    assert set(documented) >= WRITTEN_BY


def test_every_notebook_has_a_parameters_cell():
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        if "checkpoint" not in path.name:
            cells = [one for one in nbformat.read(path, 4).cells if "parameters" in one.metadata.get("tags", [])]
            assert len(cells) == 1, path.name


@pytest.mark.parametrize("measures", ["privacy loss, utility loss", ["privacy loss", {"name": "utility loss"}]])
def test_numbers_and_measures_are_parsed(study, measures):
    chosen, results = ReportParameters(study=str(study), cap=0.2, measures=measures, smallest=5, seed=3).chosen()
    assert (chosen.caps, chosen.smallest, chosen.seed) == ({"P_loss": 0.2}, 5, 3)
    assert [one["name"] for one in chosen.measures] == ["privacy loss", "utility loss"]
    assert results == study.with_name("ill.results")


@pytest.mark.parametrize("caps", ["P_loss=0.1, U_loss = 0.2", {"P_loss": 0.1, "U_loss": 0.2}])
def test_caps_are_parsed_from_text_or_a_mapping(study, caps):
    assert changed(study, caps=caps).caps == {"P_loss": 0.1, "U_loss": 0.2}


@pytest.mark.parametrize("only", ["sex=F", {"sex": "F"}])
def test_a_part_of_the_data_is_selected(study, only):
    made = build_report(changed(study, only=only))
    assert 200 < made.published.results["table"]["records"] < 400
    assert "sex F" in made.published.results["study"]


@pytest.mark.parametrize(
    "model",
    [
        "k-anonymity, k=7 & t-closeness, t=0.2, distance=js",
        [{"name": "k-anonymity", "k": 7}, {"name": "t-closeness", "t": 0.2, "distance": "js"}],
    ],
)
def test_one_model_and_one_method_apply_to_all_recipes(study, model):
    chosen = changed(study, model=model, method="mondrian, publish=bucketized")
    (recipe,) = chosen.candidates()
    assert [(one.name, one.to_dict()) for one in recipe.model.parts] == [
        ("k-anonymity", recipe.model.parts[0].to_dict()),
        ("t-closeness", recipe.model.parts[1].to_dict()),
    ]
    assert recipe.model.parts[0].k == 7 and recipe.model.parts[1].t == 0.2
    assert recipe.method.publish == "bucketized"


def test_values_of_k_and_t_replace_those_of_the_study(study):
    chosen = changed(study, model="k-anonymity, k=7 & t-closeness, t=0.2", k=[5, "20"], t=0.4)
    assert [
        [part.to_dict().get("k", part.to_dict().get("t")) for part in one.model.parts] for one in chosen.candidates()
    ] == [
        [5, 0.4],
        [20, 0.4],
    ]


def test_minimum_support_applies_to_the_measures_that_have_it(study):
    chosen = changed(study, min_support=0.2)
    assert [one["min_support"] for one in chosen.measures if one["name"] == "utility loss"] == [0.2]
    assert chosen.axes == Study.open(study).axes


def test_hierarchies_are_read_from_files(study, tmp_path):
    (tmp_path / "sex.csv").write_text("M;all\nF;all\n")
    chosen = changed(study, hierarchy={"sex": str(tmp_path / "sex.csv")})
    assert chosen.table(chosen.read()).columns["sex"].hierarchy is not None


def test_lists_name_the_columns_of_data(study):
    path = study.parent / Study.open(study).data["path"]
    chosen, results = ReportParameters(data=str(path), quasi=["age", "sex"], sensitive=["disease"]).chosen()
    assert chosen.quasi == ("age", "sex") and chosen.sensitive == ("disease",) and results is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "a report needs study"),
        ({"study": "a.yaml", "data": "b.csv"}, "a report needs study"),
        ({"study": "nowhere.yaml"}, "cannot be read"),
        ({"data": "nowhere.csv", "quasi": "age"}, "nowhere.csv"),
    ],
)
def test_studies_that_cannot_be_opened_are_reported(given, message):
    with pytest.raises(BadInput, match=message):
        ReportParameters(**given).chosen()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cap": -1}, "cap = -1: no measure is below 0"),
        ({"cap": True}, "cap: True is not a number"),
        ({"cap": float("nan")}, "cap: nan is not a number"),
        ({"caps": {"P_loss": -0.1}}, "caps: P_loss = -0.1: no measure is below 0"),
        ({"caps": [0.1]}, "caps: must be text such as P_loss=0.1 or a mapping"),
        ({"caps": "0.1"}, "write names with their values, as in P_loss=0.1"),
        ({"only": "sex"}, "write names with their values, as in ward=C"),
        ({"measures": "privcy loss"}, "no measure is called"),
        ({"measures": 3}, "measures: must be text or a list"),
        ({"min_support": 2}, "min_support"),
        ({"min_support": 0.1, "measures": ["privacy loss"]}, "min_support: no measure of this study has it"),
        ({"k": []}, "k: the list is empty"),
        ({"k": "many"}, "k: 'many' is not a number"),
        ({"k": 5, "model": "t-closeness, t=0.2"}, "k: no model of this study has the parameter k"),
        ({"model": "k-anonimity"}, "no model is called"),
        ({"smallest": 0}, "smallest"),
    ],
)
def test_wrong_values_name_the_parameter(study, given, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        changed(study, **given)


@pytest.mark.slow
def test_papermill_accepts_lists_and_mappings(study, tmp_path):
    given = {"study": str(study), "k": [5, 50], "caps": {"P_loss": 0.3}, "output": str(tmp_path / "page")}
    papermill.execute_notebook(str(NOTEBOOK), None, parameters=given, progress_bar=False, kernel_name="python3")
    assert (tmp_path / "page.html").exists()
