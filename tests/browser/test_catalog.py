"""The catalog of a server in a real browser: unfolded level by level, a table chosen, a lost connection said."""

import tempfile

import pytest

from tests.data.engines import spark_servers

CELL = """
import ipywidgets
import pyarrow as pa
from widgets import DataPicker
from workbench.data.engines import spark_session

REMOTE = "{remote}"
spark_session.PATIENCE["max_retries"] = 1
spark = spark_session.Session.opened(REMOTE).spark
spark.conf.set("spark.sql.warehouse.dir", "{folder}")
people = pa.table({{"age": [30, 40, 40, 50] * 30, "Place of birth": ["marker north", "marker south"] * 60}})
spark.sql("CREATE SCHEMA clinic").toArrow()
for name in ("people", "visits"):
    spark.createDataFrame(people).write.saveAsTable("clinic." + name)

def made():
    data, out = DataPicker(), ipywidgets.HTML()

    def say(_):
        out.value = f"<code id='out'>{{dict(data.data)}} {{data.base and data.base.records}}</code>"

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
        cell = CELL.format(remote=remote, folder=folder)
        with one_page.fresh(cell, ".wb-using b", width=900, height=900) as page:
            yield page


def test_a_table_is_found_level_by_level_and_becomes_the_data(page, remote):
    page.get_by_text("Spark", exact=True).click()
    page.get_by_label("Server that speaks Spark Connect").fill("sc://127.0.0.1:9")
    page.get_by_role("button", name="Connect").click()
    page.locator("[data-field=spark] .wb-wrong", has_text="the connection is lost").wait_for()
    assert "bundled" in page.locator("#out").inner_text()
    page.get_by_label("Server that speaks Spark Connect").fill(remote)
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
