"""The heat map counts every node once, and has the best valid node of each field."""

import numpy as np
import pandas as pd
import pytest

from widgets.lattice.heat import BINS, heat_of
from workbench.measures import GeometricLoss


@pytest.mark.parametrize("seed", range(20))
def test_against_a_count_node_by_node(seed):
    rng, n, shade = np.random.default_rng(seed), 200, GeometricLoss()
    value = rng.beta(2, 5, n)
    value[rng.random(n) < 0.1] = np.nan
    frame = pd.DataFrame({"a": rng.integers(0, 4, n), "b": rng.integers(0, 3, n), shade.key: value})
    frame["keeps"] = rng.random(n) < 0.4
    frame["efficient"] = frame["keeps"] & (rng.random(n) < 0.2)
    heat = heat_of(frame, ["a", "b"], shade)
    low, high = np.nanmin(value), np.nanmax(value)
    fields = {}
    for i, row in frame.iterrows():
        filled = high if np.isnan(row[shade.key]) else row[shade.key]
        at = min(int((filled - low) / (high - low) * BINS + 1e-9), BINS - 1)
        fields.setdefault((row["a"] + row["b"], at), []).append((not row["keeps"], not row["efficient"], filled, i))
    assert set(zip(heat.height, heat.bin, strict=True)) == set(fields)
    for x, y, count, keeping, best, efficient in zip(
        heat.height, heat.bin, heat.count, heat.keeping, heat.best, heat.efficient, strict=True
    ):
        nodes = sorted(fields[x, y])
        assert count == len(nodes) and keeping == sum(not node[0] for node in nodes)
        assert best == nodes[0][3] and efficient == (not nodes[0][1] and not nodes[0][0])
