"""Predictions compared with the truth."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import Undefined
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import Majority, Mean
from workbench.miners.scoring import original_release, predict_commonest, predict_target
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign


def test_the_original_release_is_cached(small):
    table = small(1)
    assert original_release(table) is original_release(table)
    for name in table.released:
        assert (original_release(table).shown(name).codes == table.codes[name]).all()


def test_suppressed_records_are_predicted_by_the_commonest_value(small):
    table = small(0)
    release = Mondrian()(table, KAnonymity(5)).without(np.array([0, 1]))
    found = predict_target(release, "disease", Majority())
    gone = np.setdiff1d(np.arange(table.records), release.published_records)
    told = table.codes["disease"][release.published_records]
    assert len(gone) and set(found.predicted[gone]) == {np.bincount(told).argmax()}
    assert (found.true == table.codes["disease"]).all() and len(found.predicted) == table.records
    wages = predict_target(release, "wage", Mean(), numbers=True)
    told = table.frame["wage"][release.published_records].mean()
    assert wages.predicted[gone] == pytest.approx([told] * len(gone))
    assert (wages.true == table.frame["wage"]).all()


def test_the_prediction_without_any_column(small):
    found = predict_commonest(small(1), "disease")
    assert set(found.predicted) == {np.bincount(small(1).codes["disease"]).argmax()}


def test_a_file_is_scored_by_its_own_values():
    frame = pd.DataFrame({"age": [20, 25, 29, 31, 39, 50], "ill": list("aabbaa")})
    released = frame.assign(age=["[20-29]"] * 3 + ["[30-50]"] * 3)
    found = predict_target(foreign(released, original=Table.from_frame(frame, ["age"], "ill")), "ill", Majority())
    assert found.records is None and found.true.tolist() == [0, 0, 1, 1, 0, 0]
    with pytest.raises(Undefined, match="the original is unknown"):
        predict_target(foreign(released, ["age"], "ill"), "ill", Majority())


def test_bad_requests_are_reported(small):
    release = Mondrian()(small(0), KAnonymity(5))
    with pytest.raises(Undefined, match="'age' is generalized"):
        predict_target(release, "age", Majority())
    with pytest.raises(Undefined, match="is text, and this error"):
        predict_target(Keep()(small(0)), "disease", Majority(), numbers=True)
    with pytest.raises(Undefined, match="choose an error of numbers"):
        predict_target(Keep()(small(0)), "wage", Mean())
    with pytest.raises(Undefined, match="is not published"):
        predict_target(Remove("disease")(small(0)), "disease", Majority())
