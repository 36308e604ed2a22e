"""Widgets for JupyterLab and Voila: `from widgets import Workbench`; every part of it is a widget of its own."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
    from widgets.app.workbench import Workbench as Workbench
    from widgets.dashboard.dashboard import Dashboard as Dashboard
    from widgets.data.data import DataPicker as DataPicker
    from widgets.disclosure.disclosure import DisclosureTable as DisclosureTable
    from widgets.frontier.frontier import FrontierChart as FrontierChart
    from widgets.hierarchies.editor import HierarchyEditor as HierarchyEditor
    from widgets.lattice.lattice import LatticeView as LatticeView
    from widgets.original.original import OriginalComparison as OriginalComparison
    from widgets.preview.preview import ReleasePreview as ReleasePreview
    from widgets.query_errors.query_errors import QueryErrors as QueryErrors
    from widgets.recipes.recipes import RecipePicker as RecipePicker
    from widgets.release.release import ReleaseCard as ReleaseCard
    from widgets.roles.roles import RolePicker as RolePicker
    from widgets.scenario.explanation import ExplanationView as ExplanationView
    from widgets.scenario.scenario import ScenarioPicker as ScenarioPicker
    from widgets.workloads.workloads import WorkloadPicker as WorkloadPicker

_HOME = {
    "Workbench": "app.workbench",
    "Dashboard": "dashboard.dashboard",
    "DataPicker": "data.data",
    "DisclosureTable": "disclosure.disclosure",
    "FrontierChart": "frontier.frontier",
    "HierarchyEditor": "hierarchies.editor",
    "LatticeView": "lattice.lattice",
    "OriginalComparison": "original.original",
    "QueryErrors": "query_errors.query_errors",
    "RecipePicker": "recipes.recipes",
    "ReleaseCard": "release.release",
    "ReleasePreview": "preview.preview",
    "RolePicker": "roles.roles",
    "ScenarioPicker": "scenario.scenario",
    "ExplanationView": "scenario.explanation",
    "WorkloadPicker": "workloads.workloads",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"widgets.{_HOME[name]}"), name)
    raise AttributeError(f"module 'widgets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
