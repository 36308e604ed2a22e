"""Bundled files are found and shipped; a digest of sources depends on the requested sources and no others."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from workbench.base import package
from workbench.frontier import store
from workbench.publication.report import batch

ROOT = Path(__file__).parents[2]


def test_notebooks_of_commands_and_bundled_data_exist():
    assert (package.DATA / "adult.csv.gz").is_file()
    for name in ("dashboard", "explore", "report"):
        assert (package.NOTEBOOKS / f"{name}.ipynb").is_file()


def test_a_wheel_contains_the_bundled_files():
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    inside = set(shipped["force-include"].values())
    wanted = {f"workbench/shipped/notebooks/{name}.ipynb" for name in ("dashboard", "explore", "report")}
    assert {"workbench/shipped/data", *wanted} <= inside


def test_an_installed_package_finds_its_own_files(tmp_path):
    shutil.copytree(ROOT / "workbench" / "base", tmp_path / "workbench" / "base")
    (tmp_path / "workbench" / "__init__.py").touch()
    (tmp_path / "workbench" / "shipped" / "data").mkdir(parents=True)
    asked = [sys.executable, "-c", "from workbench.base.package import DATA; print(DATA)"]
    found = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()) == tmp_path / "workbench" / "shipped" / "data"


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Return a copy of the engine's sources for editing."""
    folder = tmp_path / "workbench"
    shutil.copytree(package.PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(package, "PACKAGE", folder)
    return folder


def points() -> str:
    return package.Sources(*store.ROOMS, *store.FILES).digest


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


def test_the_digest_of_points_is_that_of_the_running_sources(copied):
    assert points() == store.ENGINE.digest and package.Sources().digest == batch.ENGINE.digest


@pytest.mark.parametrize(
    "place",
    ["publication/report/page.py", "charts/look.py", "commands/report.py", "studies/study.py", "frontier/decision.py"],
)
def test_points_stay_when_a_page_a_chart_or_a_command_is_edited(copied, place):
    assert edited(copied / place) == points() == store.ENGINE.digest


@pytest.mark.parametrize("place", [*(f"{room}/__init__.py" for room in store.ROOMS), *store.FILES])
def test_points_are_recomputed_when_their_sources_are_edited(copied, place):
    assert edited(copied / place) != store.ENGINE.digest


@pytest.mark.parametrize("place", ["page.py", "templates/report.html", "templates/report.css"])
def test_a_report_is_rebuilt_when_its_page_is_edited(copied, place):
    with (copied / "publication/report" / place).open("a") as file:
        file.write("EDITED = 1\n")
    assert package.Sources().digest != batch.ENGINE.digest


def test_comments_docstrings_and_line_breaks_do_not_change_the_digest():
    code = 'NAMES = {"a", "b", "c"}\n\n\ndef one(x):\n    return x in {1, 2, NAMES}  # a comment\n'
    same = '"""A module."""\nNAMES = {"a",\n  "b", "c"}\ndef one(x):\n    """One."""\n    return x in {1, 2, NAMES}\n'
    first, second, other = (
        package.digest_of_source("one.py", source.encode())
        for source in (code, same, code.replace("return x", "return not x"))
    )
    assert first == second != other
    assert len({package.digest_of_source("one.css", source.encode()) for source in (code, same)}) == 2


def test_a_digest_is_computed_once_per_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = package.Sources("redaction").digest
    monkeypatch.setattr(package, "digest_of_source", None)
    assert package.Sources("redaction").digest == first
