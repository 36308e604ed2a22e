"""Classes from counts."""

import numpy as np
import pytest

from workbench.data.sensitive import Sensitive
from workbench.models.classes import Classes


@pytest.fixture(scope="session")
def classes_of():
    """Return a function that makes classes from rows of counts, by default with their union as the whole table."""

    def build(*rows, whole=None, levels=(), name="s"):
        counts = np.array(rows, np.int64)
        totals = counts.sum(axis=0) if whole is None else np.array(whole)
        labels = tuple(f"v{i}" for i in range(counts.shape[1]))
        sensitive = Sensitive(name, labels, totals, tuple(map(np.array, levels)))
        return Classes(counts.sum(axis=1), {name: counts}, {name: sensitive})

    return build
