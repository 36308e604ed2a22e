"""Choice of a table in a file."""

import sqlite3
import sys
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from tests.data.reading.files import message_of, written
from workbench.base.connection import SharedConnection
from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source
from workbench.data.reading.row_files import RowSource, SeveralTables, choose_table, is_coded, labelled, library
from workbench.data.table import Table

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


# Values of files that are read row by row, as text.


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


# Sheets of workbooks.


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


# Tables of SQLite files.


@pytest.fixture
def path(tmp_path):
    with closing(sqlite3.connect(tmp_path / "d.sqlite")) as file, file:
        file.execute('CREATE TABLE "the people" (age INTEGER, zip TEXT, pay REAL, born TEXT)')
        rows = [(31, "01234", 1.5, "2024-01-02"), (42, "98765", None, "2023-01-02")] * 600
        file.executemany('INSERT INTO "the people" VALUES (?, ?, ?, ?)', rows)
    return tmp_path / "d.sqlite"


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_table_has_the_types_of_text(path, engine):
    table = Table.without_roles(path, engine=engine)
    kinds = {name: (column.kind, column.labels) for name, column in table.columns.items()}
    assert kinds == {
        "age": ("number", ("31", "42")),
        "zip": ("text", ("01234", "98765")),
        "pay": ("number", ("1.5",)),
        "born": ("date", ("2023-01-02", "2024-01-02")),
    }
    assert table.records == 1200 and table.columns["pay"].missing == 600


def test_one_of_several_tables_and_views(path):
    with closing(sqlite3.connect(path)) as file, file:
        file.execute('CREATE VIEW old AS SELECT age FROM "the people" WHERE age > 40')
    with pytest.raises(SeveralTables) as caught:
        open_source(path)
    assert caught.value.tables == ("old", "the people")
    assert Table.without_roles(path, table="old").records == 600


def test_sqlite_file_errors_are_one_sentence_without_values(tmp_path, path):
    assert "not a SQLite file" in message_of(lambda: open_source(written(tmp_path, "marker" * 99, "d.db")))
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE photos (photo BLOB)")
        file.execute("INSERT INTO photos VALUES (?)", (b"marker",))
    with pytest.raises(BadInput, match="a column has binary values") as caught:
        Table.without_roles(path, table="photos")
    assert "marker" not in str(caught.value)


def test_the_file_is_not_modified(path):
    before = path.read_bytes()
    Table.without_roles(path)
    assert path.read_bytes() == before and [one.name for one in path.parent.iterdir()] == [path.name]


# Stata, SPSS and SAS files.

FRAME = pd.DataFrame({"sex": [1.0, 2, 1, 2], "age": [31.0, 42, 99, 53], "town": ["Ayr", "Ely", "Ayr", ""]})
LABELS = {"sex": {1: "female", 2: "male"}, "age": {99: "refused"}}


@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("name", ["d.sav", "d.zsav", "d.dta"])
def test_labels_replace_codes(tmp_path, name, engine):
    write = pyreadstat.write_dta if name.endswith("dta") else pyreadstat.write_sav
    options = {"compress": True} if name.endswith("zsav") else {}
    write(FRAME, str(tmp_path / name), variable_value_labels=LABELS, **options)
    table = Table.without_roles(tmp_path / name, engine=engine)
    assert table.columns["sex"].labels == ("female", "male") and table.columns["sex"].counts.tolist() == [2, 2]
    assert table.columns["age"].values.tolist() == [31, 42, 53, 99], "codes stay where few values have a label"
    assert "age: 3 values have no label; the labels of the others are not used" in table.notes
    assert table.columns["town"].missing == 1


def test_values_declared_as_missing_are_missing(tmp_path):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(FRAME, str(path), variable_value_labels=LABELS, missing_ranges={"age": [99]})
    column = Table.without_roles(path).columns["age"]
    assert column.values.tolist() == [31, 42, 53] and column.missing == 1


@pytest.mark.parametrize("name", ["d.xpt", "d.por"])
def test_portable_files(tmp_path, name):
    frame = FRAME.rename(columns=str.upper)
    (pyreadstat.write_xport if name.endswith("xpt") else pyreadstat.write_por)(frame, str(tmp_path / name))
    assert Table.without_roles(tmp_path / name).columns["AGE"].values.tolist() == [31, 42, 53, 99]


def test_dates_are_dates(tmp_path):
    frame = pd.DataFrame({"born": pd.to_datetime(["2024-01-02", "2023-01-02"]).date})
    pyreadstat.write_dta(frame, str(tmp_path / "d.dta"))
    assert Table.without_roles(tmp_path / "d.dta").columns["born"].labels == ("2023-01-02", "2024-01-02")


def test_labels_of_most_values_are_used_and_the_other_codes_are_text():
    values = pd.Series([1.0, 2, 3, None])
    assert (
        labelled(values, {1: "a", 2: "b"}).tolist()[:3] == ["a", "b", "3"]
        and labelled(values, {1: "a", 2: "b"}).isna()[3]
    )
    assert not is_coded(values, {1: "a", 2: "a"}), "two values of one label would become one"


def test_invalid_and_unsupported_files_are_refused(tmp_path, monkeypatch):
    for name, called in (("d.sav", "SPSS"), ("d.dta", "Stata"), ("d.sas7bdat", "SAS")):
        path = written(tmp_path, "a,b\n1,2\n", name)
        assert f"not a valid {called} file" in message_of(lambda path=path: open_source(path))
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    message = message_of(lambda: open_source(tmp_path / "d.sav"))
    assert message.endswith("SPSS files are read with pyreadstat; install it with: pip install pyreadstat")
