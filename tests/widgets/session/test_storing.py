"""Where points are kept: where somebody says, beside the study's file, or until the workbench is closed."""

from widgets.session.keeping import Keeper
from widgets.session.storing import Storing


def test_it_lies_beside_the_study_at_hand(tmp_path):
    keepers = [Keeper(tmp_path / f"{name}.study.yaml") for name in "ab"]
    storing = Storing(None, lambda: keepers[0])
    first = storing.store
    assert storing.store is first and first.folder.parent == tmp_path and storing.lasting == first.folder
    keepers.reverse()
    assert storing.store.folder != first.folder
    keepers.reverse()
    assert storing.store is first


def test_a_folder_that_is_named_is_the_folder_of_all(tmp_path):
    storing = Storing(tmp_path / "points", lambda: Keeper(tmp_path / "a.study.yaml"))
    assert storing.store.folder == storing.lasting == tmp_path / "points"


def test_without_a_file_it_goes_when_the_workbench_does():
    storing = Storing(None, lambda: None)
    folder = storing.store.folder
    assert folder.exists() and storing.lasting is None
    storing.close()
    assert not folder.exists()
