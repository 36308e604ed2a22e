"""Measures by miners in a study: in its file, in checks and sweeps, on a page and in the pickers."""

from tests.commands.people import run, study_in
from workbench.measures import GoodUtility, WorkloadUtility
from workbench.miners import Majority, RandomForest
from workbench.miners.sets import resolve_miners
from workbench.studies import checker
from workbench.studies.checker import check_study
from workbench.studies.study import Study

MEASURES = """measures:
- {name: privacy loss}
- {name: workload utility, target: work}
- {name: good utility, miners: [majority, {name: random forest, trees: 3}], weights: {"age >= 50": 10, others: 0.5}}
"""
TEXT = """study: People
data: {path: people.csv}
roles: {quasi: [age], sensitive: [disease]}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: [6, 12]}}
"""


def test_a_study_stores_miners_and_weights():
    study = Study.from_yaml(TEXT + MEASURES)
    again = Study.from_yaml(study.to_yaml())
    _, workload, good = again.measured()
    assert workload == WorkloadUtility("work")
    assert resolve_miners(good.miners) == (Majority(), RandomForest(trees=3))
    assert good.weights == GoodUtility(weights={"age >= 50": 10, "others": 0.5}).weights
    assert again.to_yaml() == study.to_yaml()


def test_errors_are_reported_at_their_place(tmp_path):
    study_in(tmp_path, TEXT + MEASURES.replace("majority", "majoritee").replace("target: work", "target: wrok"))
    problems = check_study(tmp_path / "people.yaml").problems
    said = " ".join(map(str, problems))
    assert {one.line for one in problems} <= {6, 7, 8, 9} and "majority" in said
    study_in(tmp_path, TEXT + MEASURES.replace("age >= 50", "aeg >= 50"))
    (problem,) = check_study(tmp_path / "people.yaml").problems
    assert problem.line == 9 and "age" in str(problem)


def test_a_study_with_miners_is_swept_and_its_frontier_printed(tmp_path, capsys):
    study = study_in(tmp_path, TEXT + MEASURES + "axes: [P_loss, U_gain(target=work)]\n")
    run(capsys, "sweep", study)
    out, _ = run(capsys, "frontier", study)
    assert "U_gain" in out
    (store,) = {path.parent for path in tmp_path.rglob("*.mined")}
    assert len(list(store.glob("*.mined"))) > 4


def test_a_quasi_identifier_may_be_predicted_and_a_check_mines_only_a_sample(tmp_path, monkeypatch):
    """The predicted quasi-identifier is missing from a release without quasi-identifiers."""
    measures = "measures:\n- {name: good utility, target: age, miners: mean, error: absolute}\n- {name: privacy loss}\n"
    study_in(tmp_path, TEXT + measures)
    assert check_study(tmp_path / "people.yaml").problems == []
    asked = []
    real = checker.sample
    monkeypatch.setattr(checker, "SIZES", (50, 100))
    monkeypatch.setattr(checker, "sample", lambda table, records: asked.append(records) or real(table, records))
    assert check_study(tmp_path / "people.yaml").problems == [] and asked == [50]
    study_in(tmp_path, TEXT + measures.replace("error: absolute", "error: accuracy"))
    (problem,) = check_study(tmp_path / "people.yaml").problems
    assert "good utility cannot be measured" in str(problem)
    study_in(tmp_path, (TEXT + measures).replace("people.csv}", "people.csv, engine: duckdb}"))
    (problem,) = check_study(tmp_path / "people.yaml").problems
    assert "what a release shows is computed record by record" in str(problem)
