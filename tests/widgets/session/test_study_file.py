"""The study's file: written as one works, never over what another tab has written."""

import pandas as pd
import pytest

from widgets.session.study_file import FileChanged, StudyFile, file_for_other_data, open_study_file, relative_to_folder
from workbench.studies.study import Study

ONE, TWO = Study(name="one"), Study(name="two")


def test_it_comes_back(tmp_path):
    StudyFile(tmp_path / "a.yaml").save(ONE)
    assert StudyFile(tmp_path / "a.yaml").open().name == "one"


def test_two_tabs_on_one_study(tmp_path):
    here, there = StudyFile(tmp_path / "a.yaml"), StudyFile(tmp_path / "a.yaml")
    here.save(ONE)
    there.open()
    there.save(TWO)
    with pytest.raises(FileChanged, match="another tab"):
        here.save(Study(name="three"))
    assert there.open().name == "two"
    here.save(Study(name="three"), over=True)
    assert there.open().name == "three"


def test_the_same_words_are_no_conflict(tmp_path):
    here, there = StudyFile(tmp_path / "a.yaml"), StudyFile(tmp_path / "a.yaml")
    here.save(ONE)
    there.save(ONE)
    here.save(TWO)
    assert there.open().name == "two"


def test_a_file_that_was_there_is_not_overwritten_unread(tmp_path):
    (tmp_path / "a.yaml").write_text("study: mine\n")
    with pytest.raises(FileChanged):
        StudyFile(tmp_path / "a.yaml").save(ONE)
    assert "mine" in (tmp_path / "a.yaml").read_text()


def test_a_file_that_went_away_is_said(tmp_path):
    here = StudyFile(tmp_path / "a.yaml")
    here.save(ONE)
    here.path.unlink()
    with pytest.raises(FileChanged):
        here.save(TWO)


def test_a_study_of_other_data_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / name).mkdir()
    one, other = (Study(name="people", data={"path": f"{name}/people.csv"}) for name in "ab")
    study, file, note = open_study_file(one, None, None, None)
    assert study.data == one.data and file.path.name == "people.study.yaml" and note == ""
    file.save(one.with_(quasi=("age",)))
    again, file, note = open_study_file(one, None, None, None)
    assert again.quasi == ("age",) and "Continued from" in note
    study, file, note = open_study_file(other, None, None, None)
    assert study.data == other.data and file.path.name == "people-2.study.yaml" and "other data" in note


def test_a_frame_of_other_columns_is_other_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = Study(name="from the notebook", data={"given": "frame"})
    _, file, _ = open_study_file(study, pd.DataFrame({"age": [1], "ill": [2]}), None, None)
    file.save(study.with_(quasi=("age",)))
    assert open_study_file(study, pd.DataFrame({"age": [1], "ill": [2]}), None, None)[0].quasi == ("age",), (
        "the same once more"
    )
    other = pd.DataFrame({"age": [1], "sex": [2]})
    assert open_study_file(study, other, None, None)[0].quasi == (), "another frame of this notebook"
    del file
    assert open_study_file(study, other, None, None)[0].quasi == ("age",), (
        "other data with the same columns, after a restart"
    )
    found, file, _ = open_study_file(study, pd.DataFrame({"height": [1]}), None, None)
    assert found.quasi == () and file.path.name == "from-the-notebook-2.study.yaml"


def test_a_study_whose_data_have_become_others_takes_no_file_of_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here, other = (Study(name="people", data={"path": name}, quasi=("age",)) for name in ("a.csv", "b.csv"))
    assert file_for_other_data(here).path.name == "people.study.yaml"
    StudyFile("people.study.yaml").save(other)
    own = file_for_other_data(here)
    assert own.path.name == "people-2.study.yaml"
    own.save(here)
    again = file_for_other_data(here)
    assert again.path == own.path
    with pytest.raises(FileChanged, match="exists already: load the saved version, or keep yours"):
        again.save(here.with_(quasi=("sex",)))


def test_a_damaged_file_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.study.yaml").write_text("study: [")
    _, file, note = open_study_file(ONE, None, None, None)
    assert file.path.name == "one-2.study.yaml" and "is not changed" in note
    assert (tmp_path / "one.study.yaml").read_text() == "study: ["


def test_relative_names_go_with_the_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "studies").mkdir()
    study = Study(data={"path": "data/a.csv"}, hierarchies={"age": {"csv": "age.csv"}, "sex": {"builder": "dates"}})
    moved = relative_to_folder(study, tmp_path / "studies")
    assert moved.data == {"path": "../data/a.csv"}
    assert moved.hierarchies == {"age": {"csv": "../age.csv"}, "sex": {"builder": "dates"}}
    assert relative_to_folder(moved, tmp_path).data == study.data
