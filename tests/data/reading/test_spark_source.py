"""A table in Spark as a source: its columns, and unsupported types."""

from contextlib import nullcontext

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.base.files import refuse_overwriting
from workbench.data.engines.spark_session import Session
from workbench.data.reading.opening import open_source
from workbench.data.reading.spark_source import below, columns, is_frame, places_of, records, table_name
from workbench.data.table import Table


@pytest.fixture(scope="module")
def spark():
    found = spark_servers.session(spark_servers.sail())
    yield found
    found.stop()


def test_a_table_is_read_by_its_name_on_its_server(spark, monkeypatch):
    opened: list[str] = []

    def server_address(remote):  # this server's tables are those of a session
        opened.append(remote)
        return Session(spark)

    monkeypatch.setattr(Session, "opened", server_address)
    rows = spark.createDataFrame(pa.table({"age": [30, 40, 40], "sex": ["F", "M", "M"]}))
    rows.write.saveAsTable("default.people_of_a_test")
    asked = {"data": "spark:default.people_of_a_test", "remote": "sc://host:15002"}
    try:
        table = Table.read(quasi=["age"], sensitive="sex", **asked)
        assert table.records == 3 and len(table.cells()) == 2 and "default.people_of_a_test" in repr(table.engine)
        assert open_source(**asked).texts == ["sex"] and set(opened) == {"sc://host:15002"}
        with pytest.raises(BadInput, match="no column 'agee'"):
            Table.read(quasi=["agee"], **asked)
    finally:
        spark.sql("DROP TABLE default.people_of_a_test").toArrow()
    with pytest.raises(BadInput, match="the table does not exist or access is denied; check its name"):
        Table.read(quasi=["age"], **asked)


def test_a_table_without_its_server_is_refused():
    with pytest.raises(BadInput, match="the server is missing; use remote='sc://host:15002'"):
        Table.read("spark:people", ["age"])


def test_a_spark_frame_is_recognized_by_its_type(spark):
    frame = spark.createDataFrame(pa.table({"a": [1]}))
    assert is_frame(frame) and not is_frame(pa.table({"a": [1]})) and not is_frame("spark:people")
    source = open_source(frame)
    assert source.names == ["a"] and source.engine == "spark" and source.unreadable(["a"]) == {}


def test_no_records_and_two_columns_of_one_name_are_refused(spark):
    frame = spark.createDataFrame(pa.table({"a": [1]}))
    with pytest.raises(BadInput, match=r"^the frame: there are no records$"):
        Table.read(frame.filter("a > 1").selectExpr("a", "a AS b"), ["a"])
    with pytest.raises(BadInput, match="columns 1 and 2 have the same name"):
        Table.read(frame.selectExpr("a", "a AS a"), ["a"])


@pytest.mark.parametrize("quasi", ["x", "s"])
def test_values_that_do_not_fit_their_type_are_refused_by_the_name_of_their_column(tmp_path, quasi):
    unsigned = pa.array([2**64 - 8 + i % 8 for i in range(40)], pa.uint64())
    pq.write_table(pa.table({"x": unsigned, "s": ["flu", "gout"] * 20}), tmp_path / "in.parquet")
    where = {"remote": spark_servers.sail()}
    with pytest.raises(BadInput, match=r"column 'x': values do not fit the type declared by the server") as caught:
        Table.read(f"spark:parquet.`{tmp_path / 'in.parquet'}`", [quasi], **where)
    assert "18446744073709551" not in str(caught.value) and isinstance(caught.value.__context__, BadInput)


@pytest.mark.parametrize("name", ["parquet.`{}`", " csv . `file:{}` ", "json.`file://{}`"])
def test_a_name_may_contain_a_path(tmp_path, name):
    here = tmp_path / "in [1].parquet"
    assert places_of(name.format(here))[0] == here and places_of("main.default.people") == []
    for out, kept in ((here, False), (here / "part.csv", False), (tmp_path, False), (tmp_path / "in.csv", True)):
        with nullcontext() if kept else pytest.raises(BadInput, match="which is an input"):
            refuse_overwriting([out], places_of(name.format(here)))


@pytest.mark.parametrize("name", ["", " ", "a.b.c.d", "a..b"])
def test_invalid_table_names_are_reported(name):
    with pytest.raises(BadInput, match=r"such as catalog.schema.table|use spark:catalog.schema.table"):
        Table.read(f"spark:{name}", ["age"], remote=spark_servers.sail())


# The contents of a server, level by level, with awkward names; errors do not quote values.

PEOPLE = pa.table({"age": [30, 40, 40], "Full name": ["marker a", "marker b", None]})


SCHEMAS = {"sail": ("plain_schema", "my schema"), "apache": ("plain_schema",)}  # Apache's own catalog has plain names


@pytest.fixture(params=["sail", pytest.param("apache", marks=pytest.mark.slow)])
def place(request):
    """Return a session on a server, and its schemas with a table."""
    found, schemas = Session(spark_servers.session(getattr(spark_servers, request.param)())), SCHEMAS[request.param]
    for name in schemas:
        found.spark.sql(f"CREATE SCHEMA `{name}`").toArrow()
        found.spark.createDataFrame(PEOPLE).write.saveAsTable(f"`{name}`.people")
    found.spark.createDataFrame(PEOPLE).createOrReplaceTempView("of_this_session")
    yield found, schemas
    found.spark.catalog.dropTempView("of_this_session")
    for name in schemas:
        found.spark.sql(f"DROP TABLE `{name}`.people").toArrow()
        found.spark.sql(f"DROP SCHEMA `{name}`").toArrow()
    found.spark.stop()


def test_levels_are_listed_by_name_and_tables_read_by_path(place):
    session, schemas = place
    catalog = session.spark.catalog.currentCatalog()
    assert catalog in below(session, [])
    assert {"default", *schemas} <= {*below(session, [catalog])}
    for schema in schemas:
        assert below(session, [catalog, schema]) == ["people"]
        path = [catalog, schema, "people"]
        assert columns(session, path) == [("age", "bigint"), ("Full name", "string")]
        assert records(session, path) == 3
        assert Table.read(session.spark.table(table_name(path)), ["age"]).records == 3
    with pytest.raises(BadInput, match="no levels below it"):
        below(session, [catalog, "plain_schema", "people"])


def test_a_missing_table_is_reported(place):
    session, _ = place
    with pytest.raises(BadInput, match=r"the table does not exist|cannot run this query") as caught:
        columns(session, [session.spark.catalog.currentCatalog(), "plain_schema", "nobody"])
    assert "marker" not in str(caught.value)


def test_names_are_quoted_where_they_have_to_be():
    assert table_name(["a", "B_1", "people"]) == "a.B_1.people"
    assert table_name(["my schema", "a`b", "é", "1st"]) == "`my schema`.`a``b`.`é`.`1st`"
