"""Fixtures for one report that many tests share."""

import pytest

from tests.planted import planted
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.page import report


@pytest.fixture(scope="session")
def read(tmp_path_factory) -> Published:
    folder = tmp_path_factory.mktemp("study")
    return Published(publish(planted(folder, study="Ill <b>people</b> & their age"), folder / "out"))


@pytest.fixture(scope="session")
def page(read) -> str:
    return report(read, read.choices(0.2)["recommended"], 0.2)
