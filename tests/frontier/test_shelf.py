"""Predictions in the store: for the owner alone, found by what was seen, and said where they are damaged.

And the clusters of points that are not finished: as private, and nothing where they were changed.
"""

import os

import numpy as np
import pytest

from workbench.base.errors import BadInput
from workbench.frontier import shelf as module
from workbench.frontier.shelf import StorePlace, StoreShelf
from workbench.frontier.store import Store
from workbench.miners import Majority, NaiveBayes


def test_what_is_kept_is_found_by_what_was_seen_and_by_whom(tmp_path):
    shelf, found = StoreShelf(Store(tmp_path / "store")), np.arange(5, dtype=np.int32)
    assert shelf.mined(b"seen", Majority()) is None
    shelf.keep_mined(b"seen", Majority(), found)
    again = StoreShelf(Store(tmp_path / "store"))
    assert np.array_equal(again.mined(b"seen", Majority()), found)
    assert again.mined(b"other", Majority()) is None and again.mined(b"seen", NaiveBayes()) is None
    (path,) = (tmp_path / "store").glob("*.mined")
    assert path.stat().st_mode & 0o777 == 0o600 and Store(tmp_path / "store").keys() == []
    path.write_bytes(b"x")
    with pytest.raises(BadInput, match="cannot be read; delete it"):
        again.mined(b"seen", Majority())


def test_clusters_are_kept_under_the_key_of_their_point_until_it_is_finished(tmp_path):
    store = Store(tmp_path / "store")
    place = StorePlace(store, "ab" * 20)
    assert place.begun() is None
    place.keep_begun(b"some")
    place.keep_begun(b"more")
    assert StorePlace(Store(tmp_path / "store"), "ab" * 20).begun() == b"more"
    assert place.path.stat().st_mode & 0o777 == 0o600 and store.keys() == []
    place.clear()
    assert place.begun() is None and not list(store.folder.glob("*.begun"))
    place.clear()


@pytest.mark.parametrize("changed", [b"", b"x", b"0" * 60])
def test_clusters_that_somebody_else_has_written_are_nothing(tmp_path, changed):
    place, other = (StorePlace(Store(tmp_path / name), "ab" * 20) for name in ("one", "other"))
    place.keep_begun(b"mine")
    kept = place.path.read_bytes()
    for content in (changed, kept[:-1], kept + b"x", kept[:-1] + b"f"):
        place.path.write_bytes(content)
        assert place.begun() is None
    other.path.write_bytes(kept)
    assert other.begun() is None, "of another store"
    elsewhere = StorePlace(place.store, "cd" * 20)
    elsewhere.path.write_bytes(kept)
    assert elsewhere.begun() is None, "of another point"


def test_of_few_points_alone_are_clusters_kept(tmp_path):
    store = Store(tmp_path / "store")
    for i in range(module.MOST + 3):
        place = StorePlace(store, f"{i:040x}")
        place.keep_begun(b"clusters")
        os.utime(place.path, (i, i))
    there = {path.stem for path in store.folder.glob("*.begun")}
    assert there == {f"{i:040x}" for i in range(3, module.MOST + 3)}


def test_a_place_that_cannot_be_read_is_said(tmp_path):
    place = StorePlace(Store(tmp_path / "store"), "ab" * 20)
    place.path.mkdir()
    with pytest.raises(BadInput, match=r"cannot be read .*; delete it, and sweep again"):
        place.begun()
