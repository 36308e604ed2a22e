"""A table of random people for tests of releases."""

import pytest

from tests.methods.tables import random_frame, table_of
from tests.releases.columns import QUASI


@pytest.fixture(scope="module")
def table():
    return table_of(random_frame(3, 200, missing=0.1), QUASI, ("s", "s2"))
