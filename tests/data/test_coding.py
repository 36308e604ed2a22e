"""Coding and decoding of records, and selections."""

import pandas as pd
from hypothesis import given

from tests.data.people import FRAME, made
from tests.examples import examples
from tests.methods.tables import AXES, frames, table_of
from workbench.data.hierarchies.builders import Intervals


@examples(25)
@given(frames())
def test_microdata_survive_a_round_trip(frame):
    table = table_of(frame, list(AXES))
    back = table.frame.astype({"day": frame["day"].dtype})  # days without a time of day are read as days
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)


def test_missing_is_the_last_code_or_is_dropped():
    table, dropped = made(), made(drop_missing=True)
    assert table.codes["work"][4] == table.columns["work"].size - 1 == 2
    assert dropped.records == 4 and dropped.columns["work"].missing == dropped.columns["pay"].missing == 0
    pd.testing.assert_frame_equal(dropped.frame, FRAME.dropna().drop(columns="name").reset_index(drop=True))


def test_values_that_only_dropped_records_had_lose_their_code():
    frame = pd.concat([FRAME, pd.DataFrame([{"name": "Gus", "age": 35, "work": None, "pay": 1.0, "ill": "hiv"}])])
    dropped = made(frame, drop_missing=True, hierarchies={"age": Intervals(widths=(10,))})
    assert dropped.columns["age"].labels == ("30", "40") and dropped.sensitive["ill"].labels == ("cold", "flu")
    assert dropped.columns["age"].counts.tolist() == [2, 2]
    assert dropped.columns["age"].hierarchy.leaves == ("30", "40")
