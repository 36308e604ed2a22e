"""What commands share: no output takes the place of what is read."""

import shutil

import pytest

from tests.commands.people import STUDY, study_in, wrong

ROWS = "20,[20; 30)\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study in a folder, with everything that it reads beside it under names that an output may have."""
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
def test_no_output_takes_the_place_of_what_is_read(study, capsys, arguments):
    folder = study.parent
    (folder / "sub").mkdir()
    (folder / "link.csv").symlink_to("people.csv")
    shutil.copy("people.csv", "table.yaml")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "which is read; choose another" in wrong(capsys, *arguments)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_neither_do_the_files_that_a_query_names(study, capsys, tmp_path):
    asked = f"SELECT * FROM read_csv('{tmp_path}/p*.csv')"
    study.write_text(study.read_text().replace("{path: people.csv}", f'{{sql: "{asked}"}}'))
    for out in ("people.csv", "points.csv"):  # the second would be among the records from then on
        assert "which is read" in wrong(capsys, "sweep", study, "--out", tmp_path / out)
