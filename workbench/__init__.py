"""Decide which anonymized version of a table to publish.

Modules are imported on first use: `import workbench` takes milliseconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
    from workbench import charts as charts
    from workbench import frontier as frontier
    from workbench import measures as measures
    from workbench import methods as methods
    from workbench import models as models
    from workbench import queries as queries
    from workbench.base.errors import BadInput as BadInput
    from workbench.base.errors import Undefined as Undefined
    from workbench.base.errors import Unsatisfiable as Unsatisfiable
    from workbench.data import datasets as datasets
    from workbench.data.dependencies import dependencies as dependencies
    from workbench.data.hierarchies import builders as builders
    from workbench.data.hierarchies.hierarchy import Hierarchy as Hierarchy
    from workbench.data.reading.source import Query as Query
    from workbench.data.table import Table as Table
    from workbench.disclosure.any_subset import uniqueness_by_subset as uniqueness_by_subset
    from workbench.disclosure.exposure import disclosure_table as disclosure_table
    from workbench.frontier.frontier import Frontier as Frontier
    from workbench.frontier.lattice import lattice as lattice
    from workbench.frontier.recipe import Point as Point
    from workbench.frontier.recipe import Recipe as Recipe
    from workbench.frontier.recipe import recipes as recipes
    from workbench.frontier.search import search as search
    from workbench.frontier.store import Store as Store
    from workbench.frontier.sweep import sweep as sweep

__version__ = "0.1.0"

_HOME = {
    "BadInput": "base.errors",
    "Undefined": "base.errors",
    "Unsatisfiable": "base.errors",
    "Table": "data.table",
    "Query": "data.reading.source",
    "Hierarchy": "data.hierarchies.hierarchy",
    "builders": "data.hierarchies.builders",
    "datasets": "data.datasets",
    "dependencies": "data.dependencies",
    "Recipe": "frontier.recipe",
    "Point": "frontier.recipe",
    "recipes": "frontier.recipe",
    "Frontier": "frontier.frontier",
    "Store": "frontier.store",
    "sweep": "frontier.sweep",
    "search": "frontier.search",
    "lattice": "frontier.lattice",
    "disclosure_table": "disclosure.exposure",
    "uniqueness_by_subset": "disclosure.any_subset",
}
_ROOMS = ("charts", "frontier", "measures", "methods", "models", "queries")

__all__ = ["__version__", *_HOME, *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        home = importlib.import_module(f"workbench.{_HOME[name]}")
        return home if _HOME[name].endswith(f".{name}") and not hasattr(home, name) else getattr(home, name)
    if name in _ROOMS:
        return importlib.import_module(f"workbench.{name}")
    raise AttributeError(f"module 'workbench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
