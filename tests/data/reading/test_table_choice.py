"""Choice of a table in a file."""

from pathlib import Path

import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.table_choice import SeveralTables, choose_table

FILE = Path("d.xlsx")


def test_the_only_table_needs_no_name():
    assert choose_table(FILE, ["one"], None) == "one" and choose_table(FILE, ["one", "two"], "two") == "two"


def test_the_tables_to_choose_from_are_named():
    with pytest.raises(
        SeveralTables, match="the file has 4 tables; choose one, such as table='a', table='b', table='c'"
    ) as e:
        choose_table(FILE, ["a", "b", "c", "d"], None)
    assert e.value.tables == ("a", "b", "c", "d")
    with pytest.raises(BadInput, match="there is no table 'persons'; did you mean 'person'"):
        choose_table(FILE, ["person", "house"], "persons")
    with pytest.raises(BadInput, match="the file has no table"):
        choose_table(FILE, [], None)
