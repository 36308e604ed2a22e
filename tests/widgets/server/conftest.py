"""One server for all tests of its responses."""

import pytest

from tests.widgets.server.visitor import visited


@pytest.fixture(scope="session")
def visitor(tmp_path_factory):
    with visited(tmp_path_factory.mktemp("outside")) as one:
        yield one


@pytest.fixture(scope="session")
def kernel(visitor):
    return visitor.open_page()[1]
