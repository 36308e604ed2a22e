import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.methods.raking.atoms import Limit
from workbench.models import BetaLikeness, EntropyLDiversity, KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.models.distribution_distances import distance

MODELS = [
    *(TCloseness(0.05, distance=kind) for kind in ("js", "equal", "hierarchical")),
    EntropyLDiversity(2),
    ProbabilisticLDiversity(2),
    BetaLikeness(0.4),
    TCloseness(0.05, distance="js") & KAnonymity(20),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_beliefs_move_towards_the_prior_and_satisfy_the_model(model):
    seen = table().sensitive["illness"]
    limit, given = Limit(model, seen), np.random.default_rng(0).dirichlet([0.4] * 4, 200)
    moved = limit.inside(given)
    share = np.abs(moved - seen.prior).sum(axis=1) / np.abs(given - seen.prior).sum(axis=1)
    assert moved == pytest.approx(seen.prior + share[:, None] * (given - seen.prior))
    assert limit.holds(moved * 1e9, np.full(200, 10**9)).all()
    assert (share == 1).any() and (share < 1).any()


def test_beliefs_are_moved_only_as_far_as_necessary():
    seen = table().sensitive["illness"]
    moved = Limit(TCloseness(0.05, distance="js"), seen).inside(np.eye(4))
    assert distance("js", moved, seen.prior) == pytest.approx(0.05, rel=1e-3)


def test_a_margin_moves_beliefs_closer_to_the_prior():
    seen = table().sensitive["illness"]
    limit = Limit(TCloseness(0.05, distance="js"), seen)
    plain, nearer = limit.inside(np.eye(4)), limit.inside(np.eye(4), np.full(4, 0.1))
    assert nearer - seen.prior == pytest.approx(0.9 * (plain - seen.prior))


def test_without_a_model_all_beliefs_are_allowed():
    assert (Limit(None, table().sensitive["illness"]).inside(np.eye(4)) == np.eye(4)).all()
