"""Long hierarchies are files next to the study, readable by their owner only, for studies, scripts and other tabs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from widgets.session.study_file import FileChanged, StudyFile
from workbench import BadInput
from workbench.commands.main import main
from workbench.data.records import fingerprint
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.studies.checker import check_study
from workbench.studies.script import python_code
from workbench.studies.study import Study, files_read

EMPLOYERS = [f"PLANTED {i % 40} / branch {i}" for i in range(400)]
GROUPS = {f"PLANTED {g} / *": [one for one in EMPLOYERS if one.startswith(f"PLANTED {g} /")] for g in range(40)}
FILE = "people.employer.hierarchy.json"


@pytest.fixture
def folder(tmp_path):
    rows = {"age": [20 + i % 50 for i in range(400)], "employer": EMPLOYERS, "disease": ["flu", "ulcer"] * 200}
    pd.DataFrame(rows).to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def study(folder, **changes):
    return Study(
        name="people",
        data={"path": "people.csv"},
        quasi=("age", "employer"),
        sensitive=("disease",),
        hierarchies={"employer": {"builder": "groups", "levels": [GROUPS], "order": []},
                     "age": {"builder": "intervals", "widths": [10]}},
        recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 5}},),
        measures=({"name": "average class size"},),
        folder=str(folder),
    ).with_(**changes)  # fmt: skip


def test_a_long_hierarchy_is_in_a_private_file_and_not_in_the_study(folder):
    os.umask(0o022)
    whole = study(folder)
    path = whole.save(folder / "people.study.yaml")
    text = path.read_text()
    assert "PLANTED" not in text and len(text) < 1000 and f"file: {FILE}" in text
    assert "widths" in text, "a short hierarchy stays in the study"
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600
    assert json.loads((folder / FILE).read_text())["levels"] == [GROUPS]
    opened = Study.open(path)
    assert opened.hierarchies == whole.hierarchies and opened.files == {"employer": FILE}
    assert folder / FILE in files_read(opened)
    assert fingerprint(opened.table(opened.read())) == fingerprint(whole.table(whole.read()))


def test_a_hierarchy_file_is_found_from_any_working_directory(folder, monkeypatch, tmp_path_factory):
    study(folder).save(folder / "people.study.yaml")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    opened = Study.open(folder / "people.study.yaml")
    assert opened.hierarchies == study(folder).hierarchies
    copy = opened.save(folder / "copy.yaml")
    assert "copy.employer.hierarchy.json" in copy.read_text(), "two studies share no file"
    assert (folder / FILE).exists() and Study.open(copy).hierarchies == opened.hierarchies


def test_columns_with_similar_names_have_separate_files(folder):
    long = {"builder": "groups", "levels": [{"all": [str(i) for i in range(200)]}], "order": []}
    other = {**long, "levels": [{"all": [str(-i) for i in range(200)]}]}
    given = {"a b": long, "a/b": other, "A-B": long, "../x": other, "": long}
    saved = study(folder, hierarchies=given).save(folder / "people.yaml")
    files = Study.open(saved).files
    assert len({name.casefold() for name in files.values()}) == 5 and all("/" not in name for name in files.values())
    assert Study.open(saved).hierarchies == given


@pytest.mark.parametrize(
    "how, said",
    [
        (lambda path: path.unlink(), "No such file"),
        (lambda path: path.write_text('{"builder": "groups", "levels": [{"PLANTED": '), "contains no hierarchy"),
        (lambda path: path.write_text('["PLANTED"]'), "contains no hierarchy"),
        (lambda path: path.write_bytes(b"\xff\xfePLANTED"), "contains no hierarchy"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "is not a file"),
        (lambda path: (path.unlink(), path.mkdir()), "is not a file"),
    ],
)
def test_an_unreadable_file_is_reported_at_its_line_without_a_value(folder, how, said):
    path = study(folder).save(folder / "people.study.yaml")
    how(folder / FILE)
    with pytest.raises(BadInput, match=rf"line \d+: the hierarchy file {FILE} cannot be read: .*{said}") as caught:
        Study.open(path)
    assert "PLANTED" not in str(caught.value)
    problems = [problem for problem in check_study(path).problems if FILE in problem.text]
    assert len(problems) == 1 and problems[0].line


def test_an_untrusted_study_reads_no_file_outside_its_folder(folder):
    study(folder).save(folder / "people.study.yaml")
    (folder / "inner").mkdir()
    text = (folder / "people.study.yaml").read_text()
    assert Study.from_yaml(text, folder, confined=True).files
    for name in (f"../{FILE}", str(folder / FILE), "../none.json"):
        with pytest.raises(BadInput, match="outside the folder"):
            Study.from_yaml(text.replace(FILE, name), folder / "inner", confined=True)


@pytest.mark.slow
def test_the_exported_script_names_the_hierarchy_file(folder):
    whole = study(folder)
    opened = Study.open(whole.save(folder / "people.study.yaml"))
    for one in (whole, opened):
        code = python_code(one, Recipe(Mondrian(), KAnonymity(5)))
        assert "PLANTED" not in code and f"read_hierarchy('{FILE}')" in code
    (folder / "release.py").write_text(code)
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "release.py"], cwd=folder, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert len(pd.read_csv(folder / "release.csv")) == 400


def test_hierarchy_files_follow_edits_undo_and_other_tabs(folder):
    """Each file of a study is complete, and changes by another tab are detected."""
    first = study(folder)
    here = StudyFile(folder / "people.study.yaml")
    here.save(first)
    changed = [*GROUPS.items()]
    other = study(folder, hierarchies={"employer": {"builder": "groups", "levels": [dict(changed[:30])], "order": []}})
    here.save(other)
    assert Study.open(here.path).hierarchies == other.hierarchies
    here.save(first)  # undone
    there = StudyFile(here.path)
    assert there.open().hierarchies == first.hierarchies
    here.save(first)
    there.save(other)  # the study's text hardly changes, its hierarchy file does
    with pytest.raises(FileChanged):
        here.save(first.with_(seed=1))
    here.save(first.with_(seed=1), over=True)
    assert there.open().hierarchies == first.hierarchies


def test_init_writes_the_hierarchy_file_next_to_the_study(folder, capsys):
    frame = pd.read_csv(folder / "people.csv")
    pd.concat([frame] * 3).to_csv(folder / "people.csv", index=False)
    assert (
        main(["init", str(folder / "people.csv"), "--quasi", "age,employer", "--sensitive", "disease", "--json"]) == 0
    )
    said = capsys.readouterr()
    text = (folder / "people.study.yaml").read_text()
    assert f"file: {FILE}" in text and "PLANTED" not in text + said.out
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600
    assert Study.open(folder / "people.study.yaml").hierarchies["employer"]["builder"] == "groups"
    assert main(["init", str(folder / "people.csv")]) == 2, "the file is not overwritten"
