"""`workbench explore`: the workbench as a page, without JupyterLab."""

from __future__ import annotations

from pathlib import Path

import typer

from widgets.commands.options import NoBrowser, Port, Theme
from widgets.server.serving import serve
from workbench.base.package import NOTEBOOKS

PURPOSE = "The workbench as a page, without JupyterLab."
HELP = """Open the workbench as a page, for analysts without JupyterLab. Anyone with the link can read all files that
you can read, so the link always contains a token.

\b
workbench explore
"""


def explore(port: Port = None, no_browser: NoBrowser = False, theme: Theme = "auto") -> None:
    """Run `workbench explore`."""
    serve(
        NOTEBOOKS / "explore.ipynb", folder=Path.cwd(), port=port, browser=not no_browser, theme=theme, echo=typer.echo
    )
