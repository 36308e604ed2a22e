"""The script that reproduces a release has the classes of the engine."""

import runpy
import sys

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data import datasets, weights
from workbench.frontier.recipe import Recipe
from workbench.methods import Keep, Mondrian, RakedBuckets, Remove
from workbench.models import KAnonymity, KMap, Model, RecursiveLDiversity, TCloseness
from workbench.studies.script import python_code
from workbench.studies.study import Study

ADULT = Study(
    name='Adult "census" data\\',
    data={"bundled": "adult", "drop_missing": True},
    quasi=("age", "workclass", "education", "sex"),
    sensitive=("occupation",),
    identifiers=("fnlwgt",),
    hierarchies={
        "age": {"builder": "intervals", "widths": [5, 10, 20, 40]},
        "education": "bundled",
        "fnlwgt": "bundled",
        "sex": {"builder": "groups", "levels": [{"anyone": ["Female", "Male"]}]},
    },
)


def run(code, tmp_path, *arguments):
    """Run a script and return what it defines."""
    path = tmp_path / "release.py"
    path.write_text(code, "utf-8")
    before = sys.argv
    sys.argv = [str(path), *map(str, arguments)]
    try:
        return runpy.run_path(str(path))
    finally:
        sys.argv = before


def have_equal_classes(one, other):
    """Return whether two releases have equal classes in any order."""
    rows = [
        np.column_stack([r.classes.sizes, r.classes.low, r.classes.high, *r.classes.histograms.values()])
        for r in (one, other)
    ]
    return np.array_equal(*(np.unique(found, axis=0) for found in rows)) and type(one) is type(other)


@pytest.fixture(scope="module")
def table():
    return ADULT.table(ADULT.read())


@pytest.mark.slow
@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(Mondrian(), KAnonymity(50)),
        Recipe(Mondrian(), KAnonymity(20) & TCloseness(0.3, distance="js"), seed=7),
        Recipe(Mondrian(publish="bucketized"), RecursiveLDiversity(c=4.5, l=2)),
        Recipe(Mondrian(split="information_gain", target="salary"), KAnonymity(100)),
        Recipe(Mondrian(strict=False), KAnonymity(100), seed=3),
        Recipe(Remove(columns=("age", "sex"))),
        Recipe(Mondrian("order", order=("sex", "education")), KAnonymity(100)),
        Recipe(Keep()),
        Recipe(RakedBuckets(files="flat"), TCloseness(0.1, distance="js")),
    ],
    ids=str,
)
def test_the_script_reproduces_the_release(recipe, table, tmp_path):
    code = python_code(ADULT, recipe)
    assert str(tmp_path) not in code
    assert max(map(len, code.splitlines()[1:])) <= 120
    assert recipe.method.warning in " ".join(code.split())
    assert have_equal_classes(run(code, tmp_path)["release"], recipe.release(table))


def test_the_script_reads_files_next_to_the_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {"zip": ["A1", "A2", "B1", "B2"] * 5, "age": [20, 30, 40, 50] * 5, "ill": ["flu", "cold"] * 10}
    )
    frame.to_csv("people.csv", index=False, sep="|")
    (tmp_path / "zip.csv").write_text("A1;A\nA2;A\nB1;B\nB2;B\n")
    study = Study(
        data={"path": "people.csv", "delimiter": "|", "types": {"age": "text"}},
        quasi=("zip", "age"),
        sensitive=("ill",),
        hierarchies={"zip": {"csv": "zip.csv"}},
        folder=str(tmp_path),
    )
    recipe = Recipe(Mondrian(), KAnonymity(10))
    made = run(python_code(study, recipe), tmp_path)["release"]
    assert have_equal_classes(made, recipe.release(study.table(study.read())))
    assert made.table.columns["zip"].hierarchy is not None


def test_the_script_sets_the_level_of_a_sensitive_column(tmp_path):
    study = ADULT.with_(
        sensitive=("native_country",), levels={"native_country": 1}, hierarchies={"native_country": "bundled"}
    )
    recipe = Recipe(Mondrian(), KAnonymity(200))
    assert have_equal_classes(
        run(python_code(study, recipe), tmp_path)["release"], recipe.release(study.table(study.read()))
    )


def test_the_script_sets_release_levels(tmp_path):
    study = ADULT.with_(released_levels={"age": [1, 3], "sex": [0, 1]})
    made = run(python_code(study, Recipe(Mondrian(), KAnonymity(200))), tmp_path)["release"]
    assert (
        made.table.settings.level_ranges
        == {"age": (1, 3), "sex": (0, 1)}
        == study.table(study.read()).settings.level_ranges
    )


def test_the_script_sets_the_importance_of_columns(tmp_path):
    study = ADULT.with_(importance={"age": 3})
    made = run(python_code(study, Recipe(Mondrian(), KAnonymity(200))), tmp_path)["release"]
    assert made.table.settings.importance == {"age": 3} == study.table(study.read()).settings.importance


