"""Points and frontiers for tests of charts, and the text of charts."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Intervals
from workbench.methods import Mondrian
from workbench.models import KAnonymity


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 400)
    illness = np.where(rng.random(400) < (age - 20) / 60, "cancer", rng.choice(["flu", "cold"], 400, p=[0.8, 0.2]))
    sex = rng.choice(["f", "m"], 400, p=[0.7, 0.3])
    frame = pd.DataFrame({"age": age, "sex": sex, "illness": illness})
    return Table.from_frame(frame, ["age", "sex"], "illness", hierarchies={"age": Intervals(widths=(10, 20))})


@pytest.fixture(scope="module")
def release(table):
    return Mondrian()(table, KAnonymity(k=15))
