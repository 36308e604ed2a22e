"""A study: plain data in, the same table, recipes and measures out, and the same file back."""

import pytest

from workbench import datasets
from workbench.errors import BadInput
from workbench.methods import Remove
from workbench.models import And, KAnonymity, TCloseness
from workbench.recipe import Recipe
from workbench.study import Study, ranges_of, written_out
from workbench.table import Table

TEXT = """
study: Adult
data: {bundled: adult, drop_missing: true}
roles:
  quasi: [age, workclass, education, marital_status, race, sex]
  sensitive: occupation
hierarchies: {age: {builder: intervals, widths: [5, 10, 20, 40]}, education: bundled, sex: bundled}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: [10, 50]}}
- method: {name: mondrian, publish: [generalized, bucketized]}
  model: [{name: k-anonymity, k: 5}, {name: t-closeness, t: [0.1, 0.2], distance: js}]
- {method: {name: remove, columns: [age]}}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.1}]
axes: [P_loss, U_loss]
caps: {P_loss: 0.15}
"""


def without(key, text=TEXT):
    return "\n".join(line for line in text.splitlines() if not line.startswith(key))


def test_a_study_goes_through_its_file():
    study = Study.from_yaml(TEXT)
    assert Study.from_yaml(study.to_yaml()) == study
    assert study.caps == {"P_loss": 0.15}
    assert study.sensitive == ("occupation",)


def test_it_is_saved_and_opened(tmp_path):
    study = Study.from_yaml(TEXT)
    study.save(tmp_path / "adult.study.yaml")
    assert Study.open(tmp_path / "adult.study.yaml").to_dict() == study.to_dict()


def test_its_table_is_the_one_that_code_makes():
    study = Study.from_yaml(without("hierarchies"))
    table = study.with_(hierarchies={name: "bundled" for name in datasets.ADULT_HIERARCHIES}).table(study.read())
    assert table.fingerprint == datasets.adult().fingerprint


def test_ranges_are_written_out_and_models_joined():
    recipes = Study.from_yaml(without("- {method: {name: remove")).candidates()
    assert [str(recipe.model) for recipe in recipes[:2]] == ["k-anonymity, k = 10", "k-anonymity, k = 50"]
    assert len(recipes) == 2 + 4
    assert recipes[2].model == KAnonymity(5) & TCloseness(0.1, distance="js")
    assert isinstance(recipes[2].model, And)
    assert {recipe.method.publish for recipe in recipes[2:]} == {"generalized", "bucketized"}


def test_a_recipe_is_written_and_read_again():
    for recipe in [*Study.from_yaml(TEXT).candidates(), Recipe(Remove(("age", "sex")))]:
        assert written_out(ranges_of(recipe)) == [recipe]


def test_measures_keep_their_settings():
    assert [(m.key, m.settings()) for m in Study.from_yaml(TEXT).measured()][1][1]["min_support"] == 0.1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- a\n- b", "no study"),
        ("Mrs Miller, 43", "^this is no study: one has lines such as .data:. and .roles:., each a name and a colon$"),
        ("study: [", "line 1"),
        ("studdy: x", "did you mean 'study'"),
        ("roles: {quazi: [a]}", "did you mean 'quasi'"),
        ("data: {path: a.csv, bundled: adult}", "exactly one"),
        ("recipes: {a: 1}", "must be a list"),
        ("hierarchies: [a]", "must be a mapping"),
        ("smallest: many", "whole number"),
        ("seed: true", "whole number"),
        ("data: !!python/object/apply:os.system [ls]", "no YAML"),
    ],
)
def test_what_is_wrong_is_said(text, says):
    with pytest.raises(BadInput, match=says):
        Study.from_yaml(text)


@pytest.mark.parametrize(
    ("ranges", "says"),
    [
        ({"model": {"name": "k-anonymity"}}, "has a method"),
        ({"method": {"name": "mondrian"}, "modle": 1}, "has a method"),
        ({"method": {"name": "mondrain"}}, "no variant"),
        ({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": []}}, "no values"),
        ({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": list(range(1, 20_000))}}, "more than"),
        ({"method": {"name": "mondrian"}, "model": "k"}, "no|mapping"),
    ],
)
def test_a_recipe_that_cannot_be_says_why(ranges, says):
    with pytest.raises(BadInput, match=says):
        written_out(ranges)


def test_data_that_were_handed_over_are_asked_for_again():
    with pytest.raises(BadInput, match="give them again"):
        Study(data={"given": "frame"}).read()


def test_a_hierarchy_lies_beside_the_study(tmp_path):
    (tmp_path / "sex.csv").write_text("Female;person\nMale;person\n")
    (tmp_path / "data.csv").write_text("sex,illness\nMale,flu\nFemale,flu\nMale,cold\n")
    text = "data: {path: data.csv}\nroles: {quasi: [sex], sensitive: illness}\nhierarchies: {sex: {csv: sex.csv}}\n"
    (tmp_path / "study.yaml").write_text(text)
    study = Study.open(tmp_path / "study.yaml")
    assert study.table(study.read()).columns["sex"].hierarchy.levels[0].labels == ("person",)


def test_missing_values_are_left_out_when_identifiers_are_gone():
    frame_of = "name,age,illness\nAnn,30,flu\n,31,cold\nBob,,flu\nEve,33,cold\n"
    study = Study(
        data={"given": "x", "drop_missing": True}, quasi=("age",), sensitive=("illness",), identifiers=("name",)
    )
    import io

    import pandas as pd

    base = Table.bare(pd.read_csv(io.StringIO(frame_of)))
    assert study.table(base).records == 3
    assert study.with_(identifiers=()).table(base).records == 2
