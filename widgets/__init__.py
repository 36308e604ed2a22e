"""Widgets for JupyterLab and Voila: `from widgets import Workbench`; every part of it is a widget of its own."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Workbench": "app.app",
    "Dashboard": "dashboard.dashboard",
    "DataPicker": "data.data",
    "DisclosureTable": "disclosure.disclosure",
    "FrontierChart": "frontier.frontier",
    "HierarchyEditor": "hierarchies.editor",
    "RecipePicker": "recipes.recipes",
    "ReleaseCard": "release.release",
    "ReleasePreview": "preview.preview",
    "RolePicker": "roles.roles",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"widgets.{_HOME[name]}"), name)
    raise AttributeError(f"module 'widgets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
