"""Paths of the bundled data and notebooks."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

PACKAGE = Path(str(files("workbench")))
SHIPPED = PACKAGE / "shipped" if (PACKAGE / "shipped").is_dir() else PACKAGE.parent  # installed or a checkout
DATA, NOTEBOOKS = SHIPPED / "data", SHIPPED / "notebooks"
EXAMPLE = DATA / "studies" / "li_li_2009.yaml"  # the default study of the dashboard
