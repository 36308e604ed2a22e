"""`workbench query`: true answers, those of a release beside them, and what is wrong with a query at its place."""

import json

import pytest

from tests.commands.people import STUDY, run, study_in, wrong

WORKLOADS = """workloads:
  by work: [work = 'Farm', age >= 40 and work = 'Shop', avg(age) where disease = 'Flu', work = 'Mine']
chosen: {method: {name: mondrian}, model: {name: k-anonymity, k: 6}}
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return study_in(tmp_path, STUDY + WORKLOADS)


@pytest.fixture
def people(study):
    rows = [line.split(",") for line in (study.parent / "people.csv").read_text().splitlines()[1:]]
    return [(int(age), work, disease) for age, work, disease in rows]


def test_true_answers_stand_beside_those_of_the_chosen_release(study, people, capsys):
    out, err = run(capsys, "query", study, "age >= 40 and work = 'Farm'", "--json")
    found = json.loads(out)
    (row,) = found["queries"]
    assert found["recipe"] == "k-anonymity, k = 6 (mondrian)" and not err
    assert row["true"] == sum(age >= 40 and work == "Farm" for age, work, _ in people)
    assert row["least"] <= row["true"] <= row["most"] and row["least"] <= row["expected"] <= row["most"]
    assert row["error"] == pytest.approx(abs(row["expected"] - row["true"]) / row["true"])
    text, _ = run(capsys, "query", study, "age >= 40 and work = 'Farm'", "avg(age)", "--recipe", "3")
    assert text.startswith("People: k-anonymity, k = 12 (mondrian)\n\n")
    assert "age >= 40 and work = 'Farm'" in text and f" {row['true']:.0f} " in text and "certainly" in text


def test_a_workload_is_summed_up_with_its_worst_queries(study, people, capsys):
    out, err = run(capsys, "query", study, "--workload", "by work", "--worst", "2")
    assert "Over 4 queries" in out and len(out.splitlines()) == 6 and "'Mine'" in err
    found = json.loads(run(capsys, "query", study, "--workload", "by work", "--json")[0])
    sick = [age for age, _, disease in people if disease == "Flu"]
    assert found["queries"][2]["true"] == pytest.approx(sum(sick) / len(sick)) and len(found["queries"]) == 4
    assert "200" not in found["summary"] and found["notes"]
    out, _ = run(capsys, "query", study, "--workload", "random", "--worst", "3")
    assert "Over 1,000 queries" in out and len(out.splitlines()) == 7


def test_a_query_that_a_file_asks_often_is_shown_once(study, capsys):
    (study.parent / "log.txt").write_text("age < 30\n" * 5 + "age < 40\n")
    out, _ = run(capsys, "query", study, "--file", "log.txt", "--worst", "3")
    assert "Over 6 queries" in out and out.count("age < 30") == out.count("age < 40") == 1


def test_a_file_of_queries_and_what_of_it_cannot_be_used(study, capsys):
    (study.parent / "log.sql").write_text("SELECT COUNT(*) FROM p WHERE age < 30;\nSELECT 1;\n")
    out, err = run(capsys, "query", study, "--file", "log.sql")
    assert "age < 30" in out and "note: log.sql: line 2, column 8" in err


def test_without_a_release_there_are_true_answers(study, people, capsys):
    study.write_text(STUDY.replace("caps: {P_loss: 0.5}", ""))
    out, err = run(capsys, "query", study, "work = 'Farm'")
    assert out.splitlines()[-1].split() == ["work", "=", "'Farm'", str(sum(work == "Farm" for _, work, _ in people))]
    assert "only true answers" in err
    out, err = run(capsys, "query", study, "work = 'Farm'", "--cap", "P_loss=0.5")
    assert "expected" in out and "recommended under P_loss=0.5 is" in err


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["agee >= 40"], "workbench: query, column 1: there is no column 'agee'; did you mean 'age'?"),
        (["age >= 40", "age >= 40 and wrk = 'a'"], "query 2, column 15: there is no column 'wrk'"),
        (["--workload", "by wrk"], "there is no workload 'by wrk'; did you mean 'by work'?"),
        ([], "give queries in quotes"),
        (["age > 3", "--recipe", "1", "--cap", "P_loss=0.5"], "leave out --cap"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(study, capsys, typed, says):
    assert says in wrong(capsys, "query", study, *typed)


def test_what_is_wrong_is_said_before_anything_is_made(study, capsys):
    assert "column 1" in wrong(capsys, "query", study, "agee = 1", "--cap", "P_loss=0.5")
    assert not (study.parent / "people.results").exists()


def test_no_text_of_a_query_moves_the_cursor(study, capsys):
    out, _ = run(capsys, "query", study, "work = '\x1b[2J'")
    assert "\x1b" not in out and "\ufffd" in out
