"""Fixtures for one published study that many tests share."""

import pytest

from tests.planted import planted
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.studies.study import Study


@pytest.fixture(scope="session")
def study(tmp_path_factory) -> Study:
    return planted(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def table(study):
    return study.table(study.read())


@pytest.fixture(scope="session")
def read(study, tmp_path_factory) -> Published:
    return Published(publish(study, tmp_path_factory.mktemp("out") / "published"))


@pytest.fixture(scope="session")
def whole(study, tmp_path_factory) -> Published:
    """Return the study published with every file."""
    return Published(publish(study, tmp_path_factory.mktemp("out") / "whole", releases="all"))
