"""The study's file: written as one works, never over what another tab has written."""

import pytest

from widgets.keeping import Changed, Keeper
from workbench.study import Study

ONE, TWO = Study(name="one"), Study(name="two")


def test_it_comes_back(tmp_path):
    Keeper(tmp_path / "a.yaml").save(ONE)
    assert Keeper(tmp_path / "a.yaml").open().name == "one"


def test_two_tabs_on_one_study(tmp_path):
    here, there = Keeper(tmp_path / "a.yaml"), Keeper(tmp_path / "a.yaml")
    here.save(ONE)
    there.open()
    there.save(TWO)
    with pytest.raises(Changed, match="another tab"):
        here.save(Study(name="three"))
    assert there.open().name == "two"
    here.save(Study(name="three"), over=True)
    assert there.open().name == "three"


def test_the_same_words_are_no_conflict(tmp_path):
    here, there = Keeper(tmp_path / "a.yaml"), Keeper(tmp_path / "a.yaml")
    here.save(ONE)
    there.save(ONE)
    here.save(TWO)
    assert there.open().name == "two"


def test_a_file_that_was_there_is_not_overwritten_unread(tmp_path):
    (tmp_path / "a.yaml").write_text("study: mine\n")
    with pytest.raises(Changed):
        Keeper(tmp_path / "a.yaml").save(ONE)
    assert "mine" in (tmp_path / "a.yaml").read_text()


def test_a_file_that_went_away_is_said(tmp_path):
    here = Keeper(tmp_path / "a.yaml")
    here.save(ONE)
    here.path.unlink()
    with pytest.raises(Changed):
        here.save(TWO)
