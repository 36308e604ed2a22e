"""How long the releases of a sweep take: what methods say of them, of those that are not there yet."""

import pytest

from workbench.base.errors import Unsatisfiable
from workbench.frontier.duration import seconds
from workbench.frontier.recipe import Recipe, recipes
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss
from workbench.methods import KMember, Mondrian, ThresholdClustering
from workbench.models import KAnonymity

MEASURES = [PrivacyLoss()]


@pytest.fixture
def asked(monkeypatch):
    """Each takes as many seconds as its k, and says when it is asked."""
    found = []

    def told(method, table, model, seed):
        found.append(model.k)
        if model.k > 50:
            raise Unsatisfiable("too few")
        return float(model.k)

    monkeypatch.setattr(KMember, "seconds", told)
    monkeypatch.setattr(ThresholdClustering, "seconds", told)
    return found


def test_of_a_curve_its_ends_are_asked(small, asked):
    curves = [*recipes(KMember(), KAnonymity, k=[2, 3, 4, 6]), *recipes(Mondrian(), KAnonymity, k=[2, 3])]
    curves += [Recipe(ThresholdClustering(delta=0.5), KAnonymity(10))]
    assert seconds(small(0), curves, MEASURES) == 4 * (2 + 6) / 2 + 10 and asked == [2, 6, 10]
    assert seconds(small(0), [Recipe(KMember(), KAnonymity(60))], MEASURES) == 0


def test_points_that_are_there_take_no_time(small, tmp_path, asked):
    table, store = small(0), Store(tmp_path / "points")
    every = recipes(KMember(), KAnonymity, k=[2, 4])
    assert seconds(table, every, MEASURES, store) == 6
    sweep(table, every[:1], MEASURES, store)
    assert seconds(table, every, MEASURES, store) == 4
    assert seconds(table, every, [PrivacyLoss(adversary="covering classes")], store) == 6, "other points"
