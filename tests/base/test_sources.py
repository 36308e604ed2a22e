"""A digest of the engine's sources depends on the requested sources and no others."""

import shutil
import tomllib
from pathlib import Path

import pytest

from workbench.base import resources, sources
from workbench.frontier import store
from workbench.publication.report import batch

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a copy of the engine's sources for editing."""
    monkeypatch.setattr(sources, "PACKAGE", tmp_path / "workbench")
    return shutil.copytree(resources.PACKAGE, tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__"))


def points() -> str:
    return sources.Sources(*store.ROOMS, *store.FILES).digest


def edited(path: Path) -> str:
    """Return the digest of points after an edit, and undo the edit."""
    before = path.read_bytes()
    path.write_bytes(before + b"\nEDITED = 1\n")
    try:
        return points()
    finally:
        path.write_bytes(before)


def test_figures_depend_on_every_room_up_to_the_methods():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    assert layers[layers.index("methods") :][::-1] == list(store.ROOMS)


def test_the_digest_of_points_is_that_of_the_running_sources(package):
    assert points() == store.ENGINE.digest and sources.Sources().digest == batch.ENGINE.digest


@pytest.mark.parametrize(
    "place",
    ["publication/report/page.py", "charts/look.py", "commands/report.py", "studies/study.py", "frontier/caps.py"],
)
def test_points_stay_when_a_page_a_chart_or_a_command_is_edited(package, place):
    assert edited(package / place) == points() == store.ENGINE.digest


@pytest.mark.parametrize("place", [*(f"{room}/__init__.py" for room in store.ROOMS), *store.FILES])
def test_points_are_recomputed_when_their_sources_are_edited(package, place):
    assert edited(package / place) != store.ENGINE.digest


@pytest.mark.parametrize("place", ["page.py", "templates/report.html", "templates/report.css"])
def test_a_report_is_rebuilt_when_its_page_is_edited(package, place):
    with (package / "publication/report" / place).open("a") as file:
        file.write("EDITED = 1\n")
    assert sources.Sources().digest != batch.ENGINE.digest


def test_comments_docstrings_and_line_breaks_do_not_change_the_digest():
    code = 'NAMES = {"a", "b", "c"}\n\n\ndef one(x):\n    return x in {1, 2, NAMES}  # a comment\n'
    same = '"""A module."""\nNAMES = {"a",\n  "b", "c"}\ndef one(x):\n    """One."""\n    return x in {1, 2, NAMES}\n'
    first, second, other = (
        sources.digest_of_source("one.py", source.encode())
        for source in (code, same, code.replace("return x", "return not x"))
    )
    assert first == second != other
    assert len({sources.digest_of_source("one.css", source.encode()) for source in (code, same)}) == 2


def test_a_digest_is_computed_once_per_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = sources.Sources("redaction").digest
    monkeypatch.setattr(sources, "digest_of_source", None)
    assert sources.Sources("redaction").digest == first
