"""The people a miner hits: one of several columns is enough, and predictions are distinguished."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.base.errors import Undefined
from workbench.methods import Laplace
from workbench.miners import Majority, Mean
from workbench.miners.protected_hits import NONE, protected_hits
from workbench.releases.partition import Partition


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 200), "pay": rng.integers(0, 30, 200)})
    frame["ill"] = rng.choice(["x", "y"], 200, p=[0.8, 0.2])
    table = Table.from_frame(frame, ["age", "pay"], "ill")
    cells = table.cells()
    group = (rng.permutation(len(cells)) // 8).astype(np.int32)
    return Partition(table, cells, group)


def test_one_column_is_enough_and_predictions_are_distinguished(release):
    miner = Majority()
    age, pay, both = (protected_hits(release, names, [miner], 0)[miner] for names in (["age"], ["pay"], ["age", "pay"]))
    assert age.hit.any() and pay.hit.any()
    assert (both.hit == (age.hit | pay.hit)).all()
    pairs = set(zip(age.predicted.tolist(), pay.predicted.tolist(), strict=True))
    assert len(set(both.predicted.tolist())) == len(pairs)
    shown = release.shown("age")
    alone = (shown.regions.low == shown.regions.high)[shown.group]
    assert ((age.predicted == NONE) == (~age.hit | alone)).all()


def test_miners_that_cannot_predict_a_column_do_not_take_part(release):
    assert list(protected_hits(release, ["age"], [Majority(), Mean()], 0)) == [Majority()]
    noisy = Laplace(epsilon=1, columns=["age"], bounds="age: 20..60")(release.table)
    assert list(protected_hits(noisy, ["age"], [Majority(), Mean()], 0)) == [Mean()]
    with pytest.raises(Undefined, match=r"noisy numbers of .age., which none of the miners predicts"):
        protected_hits(noisy, ["age"], [Majority()], 0)
