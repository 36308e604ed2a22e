"""Tables of SQLite files."""

import sqlite3
from contextlib import closing

import pytest

from tests.data.reading.files import message_of, written
from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source
from workbench.data.reading.table_choice import SeveralTables
from workbench.data.table import Table


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


def test_errors_are_one_sentence_without_values(tmp_path, path):
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
