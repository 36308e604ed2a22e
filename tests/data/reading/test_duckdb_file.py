"""Tables and views in a DuckDB file: awkward names are read, and no other file is read or written."""

import subprocess
import sys

import duckdb
import pytest

from tests.data.engines.alike import assert_same_table
from tests.data.reading.files import message_of
from workbench.base.errors import BadInput
from workbench.data.reading.duckdb_file import below, columns, records, table_name
from workbench.data.reading.opening import open_source
from workbench.data.table import Table
from workbench.studies.study import Study

AWKWARD = {"": "people", "a.b": 'pe"o.ple; --', "Größe": "SELECT", "file": "file", " x ": "don't"}
ROWS = """
SELECT i % 7 AS age, 'v' || i % 3 AS "b.""c", CASE WHEN i % 5 > 0 THEN DATE '2020-01-01' END AS day FROM range(60) t(i)
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    place = tmp_path_factory.mktemp("don't [*]") / "Peo ple.duckdb"
    with duckdb.connect(str(place)) as connection:
        for schema, name in AWKWARD.items():
            schema, name = (part.replace('"', '""') for part in (schema or "main", name))
            connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
            connection.execute(f'CREATE TABLE "{schema}"."{name}" AS {ROWS}')
        connection.execute('CREATE VIEW "old people" AS SELECT * FROM people WHERE age > 3')
        connection.execute("CREATE VIEW passwords AS SELECT * FROM read_csv('/etc/passwd', header = false)")
        connection.execute("CREATE TABLE nobody (age INT)")
    return place


@pytest.mark.slow
def test_every_table_is_found_by_its_name_and_read_as_its_records(path):
    with duckdb.connect() as connection:
        rows = connection.sql(ROWS).to_arrow_table()
    expected, before = Table.read(rows, ["age"], 'b."c'), path.read_bytes()
    for schema, name in AWKWARD.items():
        named = table_name([schema or "main", name])
        for engine in (None, "duckdb"):
            assert_same_table(expected, Table.read(path, ["age"], 'b."c', table=named, engine=engine))
    for spelling in ("people", "main.people", 'a.b.pe"o.ple; --', '"old people"'):
        assert Table.without_roles(path, table=spelling).records == (24 if "old" in spelling else 60)
    assert path.read_bytes() == before and [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_content_is_listed_level_by_level(path):
    assert below(path, []) == ["Peo ple"]
    assert below(path, ["Peo ple"]) == sorted(["main", *filter(None, AWKWARD)])
    assert set(below(path, ["Peo ple", "main"])) == {"people", "old people", "passwords", "nobody"}
    assert columns(path, ["Peo ple", "a.b", 'pe"o.ple; --']) == [
        ("age", "BIGINT"), ("b.\"c", "VARCHAR"), ("day", "DATE"),
    ]  # fmt: skip
    assert records(path, ["Peo ple", "main", "old people"]) == 24
    assert [table_name(one) for one in (["main", "a1"], ["A", 'q"'])] == ["main.a1", '"A"."q"""']


def test_errors_of_reading_give_advice(path, tmp_path):
    said = message_of(lambda: open_source(path))
    assert "the file has 8 tables; choose one, such as table=" in said
    assert "there is no table 'main.peeple'; did you mean" in message_of(lambda: open_source(path, table="main.peeple"))
    for look in (lambda: open_source(path, table="passwords"), lambda: records(path, ["", "main", "passwords"])):
        assert "the view reads data outside the file" in message_of(look)
    assert "there are no records" in message_of(lambda: Table.without_roles(path, table="nobody"))
    text = tmp_path / "text.duckdb"
    text.write_text("age,ill\n30,flu\n")
    assert "not a DuckDB file" in message_of(lambda: open_source(text))
    assert Table.without_roles(text, format="csv").records == 1
    wrong = message_of(lambda: open_source(text, format="csv", table="people"))
    assert "table='people' is for workbooks and for SQLite and DuckDB files" in wrong
    with duckdb.connect(str(tmp_path / "empty.duckdb")):
        pass
    assert "the file has no table" in message_of(lambda: open_source(tmp_path / "empty.duckdb"))
    with pytest.raises(BadInput, match="table names one in the file that path names"):
        Study.from_yaml("data: {bundled: adult, table: people}")


OPEN = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"


def test_a_file_locked_by_another_writer_is_reported(tmp_path):
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS a")
        assert "open for writing elsewhere" in message_of(lambda: open_source(path))
    assert Table.without_roles(path).records == 1, "the only one need not be named"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", OPEN, str(path)], **pipes) as other:
        other.stdout.readline()
        assert "open for writing elsewhere" in message_of(lambda: below(path, ["people"]))
        other.stdin.close()


def test_a_study_names_a_table_in_a_file_next_to_it(path, tmp_path):
    (tmp_path / "people.duckdb").write_bytes(path.read_bytes())
    text = "data: {path: people.duckdb, table: '\"old people\"'}\nroles: {quasi: [age]}\n"
    study = Study.from_yaml(text, tmp_path, confined=True)
    assert study.table(study.read()).records == 24 and Study.from_yaml(study.to_yaml()).data == study.data
