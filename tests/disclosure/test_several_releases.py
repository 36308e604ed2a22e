"""Several releases together: who has all files may be certain where who has one is not."""

import pandas as pd

from workbench import Table
from workbench.disclosure.several_releases import certain
from workbench.methods import Keep, Remove


def table_of(**more):
    frame = pd.DataFrame({"age": [1, 1, 2, 2] * 3, "town": list("abab") * 3, "ill": ["x", "y", "y", "x"] * 3, **more})
    return Table.from_frame(frame, quasi=["age", "town"], sensitive="ill")


def test_what_no_file_tells_follows_from_two_together():
    table = table_of()
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    both = Keep()(table)
    assert certain(table, [by_age]) == (0, 0, False)
    assert certain(table, [both]).alone == 12
    assert certain(table, [by_age, by_town]).together == 0, "each class has both values"


def test_neutral_columns_join_the_files():
    table = table_of(row=[i % 4 for i in range(12)])
    found = certain(table, [Remove("town")(table), Remove("age")(table)])
    assert found.joined and (found.together, found.alone) == (12, 0)
