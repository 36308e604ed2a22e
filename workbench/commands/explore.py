"""`workbench explore`: the workbench as a page, without JupyterLab."""

from __future__ import annotations

from pathlib import Path

import typer

from workbench.base.resources import NOTEBOOKS
from workbench.commands.serving import serve
from workbench.commands.shared import NoBrowser, Port, Theme


def explore(port: Port = None, no_browser: NoBrowser = False, theme: Theme = "auto") -> None:
    """The workbench as a page, for analysts without JupyterLab. Who has the link reads the files that you can read,
    so there is always a token in it.

    \b
    workbench explore
    """
    serve(
        NOTEBOOKS / "explore.ipynb", folder=Path.cwd(), port=port, browser=not no_browser, theme=theme, tell=typer.echo
    )
