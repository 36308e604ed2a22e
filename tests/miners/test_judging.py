"""What is predicted beside what is true."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import Undefined
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import Majority, Mean
from workbench.miners.judging import guessed, judged, original
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign


def test_the_original_is_remembered(small):
    table = small(1)
    assert original(table) is original(table)
    for name in table.released:
        assert (original(table).shown(name).codes == table.codes[name]).all()


def test_who_is_left_out_is_guessed(small):
    table = small(0)
    release = Mondrian()(table, KAnonymity(5)).without(np.array([0, 1]))
    found = judged(release, "disease", Majority())
    gone = np.setdiff1d(np.arange(table.records), release.published_records)
    told = table.codes["disease"][release.published_records]
    assert len(gone) and set(found.predicted[gone]) == {np.bincount(told).argmax()}
    assert (found.true == table.codes["disease"]).all() and len(found.predicted) == table.records
    wages = judged(release, "wage", Mean(), numbers=True)
    told = table.frame["wage"][release.published_records].mean()
    assert wages.predicted[gone] == pytest.approx([told] * len(gone))
    assert (wages.true == table.frame["wage"]).all()


def test_the_guess_without_any_column(small):
    found = guessed(small(1), "disease")
    assert set(found.predicted) == {np.bincount(small(1).codes["disease"]).argmax()}


def test_a_file_is_judged_by_its_own_values():
    frame = pd.DataFrame({"age": [20, 25, 29, 31, 39, 50], "ill": list("aabbaa")})
    released = frame.assign(age=["[20-29]"] * 3 + ["[30-50]"] * 3)
    found = judged(foreign(released, original=Table.from_frame(frame, ["age"], "ill")), "ill", Majority())
    assert found.records is None and found.true.tolist() == [0, 0, 1, 1, 0, 0]
    with pytest.raises(Undefined, match="the original is not known"):
        judged(foreign(released, ["age"], "ill"), "ill", Majority())


def test_what_cannot_be_judged(small):
    release = Mondrian()(small(0), KAnonymity(5))
    with pytest.raises(Undefined, match="'age' is generalized"):
        judged(release, "age", Majority())
    with pytest.raises(Undefined, match="is text, and this error"):
        judged(Keep()(small(0)), "disease", Majority(), numbers=True)
    with pytest.raises(Undefined, match="choose an error of numbers"):
        judged(Keep()(small(0)), "wage", Mean())
    with pytest.raises(Undefined, match="is not published"):
        judged(Remove("disease")(small(0)), "disease", Majority())
