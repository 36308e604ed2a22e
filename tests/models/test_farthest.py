"""No shares within the bounds are farther from any prior within its bounds; where both are known it is the distance."""

import numpy as np
import pytest

from workbench.models.distances import distance
from workbench.models.farthest import Bounds, farthest

KINDS = ("js", "equal", "ordered")


def shares(rng, rows, values):
    return rng.dirichlet(np.ones(values), rows)


@pytest.mark.parametrize("kind", KINDS)
def test_known_shares_are_as_far_as_they_are(kind):
    rng = np.random.default_rng(1)
    p, q = shares(rng, 20, 4), shares(rng, 1, 4)[0]
    assert np.allclose(farthest(kind, Bounds(p, p), Bounds(q, q)), distance(kind, p, q))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_within_the_bounds_is_farther(kind):
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, q = shares(rng, 30, 4), shares(rng, 30, 4)
        most = farthest(kind, Bounds(p.min(0)[None], p.max(0)[None]), Bounds(q.min(0), q.max(0)))[0]
        assert all(distance(kind, p, one).max() <= most + 1e-9 for one in q)
