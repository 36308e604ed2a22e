"""The study is kept while one works: in its file after a moment, in the browser's tab at once."""

from widgets.session.keeping import Keeper
from widgets.session.saving import Saving
from widgets.topbar.topbar import TopBar
from workbench.studies.study import Study

STUDY = Study(name="kept", data={"path": "people.csv"}, quasi=("age",), sensitive=("ill",))


def bar_that_hears(**traits):
    bar, sent = TopBar(lambda kind, value: None, **traits), {}
    bar.send = lambda content, buffers=None: sent.update(content)
    return bar, sent


def test_its_file_is_written_and_that_is_said(tmp_path):
    bar, sent = bar_that_hears()
    saving = Saving(Keeper(tmp_path / "kept.study.yaml"), bar)
    saving.soon(STUDY)
    assert Study.open(tmp_path / "kept.study.yaml").quasi == ("age",)
    assert sent["kept"] == "kept in kept.study.yaml"


def test_a_study_in_which_nothing_is_asked_is_not_worth_a_file(tmp_path):
    saving = Saving(Keeper(tmp_path / "kept.study.yaml"), bar_that_hears()[0])
    saving.soon(STUDY.with_(quasi=()))
    assert not list(tmp_path.iterdir())


def test_the_tab_hears_of_every_change_and_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bar, sent = bar_that_hears(remembered=True)
    Saving(None, bar).soon(STUDY)
    assert Study.from_yaml(sent["study"]).quasi == ("age",)
    assert not list(tmp_path.iterdir())


def test_a_file_after_its_data_keeps_no_study_of_others_and_a_named_one_keeps_any(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = STUDY.with_(name="other", data={"path": "other.csv", "drop_missing": True})
    for named, where in ((False, "kept in other.study.yaml"), (True, "kept in kept.study.yaml")):
        bar, sent = bar_that_hears()
        saving = Saving(Keeper(f"{'kept' if named else 'one'}.study.yaml", named=named), bar)
        saving.soon(STUDY)
        saving.soon(STUDY.with_(data={**STUDY.data, "drop_missing": True}))
        assert saving.keeper.path.stem.split(".")[0] == ("kept" if named else "one"), "the same data"
        saving.soon(other)
        saving.close()
        assert sent["kept"].startswith(where)
    assert Study.open("one.study.yaml").name == "kept" and Study.open("other.study.yaml").name == "other"
