"""Distances are squared shares of widths or leaves; different values without an order have distance 1."""

import numpy as np
import pandas as pd

from workbench import Table
from workbench.data.hierarchies.builders import Groups
from workbench.methods.clustering.clusters import WHOLE
from workbench.methods.clustering.microaggregation import Distances


def test_distances_of_rows_from_a_record_and_from_a_center():
    frame = pd.DataFrame({"n": [0, 5, 20], "kind": ["ant", "bee", "cat"], "word": list("abc"), "s": list("xyx")})
    groups = {"kind": Groups(({"insect": ("ant", "bee")},))}
    table = Table.from_frame(frame, ["n", "kind", "word"], "s", hierarchies=groups).with_settings(importance={"n": 2})
    distances = Distances(table)
    rows = distances.from_codes(np.array([1, 0, 2])) / WHOLE
    assert np.round(rows[:, :3] * 4, 6).tolist() == [[0.125, 0, 1.125], [0, 0.25, 1], [1, 1, 0]]
    rows = distances.from_center([np.array([3, 0, 1]), np.array([0, 2, 2]), np.array([0, 0, 1])]) / WHOLE
    assert np.round(rows[:, :3] * 4, 6).tolist() == [[0.125, 0, 1.125], [0.25, 0, 1], [1, 1, 0]]
