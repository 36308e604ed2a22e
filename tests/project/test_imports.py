"""All that is imported is declared, so that no installation rests on what another package happens to bring."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OWN = {"workbench", "widgets", "tests", "benchmarks", "scripts"}
# with what the recorded releases were made, in an environment of its own; what comes with Spark in this process
ELSEWHERE = {"anjana", "py4j"}
# the homes of what need not be installed
EXTRA = {"pyspark": ["pyspark-client"], "grpc": ["grpcio"], "pysail": ["pysail"]}


def declared(*lists: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for given in lists for text in given}


def imported(folder: str) -> set[str]:
    """Return the packages that a folder imports, at any place in its files."""
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module.split(".")[0])
    return found - OWN - ELSEWHERE - set(sys.stdlib_module_names)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["workbench", "widgets", "tests"])
def test_everything_imported_is_declared(folder):
    extras = PROJECT["optional-dependencies"]
    known = declared(PROJECT["dependencies"], extras["dev"] if folder == "tests" else extras["spark"])
    homes = {**EXTRA, **packages_distributions()}
    missing = {name for name in imported(folder) if not known & set(map(canonicalize_name, homes.get(name, [name])))}
    assert not missing, f"declare in pyproject.toml and environment.yml: {', '.join(sorted(missing))}"


ADVISED = {"jupyter-server": "2.17.0", "tornado": "6.5", "voila": "0.5.5", "jinja2": "3.1.5", "jupyterlab": "4.4.7"}


@pytest.mark.parametrize("name", ADVISED)
def test_versions_with_known_advisories_are_excluded(name):
    (given,) = (one for one in map(Requirement, PROJECT["dependencies"]) if canonicalize_name(one.name) == name)
    assert ADVISED[name] not in given.specifier
