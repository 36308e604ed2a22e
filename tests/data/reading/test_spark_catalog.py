"""The contents of a server, level by level, with awkward names; errors do not quote values."""

import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session
from workbench.data.reading.spark_catalog import below, columns, records, table_name
from workbench.data.table import Table

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
