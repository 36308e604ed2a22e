"""What is drawn of a column are counts."""

import pandas as pd

from widgets.roles.column_rows import column_row, level_sizes, singled_row, smallest_rows
from workbench.data.hierarchies.builders import Prefixes
from workbench.data.table import Table
from workbench.data.uniqueness import count_unique

TABLE = Table.without_roles(pd.DataFrame({"zip": ["11", "12", "21", None, "11", "21"], "disease": list("aabbab")}))


def test_counts_and_no_values():
    column = TABLE.columns["zip"]
    row = column_row(column, column)
    assert (row["name"], row["kind"], row["distinct"], row["unique"]) == ("zip", "text", 3, 2)
    assert row["sizes"] == [4] and not row["likely"]
    assert column_row(TABLE.columns["disease"], TABLE.columns["disease"])["likely"]


def test_levels_count_the_missing():
    under = TABLE.with_hierarchies({"zip": Prefixes((1,))}).columns["zip"]
    assert level_sizes(under)[:2] == [4, 3]


def test_what_columns_single_out():
    row = singled_row(count_unique(TABLE, ("zip", "disease")))
    assert row == {"names": ("zip", "disease"), "unique": 2, "share": 1 / 3, "records": 6, "about": False}


def test_what_smallest_sets_single_out():
    table = TABLE.with_roles(["zip", "disease"])
    assert smallest_rows(table, 8) == [{"names": ("zip",), "unique": 2, "share": 1 / 3, "about": False}]
