"""The workbench: which anonymised version of this table should be published?

Nothing is loaded before it is asked for: `import workbench` costs milliseconds.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "BadInput": "errors",
    "Undefined": "errors",
    "Unsatisfiable": "errors",
    "Table": "table",
    "Query": "source",
    "Hierarchy": "hierarchy",
    "Recipe": "recipe",
    "Point": "recipe",
    "recipes": "recipe",
    "Frontier": "frontier",
    "Store": "store",
    "sweep": "sweeps",
    "disclosure": "disclosures",
}
_ROOMS = (
    "builders",
    "charts",
    "datasets",
    "frontier",
    "hierarchy",
    "measures",
    "methods",
    "models",
    "proposal",
    "release",
)

__all__ = ["__version__", *_HOME, *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"workbench.{_HOME[name]}"), name)
    if name in _ROOMS:
        return importlib.import_module(f"workbench.{name}")
    raise AttributeError(f"module 'workbench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
