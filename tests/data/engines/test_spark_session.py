"""Spark sessions: addresses, timeouts and error messages."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.data.engines import spark_session
from workbench.data.engines.spark_session import TOKEN, Session, refuse_secrets
from workbench.data.table import Table

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "remote",
    [
        "host:15002", "http://host:1", "sc://", "", "sc:host", "sc://h:99999", "sc://h:0", "sc://h:a", "sc://h/x",
        "sc://h/;use_ssl", "sc://h?a=b",
    ],
)  # fmt: skip
def test_only_addresses_of_spark_connect_are_accepted(remote):
    with pytest.raises(BadInput, match="sc://host:15002"):
        refuse_secrets(remote)


@pytest.mark.parametrize(
    "remote",
    [
        "sc://host:1/;token=hush", "sc://me:hush@host:1", "sc://h/;use_ssl=true;token=hush", "sc://h;token=hush",
        "sc://h:1/;authorization=Bearer hush", "sc://h:1/;x-api-key=hush;use_ssl=true", "sc://h/;hush",
    ],
)  # fmt: skip
def test_an_address_contains_no_token(remote):
    with pytest.raises(BadInput, match=TOKEN) as caught:
        refuse_secrets(remote)
    assert "hush" not in str(caught.value)
    refuse_secrets("sc://host:15002/;use_ssl=true;user_id=me;session_id=1;user_agent=x")


def test_an_invalid_session_number_is_reported():
    spark_servers.client()
    with pytest.raises(BadInput, match="sc://host:15002"):
        Session.opened("sc://127.0.0.1:9/;session_id=mine")


def test_errors_of_a_local_session_quote_no_data():
    session = Session.opened(spark_servers.sail())
    assert session.ask(session.upload(pa.table({"a": [1, 2]})).groupBy("a").count()).num_rows == 2
    for asked, said in (
        (lambda: session.spark.table("no.such.people").schema, "the table does not exist|cannot run this query"),
        (lambda: session.spark.sql("SELECT CAST('a secret' AS INT) AS x").toArrow(), "cannot run this query"),
    ):
        with pytest.raises(BadInput, match=said) as caught:
            session.run(asked)
        assert "secret" not in str(caught.value) and caught.value.__context__ is None
    assert "127.0.0.1" in session.where and Session.opened(spark_servers.sail()) is session


ASKED = """
import sys, warnings
from workbench.data.engines.spark_session import Session
session = Session.opened(sys.argv[1])
print(session.run(lambda: session.spark.range(3).count()), hasattr(sys.modules["__main__"], "__file__"))
warnings.filterwarnings("error", append=True)
try:
    warnings.warn("another", FutureWarning)
except FutureWarning:
    print("heard")
"""


@pytest.mark.slow
def test_a_program_that_is_no_file_is_not_ended_and_hears_no_warning_of_pandas():
    given = {key: value for key, value in os.environ.items() if key != "SPARK_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", ASKED, spark_servers.sail()], capture_output=True, text=True, env=given, cwd=ROOT
    )
    assert done.stdout.split() == ["3", "False", "heard"] and done.stderr == "", done.stderr[-2000:]


def test_a_server_that_comes_back_is_used_again(monkeypatch):
    monkeypatch.setitem(spark_session.PATIENCE, "max_retries", 1)
    remote, process = spark_servers.sail_elsewhere()
    before = Session.opened(remote)
    assert len(before.ask(before.spark.range(3))) == 3
    process.kill()
    process.wait()
    with pytest.raises(BadInput, match="the connection is lost"):
        before.run(lambda: before.spark.range(3).count())
    again, process = spark_servers.sail_elsewhere(int(remote.rpartition(":")[2]))
    monkeypatch.undo()
    after = Session.opened(remote)
    assert again == remote and after is not before
    assert after.run(lambda: after.spark.range(3).count()) == 3
    for session in (before, after):  # or Spark's client would ask the one that is gone about queries of any other
        session.spark.stop()
    process.kill()


def test_an_unreachable_server_is_reported_in_one_sentence(monkeypatch):
    spark_servers.client()
    monkeypatch.setitem(spark_session.PATIENCE, "max_retries", 1)
    with pytest.raises(BadInput, match=r"^Spark at 127.0.0.1: no server responds; check the address"):
        session = Session.opened("sc://127.0.0.1:9")
        session.run(lambda: session.spark.table("people").schema)


def test_timeouts_of_the_callers_session_are_restored_also_with_concurrent_use():
    spark = spark_servers.session(spark_servers.sail())
    before = spark.client.get_retry_policies()
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(Session(spark).ask, spark.range(n + 1)) for n in range(12)]
    assert [one.result().num_rows for one in asked] == list(range(1, 13))
    assert spark.client.get_retry_policies() == before
    spark.stop()


def test_a_lost_server_is_not_queried_for_another(monkeypatch):
    """Spark's client asks the first session of the process, once, whether queries record where they were written."""
    spark = spark_servers.session(spark_servers.sail())
    gone = spark_servers.client().builder.remote("sc://127.0.0.1:9").create()
    gone.client.set_retry_policies([])
    monkeypatch.setattr(type(spark)._active_session, "session", gone, raising=False)
    monkeypatch.setattr("pyspark.errors.utils._enable_debugging_cache", None)
    table = Table.read(spark.createDataFrame(pa.table({"age": [30, 40, 40], "ill": ["a", "b", "b"]})), ["age"], "ill")
    assert table.cells().weight.tolist() == [1, 2] and gone.client is not spark.client
    for one in (gone, spark):
        one.stop()
