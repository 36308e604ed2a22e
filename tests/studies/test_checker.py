"""A study's file is checked as a whole: its problems are listed in the order of the file with their lines."""

import pytest

from workbench.data import dependencies, engines
from workbench.data.dependencies import UNSEEN
from workbench.studies import checker
from workbench.studies.checker import check_study

TEXT = """study: People
data: {path: people.csv}
roles: {quasi: [age, work], sensitive: [ill]}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: [2, 3]}}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.2}]
"""


def study_in(folder, text):
    rows = [f"{20 + i % 9},{'ab'[i % 2]},{'xy'[i % 3 == 0]}" for i in range(36)]
    (folder / "people.csv").write_text("age,work,ill\n" + "\n".join(rows) + "\n")
    (folder / "study.yaml").write_text(text)
    return check_study(folder / "study.yaml")


def test_a_valid_study_is_summarized(tmp_path):
    found = study_in(tmp_path, TEXT)
    assert not found.problems and found.table.records == 36
    assert "2" in found.summary and "36" in found.summary


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_measures_are_tried_on_a_sample_of_a_large_table(tmp_path, monkeypatch, engine):
    """Regression: the cells of ten million records took 5 GB."""
    tried, real = [], checker._reason
    monkeypatch.setattr(checker, "SIZES", (10, 20))
    monkeypatch.setattr(dependencies, "MANY", 20)
    monkeypatch.setattr(checker, "_reason", lambda *given: tried.append(given[1].records) or real(*given))
    text = TEXT.replace("people.csv}", f"people.csv, engine: {engine}}}")
    assert not study_in(tmp_path, text).problems and {*tried} == {10}
    (problem,) = study_in(tmp_path, text.replace("name: privacy loss", "name: good utility, target: nowhere")).problems
    assert "nowhere" in str(problem)


def test_a_measure_that_is_undefined_on_few_records_is_tried_on_more(tmp_path, monkeypatch):
    tried = []
    monkeypatch.setattr(checker, "SIZES", (10, 20))
    monkeypatch.setattr(
        checker, "_reason", lambda _, table, __: tried.append(table.records) or "too few" * (len(tried) < 3)
    )
    assert not study_in(tmp_path, TEXT).problems and tried[:3] == [10, 10, 20]
    monkeypatch.setattr(checker, "_reason", lambda *_: "there is nothing to measure")
    assert all("there is nothing to measure" in str(one) for one in study_in(tmp_path, TEXT).problems)


def test_problems_are_in_the_order_of_the_file_with_their_lines(tmp_path):
    found = study_in(tmp_path, TEXT.replace("[2, 3]", "[2, 99]").replace("[age, work]", "[age, wrok]"))
    assert [one.line for one in found.problems][:1] == [3]
    assert "'wrok'" in str(found.problems[0]) and "'work'" in str(found.problems[0])


def test_an_unsatisfiable_model_is_reported_at_its_value(tmp_path):
    (problem,) = study_in(tmp_path, TEXT.replace("[2, 3]", "[2, 99]")).problems
    assert problem.line == 5 and "99" in str(problem)


def test_a_method_that_refuses_the_table_is_reported_at_its_place(tmp_path):
    raked = "{name: raked buckets, publish: [exchanged, dealt], rho: [0.1, 0.3]}"
    (problem,) = study_in(tmp_path, TEXT.replace("{name: mondrian}", raked)).problems
    assert problem.line == 5 and "which no noise protects; use publish = exchanged" in str(problem)
    assert not study_in(
        tmp_path, TEXT.replace("{name: mondrian}", raked.replace("[exchanged, dealt]", "exchanged"))
    ).problems


def test_a_quasi_identifier_that_follows_from_another_is_noted(tmp_path):
    rows = [f"{i % 6},{'ab'[i % 6 > 2]},{'xy'[i % 5 == 0]}" for i in range(60)]
    (tmp_path / "people.csv").write_text("age,work,ill\n" + "\n".join(rows) + "\n")
    (tmp_path / "study.yaml").write_text(TEXT)
    found = check_study(tmp_path / "study.yaml")
    assert not found.problems
    assert found.notes[-1] == "age determines work. Generalizing work hides nothing unless age is generalized too."


def test_a_study_whose_cells_do_not_fit_into_memory_is_valid(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "MOST", 10)
    apart = TEXT.replace("people.csv", "people.csv, engine: duckdb")
    found = study_in(tmp_path, apart)
    assert not found.problems and found.notes == [UNSEEN] and "36 records" in found.summary
    (problem,) = study_in(tmp_path, apart.replace("name: privacy loss", "name: linkability")).problems
    assert (
        problem.line == 6 and "people are attacked record by record, and the records are not in memory" in problem.text
    )


def test_noise_that_a_sweep_would_refuse_is_listed(tmp_path):
    noise = """
- method: {name: laplace}
- method: {name: laplace, bounds: "work: 0..1"}
- {method: {name: laplace, bounds: "age: 0..99"}, model: {name: k-anonymity, k: 2}}
- method: {name: laplace, bounds: "age: 0..99"}
"""
    recipe = "\n- {method: {name: mondrian}, model: {name: k-anonymity, k: [2, 3]}}\n"
    found = study_in(tmp_path, TEXT.replace(recipe, noise))
    assert [one.line for one in found.problems] == [5, 6, 7]
    for problem, words in zip(found.problems, ("needs bounds", "not numeric", "cannot satisfy a model"), strict=True):
        assert words in problem.text
