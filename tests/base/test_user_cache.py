"""Texts are computed once per user; without a writable cache, each time."""

import pytest

from workbench.base.user_cache import cache_folder, cached_text


@pytest.fixture
def computed(tmp_path, monkeypatch):
    """Return a function that computes a text, and the list of its calls."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    calls = []
    return lambda: calls.append(1) or "text", calls


def test_a_text_is_computed_once(computed):
    compute, calls = computed
    assert [cached_text("one", compute), cached_text("one", compute)] == ["text", "text"] and len(calls) == 1
    assert cache_folder().stat().st_mode & 0o077 == 0
    assert [path.name for path in cache_folder().iterdir()] == ["one"], "nothing half-written is left"


def test_a_damaged_text_is_replaced(computed):
    compute, _ = computed
    cached_text("one", compute)
    (cache_folder() / "one").write_bytes(b"\xff")
    assert cached_text("one", compute) == (cache_folder() / "one").read_text() == "text"


def test_without_a_writable_cache_it_is_computed_each_time(computed, tmp_path):
    compute, calls = computed
    (tmp_path / "cache").write_text("")  # no folder can be made there
    assert [cached_text("one", compute), cached_text("one", compute)] == ["text", "text"] and len(calls) == 2