def test_given_data_are_an_argument_of_the_script(tmp_path):
    frame = pd.DataFrame({"age": range(20, 60), "ill": ["flu", "cold"] * 20})
    frame.to_csv(tmp_path / "people.csv", index=False)
    study = Study(data={"given": "frame"}, quasi=("age",), sensitive=("ill",))
    recipe = Recipe(Mondrian(), KAnonymity(10))
    code = python_code(study, recipe)
    made = run(code, tmp_path, tmp_path / "people.csv")["release"]
    assert have_equal_classes(made, recipe.release(study.table(study.read(frame))))


def test_the_script_handles_an_empty_column(tmp_path, monkeypatch):
    frame = pd.DataFrame({"age": range(40), "ill": ["a", "b"] * 20, "remarks": [None] * 40})
    frame.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    study = Study(data={"path": "data.csv"}, quasi=("age",), sensitive=("ill",), folder=tmp_path)
    recipe = Recipe(Mondrian(), KAnonymity(4))
    made = run(python_code(study, recipe), tmp_path)["release"]
    assert have_equal_classes(made, recipe.release(study.table(study.read())))


def test_the_script_runs_a_query(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame({"age": range(20, 60), "ill": ["flu", "cold"] * 20}).to_csv(path, index=False)
    sql = f"SELECT * FROM '{path}' WHERE age < 50"
    study = Study(data={"sql": sql}, quasi=("age",), sensitive=("ill",), folder=str(tmp_path))
    recipe = Recipe(Mondrian(), KAnonymity(10))
    assert have_equal_classes(
        run(python_code(study, recipe), tmp_path)["release"], recipe.release(study.table(study.read()))
    )


def test_the_script_writes_the_file_if_run_as_a_program(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "release.py"
    path.write_text(python_code(ADULT, Recipe(Mondrian(), KAnonymity(50)), giveaways=True), "utf-8")
    runpy.run_path(str(path), run_name="__main__")
    assert len(pd.read_csv("release.csv")) == 45_222
    assert "k-anonymity, k = 50 holds" in capsys.readouterr().out


@pytest.mark.slow
def test_revealing_columns_are_refused_unless_allowed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.py").write_text(python_code(ADULT, Recipe(Mondrian(), KAnonymity(50))), "utf-8")
    with pytest.raises(BadInput, match="neutral columns"):
        runpy.run_path(str(tmp_path / "release.py"), run_name="__main__")


def test_a_model_without_a_source_file_is_refused():
    class Mine(Model):
        name = "mine"
        limit = 0.0

        def score_column(self, histogram, sensitive):
            return histogram.sum(axis=1)

        @classmethod
        def parameters(cls):
            return {}

    with pytest.raises(BadInput, match="cannot import"):
        python_code(ADULT, Recipe(Mondrian(), Mine()))


def test_names_cannot_end_the_docstring(tmp_path):
    study = ADULT.with_(name='""" + danger() + """')
    assert run(python_code(study, Recipe(Keep())), tmp_path)["release"].table.records == 45_222


def test_the_script_finds_the_bundled_table():
    assert "datasets.path('adult')" in python_code(ADULT, Recipe(Keep()))
    assert datasets.path("adult").exists()


def test_the_script_uses_the_weights_of_the_study(tmp_path):
    study = ADULT.with_(identifiers=(), weight=("fnlwgt",))
    recipe = Recipe(Mondrian(), KAnonymity(500))
    code = python_code(study, recipe, giveaways=True)
    made, release = run(code, tmp_path)["release"], recipe.release(study.table(study.read()))
    assert (
        'weight="fnlwgt"' in code.replace("'", '"')
        and have_equal_classes(made, release)
        and "fnlwgt" not in made.frame()
    )
    assert weights.people(made.table).sum() == weights.people(release.table).sum() > 10**9


def test_the_script_names_the_population(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ill.csv").write_text("age,ill\n1,x\n2,y\n2,x\n3,y\n")
    (tmp_path / "all.csv").write_text("age\n1\n1\n2\n2\n2\n3\n3\n")
    study = Study(data={"path": "ill.csv"}, quasi=("age",), sensitive=("ill",), population={"csv": "all.csv"})
    study, recipe = study.with_(regions={"age": "exact"}), Recipe(Mondrian(), KMap(2))
    made = run(python_code(study, recipe), tmp_path)["release"]
    assert have_equal_classes(made, recipe.release(study.table(study.read()))) and len(made.classes) == 3


@pytest.mark.slow
def test_the_script_contains_the_workloads(tmp_path):
    study = ADULT.with_(
        workloads={
            "by sex": [f"sex = 'Male' and age >= {age}" for age in range(20, 40)],
            "many": {"random": {"count": 9}},
        }
    )
    code = python_code(study, Recipe(Mondrian(), KAnonymity(200)))
    assert max(map(len, code.splitlines()[1:])) <= 120
    assert run(code, tmp_path)["release"].table.settings.workloads == study.workloads
    serving = Recipe(Mondrian("workload", workload="by sex"), KAnonymity(200))
    assert have_equal_classes(
        run(python_code(study, serving), tmp_path)["release"], serving.release(study.table(study.read()))
    )
