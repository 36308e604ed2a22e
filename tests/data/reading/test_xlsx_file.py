"""Sheets of workbooks."""

from datetime import date, datetime

import openpyxl
import pytest

from tests.data.reading.files import message_of, written
from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source
from workbench.data.reading.table_choice import SeveralTables
from workbench.data.table import Table


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS = [
    ["age", "zip", "born", "seen", "pay", None],
    [31, "01234", date(2024, 1, 2), datetime(2024, 1, 2, 3, 4), 1.5, None],
    [None, None, None, None, None, None],
    [42.0, "98765", date(2023, 1, 2), datetime(2024, 1, 2), "NA", None],
]


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_sheet_has_the_types_of_text(tmp_path, engine):
    table = Table.without_roles(workbook(tmp_path / "d.xlsx", people=ROWS), engine=engine)
    assert table.names == ["age", "zip", "born", "seen", "pay"] and table.records == 2, "empty rows are not records"
    kinds = {name: (column.kind, column.labels) for name, column in table.columns.items()}
    assert kinds["age"] == ("number", ("31", "42")) and kinds["zip"] == ("text", ("01234", "98765"))
    assert kinds["born"] == ("date", ("2023-01-02", "2024-01-02"))
    assert kinds["pay"] == ("number", ("1.5",)) and table.columns["pay"].missing == 1
    assert kinds["seen"][0] == "date"


def test_one_of_several_sheets(tmp_path):
    path = workbook(tmp_path / "d.xlsx", people=ROWS, houses=[["id"], [1]], empty=[])
    with pytest.raises(SeveralTables) as caught:
        open_source(path)
    assert caught.value.tables == ("people", "houses"), "empty sheets are skipped"
    source = open_source(path, table="houses")
    assert source.names == ["id"] and source.where.endswith("d.xlsx, sheet houses")


def test_without_a_header_columns_are_numbered(tmp_path):
    source = open_source(workbook(tmp_path / "d.xlsx", people=[[1, "a"], [2, "b"]]), header=False)
    assert source.names == ["column 1", "column 2"] and sum(len(one) for one in source.batches(source.names)) == 2


def test_errors_are_one_sentence_without_values(tmp_path, monkeypatch):
    assert "not a valid Excel workbook" in message_of(lambda: open_source(written(tmp_path, "a,b\n1,2\n", "d.xlsx")))
    path = workbook(tmp_path / "e.xlsx", people=[["a", "a"], [1, 2]])
    assert "columns 1 and 2 have the same name" in message_of(lambda: open_source(path))
    path = workbook(tmp_path / "f.xlsx", people=[["a"], [1, "marker"]])
    with pytest.raises(BadInput, match="a record has more fields than the first row") as caught:
        Table.without_roles(path)
    assert "marker" not in str(caught.value)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    assert message_of(lambda: open_source(path)).endswith("read with openpyxl; install it with: pip install openpyxl")
