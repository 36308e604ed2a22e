"""Nearest neighbors, in blocks."""

import numpy as np

from workbench.miners import neighbours
from workbench.miners.neighbours import Neighbours


def test_the_block_size_does_not_matter(monkeypatch):
    rows = np.random.default_rng(0).normal(0, 1, (90, 3)).astype(np.float32)
    found = []
    for block in (10**6, 500):
        monkeypatch.setattr(neighbours, "BLOCK", block)
        one = Neighbours(4)
        one.remember(rows[:60])
        parts = list(one.nearest(rows[60:]))
        assert (len(parts) > 1) == (block == 500)
        assert np.concatenate([some for some, _, _ in parts]).tolist() == list(range(30))
        found.append(np.concatenate([np.sort(near, axis=1) for _, near, _ in parts]).tolist())
    assert found[0] == found[1]
    expected = [np.sort(np.argsort(np.linalg.norm(rows[:60] - row, axis=1))[:4]).tolist() for row in rows[60:]]
    assert found[0] == expected


def test_fewer_records_than_neighbours():
    one = Neighbours(9)
    one.remember(np.zeros((2, 1), np.float32))
    ((_, near, away),) = one.nearest(np.ones((1, 1), np.float32))
    assert sorted(near[0]) == [0, 1] and away.tolist() == [[1, 1]]
