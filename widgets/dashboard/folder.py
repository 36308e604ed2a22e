"""The default folder of a dashboard."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import parse_qs

from workbench import __version__
from workbench.base.files import cache_folder
from workbench.base.package import EXAMPLE
from workbench.publication.published_folder import is_published
from workbench.publication.published_types import FORMAT

FOLDER = "WORKBENCH_PUBLISHED"  # environment variable; `workbench dashboard` sets it
QUERY = "folder"  # parameter of the page's address: ?folder=...


def folder_to_show() -> Path:
    """Return the folder in the environment variable, or in the page's address; without both the bundled example.

    A server that sets the variable decides for all readers, so the address cannot choose another folder.
    """
    in_address = parse_qs(os.environ.get("QUERY_STRING", "")).get(QUERY, [""])[0]
    folder = os.environ.get(FOLDER) or in_address
    return Path(folder) if folder else example_folder()


def example_folder() -> Path:
    """Return the published folder of the bundled example, which is created on first use in the user's cache."""
    from workbench.publication.publish import publish  # loads the engine
    from workbench.studies.study import Study

    folder = cache_folder() / f"example-{__version__}-{FORMAT}"
    if not is_published(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        publish(Study.open(EXAMPLE), folder, warn=lambda text: None)
    return folder
