"""A digest of the engine's sources follows those that it is asked for, and no others."""

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
    """The engine's sources, to be edited."""
    monkeypatch.setattr(sources, "PACKAGE", tmp_path / "workbench")
    return shutil.copytree(resources.PACKAGE, tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__"))


def points() -> str:
    return sources.digest(*store.ROOMS, *store.FILES)


def edited(path: Path) -> str:
    """The points' digest after an edit that is taken back."""
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    try:
        return points()
    finally:
        path.write_bytes(before)


def test_what_decides_a_figure_is_every_room_up_to_the_methods():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    assert layers[layers.index("methods") :][::-1] == list(store.ROOMS)


def test_the_points_are_of_the_sources_that_run(package):
    assert points() == store.ENGINE and sources.digest() == batch.ENGINE


@pytest.mark.parametrize(
    "place",
    ["publication/report/page.py", "charts/look.py", "commands/report.py", "studies/study.py", "frontier/caps.py"],
)
def test_points_stay_when_a_page_a_chart_or_a_command_is_edited(package, place):
    assert edited(package / place) == points() == store.ENGINE


@pytest.mark.parametrize("place", [*(f"{room}/__init__.py" for room in store.ROOMS), *store.FILES])
def test_points_are_made_again_when_what_decides_them_is_edited(package, place):
    assert edited(package / place) != store.ENGINE


@pytest.mark.parametrize("place", ["page.py", "templates/report.html", "templates/report.css"])
def test_a_report_is_made_again_when_its_page_is_edited(package, place):
    with (package / "publication/report" / place).open("a") as file:
        file.write("\n")
    assert sources.digest() != batch.ENGINE
