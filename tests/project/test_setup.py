"""The ways to install it agree, and the wheel works where there is no checkout."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.commands.people import study_in
from tests.project.tracked import ROOT, tracked_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA_NAMES = {"duckdb": "python-duckdb"}

FRONTIER = """
import sys
from pathlib import Path
import workbench
assert Path(workbench.__file__).is_relative_to(sys.prefix), workbench.__file__
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity

if __name__ == "__main__":
    table = workbench.datasets.adult()
    recipes = [workbench.Recipe(Mondrian(), KAnonymity(k)) for k in (10, 100, 1000)]
    frontier = workbench.sweep(table, recipes, [PrivacyLoss(), UtilityLoss()])
    assert len(frontier.points) >= 3 and len(frontier.efficient) > 0
    print(frontier.points)
"""


def requirements() -> list[Requirement]:
    return [Requirement(text) for text in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]]


def test_conda_environment_matches_pyproject():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = {r.name: r.specifier for r in (Requirement(entry) for entry in entries if isinstance(entry, str))}
    del conda["pip"]
    ours = {CONDA_NAMES.get(r.name, r.name): r.specifier for r in requirements()}
    ours["python"] = Requirement("python" + PROJECT["requires-python"]).specifier
    own, *by_pip = entries[-1]["pip"]
    assert conda | {r.name: r.specifier for r in map(Requirement, by_pip)} == ours
    assert own == "-e ."


def test_constraints_pin_every_dependency_within_its_bounds():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines), "names and versions only"
    pins = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    for requirement in requirements():
        assert pins[canonicalize_name(requirement.name)] in requirement.specifier, requirement


def test_no_file_names_a_registry_or_this_machine():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: no telling what would be committed")
    # in pieces, or this file would find itself
    hosts = "|".join(["py" + "pi.org", "python" + "hosted.org", "ana" + "conda.org", "-index-" + "url"])
    places = "|".join(re.escape(f"{place}/") for place in (ROOT, Path.home()))
    unwanted = re.compile(rf"{hosts}|(?<![\w./-])(?:{places})".encode())
    found = []
    for path in tracked_files("--others", "--exclude-standard"):
        found += [f"{path.relative_to(ROOT)}: {match.decode()}" for match in set(unwanted.findall(path.read_bytes()))]
    assert not found


PAGE = """
    from voila.paths import collect_template_paths
    from widgets.commands import lab
    from widgets.frontier import saved_picture
    from widgets.server.server import TEMPLATES
    from workbench.base.package import DATA, NOTEBOOKS
    from workbench.charts import offline
    from workbench.publication.report.page import render

    notebooks = [NOTEBOOKS / name for name in ("dashboard.ipynb", lab.EXPLORE, "report.ipynb")]
    for path in (DATA / "adult.csv.gz", *notebooks):
        assert path.is_relative_to(sys.prefix) and path.exists(), path
    found = collect_template_paths(["nbconvert"], "workbench", root_dirs=[str(TEMPLATES)])
    assert Path(found[0], "index.html.j2").is_relative_to(sys.prefix)
    assert Path(found[0], "static", "page.css").exists()
    assert "a &amp; b" in render("tables.html", paragraphs=["a & b"], tables=())
    assert "<title>a" in offline.page("a") and "no points yet" in saved_picture._empty("a")
"""


def needed(requirements: list[str]) -> dict[str, Distribution]:
    """Return the distributions that pip would install for some requirements, with their dependencies."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        key = f"{name}[{','.join(sorted(one.extras))}]"
        if key in found or not any(_applies(one, extra) for extra in ("", *one.extras)):
            continue
        found[key] = distribution(name)
        assert found[key].version in one.specifier, one
        for text in found[key].requires or ():
            other = Requirement(text)
            if any(_applies(other, extra) for extra in ("", *one.extras)):
                other.marker = None
                waiting.append(other)
    return found


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def lend(lender: Distribution, site: Path) -> None:
    """Links in another environment to everything that pip has installed of a distribution, but its programs."""
    for file in lender.files:
        inside = file.parts[0] != ".."
        name = Path(file.parts[0]) if inside else Path(os.path.normpath(site / file))
        if "__pycache__" in name.parts or "bin" in name.parts:
            continue
        target = site / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(lender.locate_file(name if inside else file).resolve())


@pytest.mark.slow
def test_wheel_runs_a_frontier_in_an_empty_environment(tmp_path):
    """The environment has the wheel and its dependencies, but no development tools."""

    def run(*command: str | Path, cwd: Path = tmp_path) -> str:
        # nothing of this environment or checkout may leak into the new one
        outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        done = subprocess.run(command, cwd=cwd, env=outside, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=ROOT)
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    wheel = next(tmp_path.glob("*.whl"))
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (installed,) = distributions(path=[str(site)])
    lent = needed([text for text in installed.requires if "extra ==" not in text])
    assert not {"pytest", "mlxtend", canonicalize_name(PROJECT["name"])} & {key.partition("[")[0] for key in lent}
    for lender in lent.values():
        lend(lender, site)
    for compiled in (ROOT / "workbench").rglob("__pycache__/*.nb[ci]"):  # numba knows it by its source
        shutil.copy(compiled, site / compiled.relative_to(ROOT).parent)
    (tmp_path / "frontier.py").write_text(FRONTIER + PAGE)
    run(python, "frontier.py")
    command = tmp_path / "venv" / "bin" / "workbench"
    run(command, "dashboard", "--publish", study_in(tmp_path).name, "published")
    assert (tmp_path / "published" / "results.json").exists()
