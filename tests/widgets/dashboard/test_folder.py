"""Which folder a dashboard shows when its notebook names none."""

from pathlib import Path

import pytest

from widgets.dashboard import folder


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    monkeypatch.delenv(folder.FOLDER, raising=False)
    monkeypatch.delenv("QUERY_STRING", raising=False)


def test_the_environment_variable_wins_over_the_address(monkeypatch):
    monkeypatch.setenv("QUERY_STRING", "theme=dark&folder=%2Ftmp%2Fa%20b")
    assert folder.folder_to_show() == Path("/tmp/a b")
    monkeypatch.setenv(folder.FOLDER, "/srv/published")
    assert folder.folder_to_show() == Path("/srv/published")


def test_without_either_the_example_is_published_once(monkeypatch, tmp_path):
    from workbench.publication import publish

    made = []

    def write(study, place, warn):
        made.append(study.name)
        place.mkdir()
        (place / "results.json").write_text('{"edition": "1"}')

    monkeypatch.setattr(folder, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(publish, "publish", write)
    assert folder.folder_to_show() == folder.folder_to_show()
    assert made == ["Adult, as in Li & Li (2009)"]
