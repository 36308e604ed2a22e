"""A study with noise goes through every command, and each shows the one release that was drawn."""

import json
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest

from tests.methods.noise.tables import people, table
from workbench.base.errors import BadInput
from workbench.commands import main
from workbench.disclosure.audit import audit_release
from workbench.methods import Laplace, RandomizedResponse
from workbench.publication import statements
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.studies.script import python_code
from workbench.studies.study import Study, results_folder

STUDY = """
study: noisy
data: {path: people.csv}
roles: {quasi: [age, city], sensitive: [ill], identifiers: [wage]}
recipes:
- {method: {name: randomized response, keep: [0.2, 0.6]}}
- {method: {name: laplace, epsilon: 1, bounds: "age: 17..99"}}
- {method: {name: optimal response, cap: 0.1}}
measures: [{name: privacy loss}, {name: utility loss}, {name: adversary's knowledge gain}]
axes: [A_know, U_loss]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("noisy")
    people(900).to_csv(folder / "people.csv", index=False)
    (folder / "noisy.yaml").write_text(STUDY)
    workbench(folder, "sweep", "noisy.yaml", "-o", "points.json")
    return folder


def workbench(folder, *words, code=0):
    run = subprocess.run(
        [sys.executable, "-m", "workbench.commands.main", *words], cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == code, run.stderr
    return run.stdout + run.stderr


@pytest.fixture
def here(place, monkeypatch, capsys):
    """A function that runs a command in this process, where it does not matter which process draws."""
    monkeypatch.chdir(place)

    def run_here(*words, code=0):
        assert main.main([*words]) == code
        return "".join(capsys.readouterr())

    return run_here


@pytest.mark.slow
def test_the_release_that_was_measured_is_exported_and_queried(place):
    points = json.loads((place / "points.json").read_text())["points"]
    said = workbench(place, "anonymize", "noisy.yaml", "--recipe", "1", "-o", "one.csv")
    workbench(place, "anonymize", "noisy.yaml", "--recipe", "1", "-o", "two.csv")
    assert "kept with chance 0.2" in said and "not protected: age and city" in said
    one, two = (
        pd.read_csv(place / name).sort_values(["age", "city", "ill"], ignore_index=True)
        for name in ("one.csv", "two.csv")
    )
    assert one.equals(two)
    study = Study.open(place / "noisy.yaml")
    original = pd.read_csv(place / "people.csv")
    assert list(one["ill"].value_counts()) != list(original["ill"].value_counts())
    assert study.candidates()[0].method == RandomizedResponse(0.2) and points[0]["number"] == 1
    queried = json.loads(workbench(place, "query", "noisy.yaml", "ill = 'flu'", "--recipe", "1", "--json"))["queries"][
        0
    ]
    q = original["ill"].value_counts(normalize=True)["flu"]
    unbiased = ((one["ill"] == "flu").sum() - 0.8 * q * 900) / 0.2
    assert queried["expected"] == pytest.approx(min(max(unbiased, 0), 900), rel=1e-6)


@pytest.mark.slow
def test_people_and_what_is_sensitive_are_not_both_published_unchanged(place, here):
    said = here("anonymize", "noisy.yaml", "--recipe", "3", "-o", "three.csv", code=2)
    assert "publishes city unchanged, together with ill, which its guarantee does not cover" in said.replace("\n", " ")
    here("anonymize", "noisy.yaml", "--recipe", "3", "-o", "three.csv", "--raw", "--giveaways")
    assert len(pd.read_csv(place / "three.csv")["age"].unique()) > 100


def test_the_audit_says_what_the_method_promises():
    found = audit_release(Laplace(1, bounds="age: 17..99")(table()))
    assert found["classes"] is None and found["records"] == 600 and found["worst"] == []
    assert "epsilon = 1" in found["guarantee"] and "not protected: city" in found["guarantee"]
    values = {one["measure"]: one["value"] for one in found["measures"]}
    assert values["P_loss"] > 0 and values["A_acc"] is not None


@pytest.mark.slow
def test_a_script_reads_the_draw_from_the_results(place, here):
    """The results are next to the study's file, whatever its name is."""
    study = replace(Study.open(place / "noisy.yaml"), name="Another name")
    here("anonymize", "noisy.yaml", "--recipe", "1", "-o", "scripted.csv", "--raw", "--giveaways")
    code = python_code(study, study.candidates()[0], True, results_folder(place / "noisy.yaml"))
    assert "Recipe(RandomizedResponse(keep=0.2)).release(table, Store('noisy.results'))" in code
    (place / "again.py").write_text(code)
    subprocess.run([sys.executable, "again.py"], cwd=place, check=True)
    drawn, again = (sorted((place / name).read_text().splitlines()) for name in ("scripted.csv", "release.csv"))
    assert drawn == again
    with pytest.raises(BadInput, match="save the study to a file"):
        python_code(study, study.candidates()[0])


def test_the_epsilons_of_several_releases_are_added_up_where_more_than_one_may_be_given_out(place, here):
    """Two draws of ill by responses; age alone has noise in one of them, so it has none in all."""
    found = json.JSONDecoder().raw_decode(here("frontier", "noisy.yaml", "--json"))[0]["noise"]
    assert found == (
        "Several releases add up: all 4 releases of this study together have no epsilon for age and ill, which some of "
        "them publish without noise."
    )
    assert found in here("frontier", "noisy.yaml").replace("\n", " ")
    text = (
        (place / "noisy.yaml")
        .read_text()
        .replace("- {method: {name: laplace", "#")
        .replace("- {method: {name: opt", "#")
    )
    (place / "responses.yaml").write_text(text)
    said = here("anonymize", "responses.yaml", "--recipe", "1", "-o", "drawn.csv")
    assert "both releases with noise of this study together have epsilon at most " in said and " for ill (" in said


def test_a_published_folder_with_two_draws_says_what_they_add_up_to(place):
    study = Study.open(place / "noisy.yaml")
    drawn = {"name": "randomized response", "keep": [0.2, 0.6], "others": "uniform"}
    study = study.with_(recipes=[{"method": drawn}])
    read = Published(publish(study, place / "published", releases="all", store=place / "noisy.results"))
    assert len(read.results["carried"]) == 2
    assert [*read.choices(None)] == ["recommended", "safer", "useful"], "none is of a simpler kind"
    said = read.results["together"]["noise"]
    assert said.startswith("Several releases add up: both files offered here together have epsilon ")
    for index in read.included:
        assert statements.alone(read, index, None).endswith(said)
