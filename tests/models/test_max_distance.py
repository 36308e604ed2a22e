"""No shares within the bounds exceed the maximum distance; with exact bounds it equals the distance."""

import numpy as np
import pytest

from workbench.models.distribution_distances import distance
from workbench.models.max_distance import Bounds, max_distance

KINDS = ("js", "equal", "ordered")


def shares(rng, rows, values):
    return rng.dirichlet(np.ones(values), rows)


@pytest.mark.parametrize("kind", KINDS)
def test_exact_bounds_give_the_distance(kind):
    rng = np.random.default_rng(1)
    p, q = shares(rng, 20, 4), shares(rng, 1, 4)[0]
    assert np.allclose(max_distance(kind, Bounds(p, p), Bounds(q, q)), distance(kind, p, q))


@pytest.mark.parametrize("kind", KINDS)
def test_no_shares_within_the_bounds_exceed_the_maximum(kind):
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, q = shares(rng, 30, 4), shares(rng, 30, 4)
        most = max_distance(kind, Bounds(p.min(0)[None], p.max(0)[None]), Bounds(q.min(0), q.max(0)))[0]
        assert all(distance(kind, p, one).max() <= most + 1e-9 for one in q)
