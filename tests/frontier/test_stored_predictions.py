"""Predictions in the store: readable by the owner only, found by what the miner saw, reported if damaged."""

import numpy as np
import pytest

from workbench.base.errors import BadInput
from workbench.frontier.store import Store
from workbench.frontier.stored_predictions import StoredPredictions
from workbench.miners import Majority, NaiveBayes


def test_predictions_are_found_by_input_and_miner(tmp_path):
    stored, found = StoredPredictions(Store(tmp_path / "store")), np.arange(5, dtype=np.int32)
    assert stored.mined(b"seen", Majority()) is None
    stored.put_predictions(b"seen", Majority(), found)
    again = StoredPredictions(Store(tmp_path / "store"))
    assert np.array_equal(again.mined(b"seen", Majority()), found)
    assert again.mined(b"other", Majority()) is None and again.mined(b"seen", NaiveBayes()) is None
    (path,) = (tmp_path / "store").glob("*.mined")
    assert path.stat().st_mode & 0o777 == 0o600 and Store(tmp_path / "store").keys() == []
    path.write_bytes(b"x")
    with pytest.raises(BadInput, match="cannot be read; delete it"):
        again.mined(b"seen", Majority())
