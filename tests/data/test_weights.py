"""The number of people that records represent, against a sum over records."""

import numpy as np
import pandas as pd
import pytest

from workbench.data import weights
from workbench.data.table import Table


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(4)
    made = pd.DataFrame(
        {"age": rng.integers(1, 6, 200), "sex": rng.choice(list("fm"), 200), "stands": rng.gamma(2, 3, 200)}
    )
    return made.assign(ill=np.where(made.age > 3, "a", "b"))


def test_people_of_cells_and_records(frame):
    table = Table.from_frame(frame, ["age", "sex"], "ill", weight="stands")
    cells, summed = table.cells(), frame.groupby(["age", "sex", "ill"])["stands"].sum()
    for i, many in enumerate(weights.people(table)):
        age, sex = (table.columns[name].values[cells.quasi[a, i]] for a, name in enumerate(table.quasi))
        ill = table.columns["ill"].values[cells.others["ill"][i]]
        assert many == pytest.approx(summed[age, sex, ill])
    assert weights.of_record(table) == pytest.approx(frame["stands"].to_numpy())
    assert weights.max_weight(table) == frame["stands"].max()
    share = frame.groupby("ill")["stands"].sum() / frame["stands"].sum()
    assert weights.shares(table)["ill"] == pytest.approx(share.to_numpy())


def test_without_weights_each_record_stands_for_one(frame):
    table = Table.from_frame(frame.drop(columns="stands"), ["age", "sex"], "ill")
    assert weights.people(table) is table.cells().weight and weights.max_weight(table) == 1
    assert weights.shares(table)["ill"] == pytest.approx(table.sensitive["ill"].prior)
