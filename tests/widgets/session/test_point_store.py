"""Points are stored in a named folder, next to the study's file, or temporarily."""

from widgets.session.point_store import PointStore
from widgets.session.study_file import StudyFile


def test_the_store_is_next_to_the_current_study(tmp_path):
    files = [StudyFile(tmp_path / f"{name}.study.yaml") for name in "ab"]
    points = PointStore(None, lambda: files[0])
    first = points.store
    assert points.store is first and first.folder.parent == tmp_path and points.permanent_folder == first.folder
    files.reverse()
    assert points.store.folder != first.folder
    files.reverse()
    assert points.store is first


def test_a_named_folder_is_used_for_all_studies(tmp_path):
    points = PointStore(tmp_path / "points", lambda: StudyFile(tmp_path / "a.study.yaml"))
    assert points.store.folder == points.permanent_folder == tmp_path / "points"


def test_without_a_file_the_store_is_temporary():
    points = PointStore(None, lambda: None)
    folder = points.store.folder
    assert folder.exists() and points.permanent_folder is None
    points.close()
    assert not folder.exists()
