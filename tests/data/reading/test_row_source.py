"""Values of files that are read row by row, as text."""

from datetime import date, datetime
from pathlib import Path

import pytest

from workbench.base.connection import SharedConnection
from workbench.base.errors import BadInput
from workbench.data.reading.row_source import RowSource, library


class Listed(RowSource):
    """A source for the rows of a list."""

    def __init__(self, names, rows):
        super().__init__("the list", SharedConnection())
        self.names, self._rows = self._named(names), rows

    def rows(self, positions):
        return ([row[i] for i in positions] for row in self._rows)


def test_values_are_written_as_a_text_file_has_them():
    values = [5.0, 2.5, True, "01", None, date(2024, 1, 2), datetime(2024, 1, 2, 3), datetime(2024, 1, 2)]
    (batch,) = Listed(["a", ""], [[one, 1] for one in values]).batches(["a"])
    assert batch.column(0).to_pylist() == [
        "5", "2.5", "True", "01", None, "2024-01-02", "2024-01-02T03:00:00", "2024-01-02",
    ]  # fmt: skip


def test_batches_are_bounded():
    source = Listed(["a", ""], [[i, i] for i in range(10)])
    assert [len(batch) for batch in source.batches(["column 2", "a"], 4)] == [4, 4, 2]


def test_a_library_that_is_not_installed_is_named_with_its_command():
    with pytest.raises(
        BadInput, match=r"d.x: Odd files are read with nosuchlibrary; install it with: pip install nosuch"
    ):
        library("nosuchlibrary", Path("d.x"), "Odd")
