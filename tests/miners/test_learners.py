import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.miners.learners import LEARNERS, Bayes


@pytest.fixture(scope="module")
def data():
    return table(5, records=300).with_roles(["town", "sex"], ["illness"])


def kinds(data):
    """Which town and sex each record has, as a number."""
    return data.codes["town"] * 2 + data.codes["sex"]


def test_naive_bayes_multiplies_the_shares_of_each_column(data):
    """As by hand: each value is as likely as it is common, times how common the town and the sex are among those who
    have it, as if one more of them was spread over towns and sexes as everybody is."""
    kind, illness = np.unique(kinds(data), return_inverse=True)[1], data.sensitive_codes("illness")
    counts = np.zeros((kind.max() + 1, 4))
    np.add.at(counts, (kind, illness), 1)
    model = Bayes.of(data, kind, 4)
    model.fit(counts, 1)
    for number in (0, kind.max()):
        town, sex = (data.codes[name][kind == number][0] for name in ("town", "sex"))
        likely = []
        for value in range(4):
            has = illness == value
            share = has.mean()
            for name, code in (("town", town), ("sex", sex)):
                alike = data.codes[name] == code
                share *= ((alike & has).sum() + alike.mean()) / (has.sum() + 1)
            likely.append(share)
        assert model.beliefs()[number] == pytest.approx(np.array(likely) / sum(likely))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_column_that_decides_everything_is_learnt_and_one_that_does_not_is_nothing(data, learner):
    kind = np.unique(kinds(data), return_inverse=True)[1]
    sex = np.array([data.codes["sex"][kind == number][0] for number in range(kind.max() + 1)])
    people = np.bincount(kind)
    model = LEARNERS[learner].of(data, kind, 2)
    assert model.beliefs() == pytest.approx(np.full((model.kinds, 2), 0.5))
    model.fit(np.eye(2)[sex] * people[:, None], 50)
    assert model.beliefs()[np.arange(len(sex)), sex].min() > 0.9
    model.fit(np.full((model.kinds, 2), [0.2, 0.8]) * people[:, None], 50)
    assert model.beliefs() == pytest.approx(np.full((model.kinds, 2), [0.2, 0.8]), abs=0.02)
