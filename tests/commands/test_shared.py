"""Common behavior of commands: no output overwrites an input; rows of tables are wrapped, never cut."""

import shutil
from dataclasses import fields
from pathlib import Path

import pytest
import typer

from tests.commands.people import STUDY, error_line, study_in
from workbench.commands import main
from workbench.commands.reading import Reading
from workbench.commands.shared import wrap_table, wrap_text

ROWS = "20,[20; 30)\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Write a study whose inputs have names that an output may have."""
    monkeypatch.chdir(tmp_path)
    path = study_in(tmp_path, STUDY.replace("{builder: intervals, widths: [10, 20]}", "{csv: groups.csv}"))
    ages = sorted({line.split(",")[0] for line in (tmp_path / "people.csv").read_text().splitlines()[1:]})
    (tmp_path / "groups.csv").write_text("".join(f"{age},{int(age) // 10 * 10}s\n" for age in ages))
    shutil.copy("people.csv", "people-release.csv")
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["sweep", "people.yaml", "--out", "people.csv"],
        ["sweep", "people.yaml", "--out", "groups.csv"],
        ["search", "people.yaml", "--out", "people.csv"],
        ["sweep", "people.yaml", "--out", "sub/../people.csv"],
        ["sweep", "people.yaml", "--out", "link.csv"],
        ["anonymize", "people.yaml", "--recipe", "1", "-o", "people.csv", "--force"],
        ["anonymize", "people.yaml", "--recipe", "1", "-o", "groups.csv", "--force"],
        ["anonymize", "people.csv", "--quasi", "age", "--model", "k-anonymity, k=2", "-o", "people.csv", "--force"],
        ["anonymize", "link.csv", "--quasi", "age", "--model", "k-anonymity, k=2", "-o", "people.csv", "--force"],
        ["init", "table.yaml", "-o", "table.yaml", "--force"],
        ["dashboard", "--publish", "people.yaml", "."],
    ],
    ids=" ".join,
)
def test_no_output_overwrites_an_input(study, capsys, arguments):
    folder = study.parent
    (folder / "sub").mkdir()
    (folder / "link.csv").symlink_to("people.csv")
    shutil.copy("people.csv", "table.yaml")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "which is an input; choose another" in error_line(capsys, *arguments)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_no_output_overwrites_one_of_several_input_files(study, capsys):
    bucketized = ["k-anonymity, k=2 (mondrian, publish=bucketized)", "-o", "people.csv", "--force"]
    for read in ("people-records.csv", "people-disease.csv"):
        data = study.parent / read
        shutil.copy("people.csv", data)
        asked = ["--quasi", "age,work", "--sensitive", "disease", "--model", *bucketized]
        assert "which is an input; choose another" in error_line(capsys, "anonymize", data, *asked)
        assert data.read_bytes() == Path("people.csv").read_bytes()


def test_no_output_overwrites_files_named_by_a_query(study, capsys, tmp_path):
    asked = f"SELECT * FROM read_csv('{tmp_path}/p*.csv')"
    study.write_text(study.read_text().replace("{path: people.csv}", f'{{sql: "{asked}"}}'))
    for out in ("people.csv", "points.csv"):  # the output would be part of the next input
        assert "which is an input" in error_line(capsys, "sweep", study, "--out", tmp_path / out)


def test_all_commands_have_the_same_options_for_reading_tables():
    """The options have one declaration, so a new option appears in all three commands."""
    commands, names = typer.main.get_command(main.app).commands, [field.name for field in fields(Reading)]
    found = [{one.name: (one.opts, one.help, one.metavar) for one in commands[name].params} for name in main.READING]
    for given in found:
        assert {name: given[name] for name in names} == {name: found[0][name] for name in names}
        assert "reading" not in given


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "people.yaml"],
        ["sweep", "people.yaml"],
        ["frontier", "people.yaml"],
        ["anonymize", "people.yaml", "--recipe", "1", "-o", "out.csv"],
        ["anonymize", "people.csv", "--quasi", "age", "--model", "k-anonymity, k=5", "-o", "out.csv"],
        ["audit", "people.csv", "--quasi", "age,work"],
        ["audit", "people.csv", "--study", "people.yaml"],
        ["dashboard", "--publish", "people.yaml", "folder"],
    ],
    ids=" ".join,
)
def test_notes_about_roles_are_printed_once(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    study_in(tmp_path, STUDY)
    rows = [f"{20 + i},{'Farm' if i % 3 else 'Shop'},{'Flu' if i % 2 else 'Ulcer'}\n" for i in range(60)]
    (tmp_path / "people.csv").write_text("age,work,disease\n" + "".join(rows))
    main.main(arguments)
    ask = "note: column 'age' (quasi) is different in (nearly) every record; is it an identifier?"
    assert capsys.readouterr().err.count(ask) == 1


def test_rows_are_wrapped_and_never_cut():
    rows = [("#", "recipe", "a", ""), ("1", "one two three four five six seven", "0.5", "best, dominated by 2")]
    assert wrap_table(rows, 40) == [
        ["#  recipe                  a"],
        ["1  one two three four    0.5  best,", f"   five six seven{' ' * 13}dominated", f"{' ' * 30}by 2"],
    ]
    assert wrap_table([("#", "recipe", "a", ""), ("1", "x" * 99, "0.5", "")], None)[1] == [f"1  {'x' * 99}  0.5"]


def test_sentences_are_wrapped():
    assert wrap_text("one two three four five", 18) == ["one two three four", "five"] and wrap_text(
        "one two", None
    ) == ["one two"]
