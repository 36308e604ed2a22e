"""Equal rows are merged even if hashes collide, and costs are summed as in pandas."""

import numpy as np
import pandas as pd
import pytest

from workbench.methods.full_domain import kernels


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_rows_are_grouped_as_pandas_groups_them(seed, dtype, monkeypatch):
    monkeypatch.setattr(kernels, "STEPS", 7)
    rng = np.random.default_rng(seed)
    rows, axes = int(rng.integers(0, 60)), int(rng.integers(1, 5))
    codes = rng.integers(0, 6, (rows, axes)).astype(dtype)
    nodes = np.sort(rng.integers(0, 4, (axes, 6)), axis=1).astype(dtype)
    counts = rng.integers(0, 5, (rows, 3)).astype(np.int32)
    shown, added, number = kernels.group_rows(codes, nodes, counts)
    there = [tuple(row) for row in nodes[np.arange(axes), codes]]
    assert [tuple(row) for row in shown] == list(dict.fromkeys(there))
    assert [tuple(shown[i]) for i in number] == there
    expected = pd.DataFrame(counts).groupby(number).sum().to_numpy() if rows else np.zeros((0, 3))
    assert np.array_equal(added, expected)


def test_costs_are_summed_over_all_rows_and_over_those_that_are_kept():
    rng = np.random.default_rng(1)
    first, levels = np.array([0, 3, 3, 8]), rng.integers(0, 2, (3, 2))
    codes, sizes, kept = rng.integers(0, 4, (8, 2)).astype(np.int16), rng.integers(1, 9, 8), rng.random(8) < 0.5
    cost = rng.random((2, 2, 4))
    every, of_kept = kernels.spent(codes, sizes, kept, first, levels, cost)
    for i in range(3):
        for a in range(2):
            each = [sizes[r] * cost[a, levels[i, a], codes[r, a]] for r in range(first[i], first[i + 1])]
            assert every[i, a] == pytest.approx(sum(each))
            here = kept[first[i] : first[i + 1]]
            assert of_kept[i, a] == pytest.approx(sum(c for c, held in zip(each, here, strict=True) if held))
