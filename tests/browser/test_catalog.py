"""The catalog of a server or file in a real browser: unfolded by level, a table chosen, a lost connection said."""

import tempfile

import duckdb
import pytest

from tests.data.engines import spark_servers

SERVER = """
import pyarrow as pa
from workbench.data.engines import spark_session

REMOTE = "{remote}"
spark_session.PATIENCE["max_retries"] = 1
spark = spark_session.Session.opened(REMOTE).spark
spark.conf.set("spark.sql.warehouse.dir", "{folder}")
people = pa.table({{"age": [30, 40, 40, 50] * 30, "Place of birth": ["marker north", "marker south"] * 60}})
spark.sql("CREATE SCHEMA clinic").toArrow()
for name in ("people", "visits"):
    spark.createDataFrame(people).write.saveAsTable("clinic." + name)
"""
CELL = """
import ipywidgets
from widgets import DataPicker

def made():
    data, out = DataPicker(), ipywidgets.HTML()

    def say(_):
        out.value = f"<code id='out'>{dict(data.data)} {data.base and data.base.records}</code>"

    data.observe(say, ["base", "data"])
    say(None)
    return ipywidgets.VBox([data, out], layout=ipywidgets.Layout(width="380px"))
"""


@pytest.fixture(scope="module")
def remote():
    return spark_servers.sail()


@pytest.fixture
def page(one_page, remote):
    with tempfile.TemporaryDirectory() as folder:
        cell = SERVER.format(remote=remote, folder=folder) + CELL
        with one_page.fresh(cell, ".wb-using b", width=900, height=900) as page:
            yield page


def test_a_table_is_found_level_by_level_and_becomes_the_data(page, remote):
    page.get_by_text("Tables", exact=True).click()
    page.get_by_label("Spark Connect server").fill("sc://127.0.0.1:9")
    page.get_by_role("button", name="Connect").click()
    page.locator("[data-field=spark] .wb-wrong", has_text="no server responds").wait_for()
    assert "bundled" in page.locator("#out").inner_text()
    page.get_by_label("Spark Connect server").fill(remote)
    page.keyboard.press("Enter")
    tree = page.locator(".wb-catalog")
    for name in ("sail", "clinic", "people"):
        tree.locator("summary", has_text=name).click()
    tree.get_by_text("120 records").wait_for()
    assert "Place of birth" in tree.inner_text() and "marker" not in tree.inner_text()
    assert page.locator("[data-field=spark] .wb-wrong").inner_text() == ""
    tree.get_by_role("button", name="Use this table").click()
    page.locator("#out", has_text="'sail.clinic.people'").wait_for()
    page.locator(".wb-using", has_text="120 records × 2 columns").wait_for()


def test_a_table_in_a_file_of_duckdb_is_found_in_the_same_way(one_page, tmp_path):
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute('CREATE TABLE "out patients" AS SELECT i AS age, i % 3 AS ward FROM range(90) t(i)')
    with one_page.fresh(CELL, ".wb-using b", width=900, height=900) as page:
        page.get_by_text("Tables", exact=True).click()
        page.get_by_label("or DuckDB file").fill(str(tmp_path / "clinic.duckdb"))
        page.keyboard.press("Enter")
        tree = page.locator(".wb-catalog")
        for name in ("clinic", "main", "out patients"):
            tree.locator("summary", has_text=name).click()
        tree.get_by_text("90 records").wait_for()
        tree.get_by_role("button", name="Use this table").click()
        page.locator("#out", has_text='main."out patients"').wait_for()
        page.locator(".wb-using", has_text="90 records × 2 columns").wait_for()
        assert page.get_by_text("Tables", exact=True).locator("..").locator("input").is_checked()
