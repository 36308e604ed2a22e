"""Type checkers and editors see every name that is loaded late: the lists for them are those of run time."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import widgets
import workbench
from workbench.base.variants import catalog
from workbench.measures import Measure
from workbench.methods import Method
from workbench.miners import Miner
from workbench.models import Model

CATALOGS = {
    "workbench.models": Model,
    "workbench.methods": Method,
    "workbench.measures": Measure,
    "workbench.miners": Miner,
}


def typing_imports(module) -> dict[str, str]:
    """Return the import lines for type checkers, by name."""
    tree = ast.parse(inspect.getsource(module))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {alias.asname: ast.unparse(node) for node in block.body for alias in node.names}


@pytest.mark.parametrize("room", CATALOGS)
def test_every_variant_of_the_catalog_is_seen(room):
    known = catalog(room, CATALOGS[room]).values()
    lines = {kind.__name__: f"from {kind.__module__} import {kind.__name__} as {kind.__name__}" for kind in known}
    module = importlib.import_module(room)
    there = typing_imports(module)
    assert there == lines, f"{module.__file__}: under TYPE_CHECKING stand " + "; ".join(lines.values())


@pytest.mark.parametrize("package", [workbench, widgets], ids=lambda package: package.__name__)
def test_every_name_of_the_package_is_seen_and_is_what_it_seems(package):
    there = typing_imports(package)
    assert set(there) == {name for name in package.__all__ if name != "__version__"}
    for name, line in there.items():
        names: dict[str, object] = {}
        exec(line, names)
        assert names[name] is getattr(package, name), line


@pytest.mark.parametrize("package", [workbench, widgets], ids=lambda package: package.__name__)
def test_the_package_says_that_it_is_typed(package):
    assert Path(package.__file__).with_name("py.typed").exists()
