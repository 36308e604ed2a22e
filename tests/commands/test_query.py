"""`workbench query`: true answers, answers of a release, and errors with their position in a query."""

import json

import pytest

from tests.commands.people import STUDY, error_line, run, study_in

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


def test_true_answers_are_next_to_those_of_the_chosen_release(study, people, capsys):
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


def test_a_workload_is_summarized_with_its_worst_queries(study, people, capsys):
    out, err = run(capsys, "query", study, "--workload", "by work", "--worst", "2")
    assert "Over 4 queries" in out and len(out.splitlines()) == 6 and "'Mine'" in err
    found = json.loads(run(capsys, "query", study, "--workload", "by work", "--json")[0])
    sick = [age for age, _, disease in people if disease == "Flu"]
    assert found["queries"][2]["true"] == pytest.approx(sum(sick) / len(sick)) and len(found["queries"]) == 4
    assert "200" not in found["summary"] and found["notes"]
    out, _ = run(capsys, "query", study, "--workload", "random", "--worst", "3")
    assert "Over 1,000 queries" in out and len(out.splitlines()) == 7


def test_repeated_queries_of_a_file_are_shown_once(study, capsys):
    (study.parent / "log.txt").write_text("age < 30\n" * 5 + "age < 40\n")
    out, _ = run(capsys, "query", study, "--file", "log.txt", "--worst", "3")
    assert "Over 6 queries" in out and out.count("age < 30") == out.count("age < 40") == 1


def test_a_file_of_queries_is_read_and_unusable_ones_reported(study, capsys):
    (study.parent / "log.sql").write_text("SELECT COUNT(*) FROM p WHERE age < 30;\nSELECT 1;\n")
    out, err = run(capsys, "query", study, "--file", "log.sql")
    assert "age < 30" in out and "note: log.sql: line 2, column 8" in err


def test_only_true_answers_are_printed_without_a_release(study, people, capsys):
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
        ([], "pass queries in quotes"),
        (["age > 3", "--recipe", "1", "--cap", "P_loss=0.5"], "leave out --cap"),
    ],
)
def test_errors_in_a_query_have_their_position(study, capsys, typed, says):
    assert says in error_line(capsys, "query", study, *typed)


def test_errors_are_reported_before_any_work(study, capsys):
    assert "column 1" in error_line(capsys, "query", study, "agee = 1", "--cap", "P_loss=0.5")
    assert not (study.parent / "people.results").exists()


def test_control_characters_of_a_query_are_not_printed(study, capsys):
    out, _ = run(capsys, "query", study, "work = '\x1b[2J'")
    assert "\x1b" not in out and "\ufffd" in out
