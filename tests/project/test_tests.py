"""The tests stand where what they test stands: a file has a test of its name in the same folder. No module is long."""

import re
import tomllib
from itertools import product
from pathlib import Path

import pytest

from workbench.frontier.recipe import variants

ROOT = Path(__file__).parents[2]
# one file holds all variants of a catalog beside their definitions, written with loops
ORACLES = {
    "model": "models/test_definitions.py",
    "measure": "measures/test_naive.py",
    "miner": "miners/test_definitions.py",
}
VARIANTS = {kind: ORACLES[name] for name in ORACLES for kind in variants(name).values()}


def place_of(path: Path) -> Path:
    """Return the path of a module's test; tests of the engine are in tests/ itself."""
    room = path.relative_to(ROOT).parent
    return (
        ROOT / "tests" / (room.relative_to("workbench") if room.parts[0] == "workbench" else room) / f"test_{path.name}"
    )


def files() -> list[Path]:
    """Every module, but those of one variant each."""
    found = [path for package in ("workbench", "widgets") for path in sorted((ROOT / package).rglob("*.py"))]
    among_others = {kind.__module__ for kind in VARIANTS}
    modules = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found}
    return [path for path, module in modules.items() if path.name != "__init__.py" and module not in among_others]


def test_ci_runs_every_test_once_and_properties_with_all_their_examples():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["addopts"]
    fast = re.search("-m '(.*)'", options)[1]
    both = "make test ARGS=--hypothesis-profile=same.*\nmake test-full ARGS=\"-m '(.*)'\""
    rest = re.search(both, (ROOT / ".ci/run").read_text())[1]
    for slow, exhaustive in product([False, True], repeat=2):
        given = {"slow": slow, "exhaustive": exhaustive}
        assert eval(fast, given) + eval(rest, given) == (not exhaustive), given


def test_no_module_has_more_than_600_lines():
    found = [path for package in ("workbench", "widgets") for path in (ROOT / package).rglob("*.py")]
    assert [path.name for path in found if len(path.read_text("utf-8").splitlines()) > 600] == []


def test_every_file_has_a_test_of_its_name():
    without = [
        f"{path.relative_to(ROOT)} has no {place_of(path).relative_to(ROOT)}"
        for path in files()
        if not place_of(path).is_file()
    ]
    assert without == []


@pytest.mark.parametrize("kind", VARIANTS, ids=lambda kind: kind.__name__)
def test_every_model_measure_and_miner_stands_beside_its_definition(kind):
    assert kind.__name__ in (ROOT / "tests" / VARIANTS[kind]).read_text("utf-8")
