"""Bundled files are found in a checkout and in an installation, and are in the wheel."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from workbench.base import resources

ROOT = Path(__file__).parents[2]


def test_notebooks_of_commands_and_bundled_data_exist():
    assert (resources.DATA / "adult.csv.gz").is_file()
    for name in ("dashboard", "explore", "report"):
        assert (resources.NOTEBOOKS / f"{name}.ipynb").is_file()


def test_a_wheel_contains_the_bundled_files():
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    inside = set(shipped["force-include"].values())
    wanted = {f"workbench/shipped/notebooks/{name}.ipynb" for name in ("dashboard", "explore", "report")}
    assert {"workbench/shipped/data", *wanted} <= inside


def test_an_installed_package_finds_its_own_files(tmp_path):
    shutil.copytree(ROOT / "workbench" / "base", tmp_path / "workbench" / "base")
    (tmp_path / "workbench" / "__init__.py").touch()
    (tmp_path / "workbench" / "shipped" / "data").mkdir(parents=True)
    asked = [sys.executable, "-c", "from workbench.base.resources import DATA; print(DATA)"]
    found = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()) == tmp_path / "workbench" / "shipped" / "data"
