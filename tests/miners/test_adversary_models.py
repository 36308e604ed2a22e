import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.miners.adversary_models import ADVERSARY_MODELS, Bayes


@pytest.fixture(scope="module")
def data():
    return table(5, records=300).with_roles(["town", "sex"], ["illness"])


def kinds(data):
    """Return the combination of town and sex of each record, as a number."""
    return data.codes["town"] * 2 + data.codes["sex"]


def test_naive_bayes_multiplies_the_shares_of_each_column(data):
    """Compute by hand: each value is weighted by its share, and by the shares of the town and the sex among people with
    the value, smoothed by one person distributed like the population."""
    kind, illness = np.unique(kinds(data), return_inverse=True)[1], data.sensitive_codes("illness")
    counts = np.zeros((kind.max() + 1, 4))
    np.add.at(counts, (kind, illness), 1)
    model = Bayes.from_table(data, kind, 4)
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


@pytest.mark.parametrize("learner", ADVERSARY_MODELS)
def test_a_deciding_column_is_learned_and_an_irrelevant_one_changes_nothing(data, learner):
    kind = np.unique(kinds(data), return_inverse=True)[1]
    sex = np.array([data.codes["sex"][kind == number][0] for number in range(kind.max() + 1)])
    people = np.bincount(kind)
    model = ADVERSARY_MODELS[learner].from_table(data, kind, 2)
    assert model.beliefs() == pytest.approx(np.full((model.kinds, 2), 0.5))
    model.fit(np.eye(2)[sex] * people[:, None], 50)
    assert model.beliefs()[np.arange(len(sex)), sex].min() > 0.9
    model.fit(np.full((model.kinds, 2), [0.2, 0.8]) * people[:, None], 50)
    assert model.beliefs() == pytest.approx(np.full((model.kinds, 2), [0.2, 0.8]), abs=0.02)
