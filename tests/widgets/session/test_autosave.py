"""The study is saved automatically: in its file after a pause, in the browser's tab at once."""

from widgets.session.autosave import Autosave
from widgets.session.study_file import StudyFile
from widgets.topbar.topbar import TopBar
from workbench.studies.study import Study

STUDY = Study(name="kept", data={"path": "people.csv"}, quasi=("age",), sensitive=("ill",))


def recording_bar(**traits):
    bar, sent = TopBar(lambda kind, value: None, **traits), {}
    bar.send = lambda content, buffers=None: sent.update(content)
    return bar, sent


def test_the_file_is_written_and_named_in_the_status_line(tmp_path):
    bar, sent = recording_bar()
    saving = Autosave(StudyFile(tmp_path / "kept.study.yaml"), bar)
    saving.schedule(STUDY)
    assert Study.open(tmp_path / "kept.study.yaml").quasi == ("age",)
    assert sent["kept"] == "saved in kept.study.yaml"


def test_a_study_without_quasi_identifiers_gets_no_file(tmp_path):
    saving = Autosave(StudyFile(tmp_path / "kept.study.yaml"), recording_bar()[0])
    saving.schedule(STUDY.with_(quasi=()))
    assert not list(tmp_path.iterdir())


def test_without_a_file_every_change_is_sent_to_the_tab(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bar, sent = recording_bar(remembered=True)
    Autosave(None, bar).schedule(STUDY)
    assert Study.from_yaml(sent["study"]).quasi == ("age",)
    assert not list(tmp_path.iterdir())


def test_other_data_get_another_file_unless_the_file_was_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = STUDY.with_(name="other", data={"path": "other.csv", "drop_missing": True})
    for named, where in ((False, "saved in other.study.yaml"), (True, "saved in kept.study.yaml")):
        bar, sent = recording_bar()
        saving = Autosave(StudyFile(f"{'kept' if named else 'one'}.study.yaml", named=named), bar)
        saving.schedule(STUDY)
        saving.schedule(STUDY.with_(data={**STUDY.data, "drop_missing": True}))
        assert saving.file.path.stem.split(".")[0] == ("kept" if named else "one"), "the same data"
        saving.schedule(other)
        saving.close()
        assert sent["kept"].startswith(where)
    assert Study.open("one.study.yaml").name == "kept" and Study.open("other.study.yaml").name == "other"
