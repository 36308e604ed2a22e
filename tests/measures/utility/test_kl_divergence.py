import math
import warnings

import numpy as np

from tests.methods.raking.tables import table
from workbench.measures import KLDivergence
from workbench.releases.exchanged import Exchanged


def test_the_divergence_is_infinite_if_a_bucket_lacks_a_value_of_its_people():
    """Without a warning, since swapped values are no mistake."""
    data = table()
    group, totals = np.zeros(len(data.cells()), np.int32), data.sensitive["illness"].totals
    common = int(totals.argmax())
    _, of, kinds = np.unique(data.cells().quasi.T, axis=0, return_inverse=True, return_counts=True)
    alone = (kinds[of.ravel()] == 1) & (data.cells().weight == 1)
    group[np.flatnonzero(alone & (data.cells().others["illness"] != common))[0]] = 1
    swapped = np.eye(len(totals), dtype=np.int64)[common]
    release = Exchanged.from_cells(data, group, {"illness": np.stack([totals - swapped, swapped])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isinf(KLDivergence()(release).value)
