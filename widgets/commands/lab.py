"""`workbench lab`: the workbench in JupyterLab."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from widgets.commands.options import NoBrowser, Port
from workbench.base.package import NOTEBOOKS

EXPLORE = "explore.ipynb"
PURPOSE = "The workbench in JupyterLab."
HELP = """Open JupyterLab with explore.ipynb, which is copied into this folder if it does not exist.

\b
workbench lab
"""


def lab(port: Port = None, no_browser: NoBrowser = False) -> None:
    """Run `workbench lab`."""
    if not Path(EXPLORE).exists():
        shutil.copyfile(NOTEBOOKS / EXPLORE, EXPLORE)
    flags = {
        "--allow-root": hasattr(os, "geteuid")
        and os.geteuid() == 0,  # in a container, for example; Lab refuses by default
        "--no-browser": no_browser,
        f"--port={port}": port is not None,
    }
    command = [sys.executable, "-m", "jupyter", "lab", EXPLORE, *(flag for flag, wanted in flags.items() if wanted)]
    os.execv(sys.executable, command)
