"""A sample has some of the records, whole, and the values that these have."""

import pandas as pd

from workbench.data.hierarchies.builders import Intervals
from workbench.data.samples import resample, sample
from workbench.data.table import Table


def test_a_sample_has_whole_records_in_their_order():
    frame = pd.DataFrame({"age": range(100), "double": [2 * n for n in range(100)], "ill": list("abcd") * 25})
    frame.loc[::9, "ill"] = None
    table = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(10,))})
    some, again, other = sample(table, 12), sample(table, 12), sample(table, 12, seed=1)
    found = some.frame
    assert len(found) == some.records == 12 and (found["double"] == 2 * found["age"]).all()
    assert found["age"].is_monotonic_increasing and some.columns["age"].size == 12
    assert some.roles == table.roles and some.columns["age"].hierarchy is not None
    assert some.columns["ill"].missing == found["ill"].isna().sum()
    assert again.frame.equals(found) and not other.frame.equals(found)
    assert sample(table, 100) is table


def test_a_resample_has_as_many_whole_records_drawn_with_replacement():
    frame = pd.DataFrame({"age": range(400), "double": [2 * n for n in range(400)], "ill": list("abcd") * 100})
    table = Table.from_frame(frame, ["age"], "ill")
    found = resample(table, 3).frame
    assert len(found) == 400 and (found["double"] == 2 * found["age"]).all()
    assert 0.58 < found["age"].nunique() / 400 < 0.68, "1 - 1/e of them"
    assert resample(table, 3).frame.equals(found) and not resample(table, 4).frame.equals(found)
