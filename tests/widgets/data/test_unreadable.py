"""Columns that cannot be read as they are."""

import pandas as pd
import pytest

from widgets.data.unreadable import LONGEST, markers_in, unreadable_columns
from workbench.base.errors import BadColumns, BadInput
from workbench.data.table import Table


def test_each_column_has_its_way_out():
    long = "x" * (LONGEST + 1)
    frame = pd.DataFrame({"age": [*map(str, range(40)), long], "born": ["01/02/2024"] * 41})
    with pytest.raises(BadColumns) as caught:
        Table.without_roles(frame, types={"age": "number", "born": "date"})
    age, born = unreadable_columns(caught.value)
    assert age["texts"] == ["x" * LONGEST + "…"] and [*age["values"]] == [long] and not age["choices"]
    assert born["choices"][0] == "date dd/mm/yyyy" and born["texts"] == []
    assert born["text"] == "the first part of dates may be the day or the month"


def test_what_concerns_no_column_has_no_line():
    assert unreadable_columns(BadInput("no file")) == [] and markers_in(ValueError()) == ()
