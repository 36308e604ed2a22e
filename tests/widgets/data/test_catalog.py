"""The catalog of a server: levels are read on request, without values or tokens; lost connections are reported."""

import threading

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from tests.widgets.data.test_data import problems, replies
from widgets.data.data import DataPicker
from workbench.data.engines import spark_session
from workbench.data.engines.spark_session import TOKEN, Session
from workbench.data.reading import spark_source

FRAME = pd.DataFrame({"age": [31, 32, 33, 34] * 5, "ill": ["marker of flu", "marker of cold"] * 10})


@pytest.fixture
def place(monkeypatch):
    """A server with one table, and the path of that; sessions are the test's own."""
    remote = spark_servers.sail()
    session = Session(spark_servers.session(remote))
    monkeypatch.setattr(Session, "opened", lambda remote: session)
    session.spark.createDataFrame(pa.Table.from_pandas(FRAME)).write.saveAsTable("default.`in a catalog`")
    yield remote, [session.spark.catalog.currentCatalog(), "default", "in a catalog"]
    session.spark.sql("DROP TABLE default.`in a catalog`").toArrow()
    session.spark.stop()


def found(sent):
    return [{k: v for k, v in one.items() if k not in ("kind", "remote")} for one in sent if one["kind"] == "found"]


def test_each_level_is_asked_for_alone_and_tells_no_value(place):
    remote, path = place
    picker = DataPicker(FRAME)
    for depth in range(3):
        sent = replies(picker, "look", remote=remote, path=path[:depth])
        (one,) = found(sent)
        assert one["path"] == path[:depth] and path[depth] in one["names"]
    first, then = found(replies(picker, "look", remote=remote, path=path))
    assert first == {"path": path, "columns": [["age", "bigint"], ["ill", "string"]], "records": None}
    assert then == {"path": path, "records": 20}
    assert "marker" not in str(sent) + str(first) + str(then)


def test_a_table_that_is_chosen_is_the_studys_data(place):
    remote, path = place
    picker = DataPicker()
    sent = replies(picker, "choose", field="spark", remote=remote, path=path)
    assert not problems(sent)
    assert picker.data == {"spark": f"{path[0]}.default.`in a catalog`", "remote": remote}
    assert picker.base.records == 20 and not picker.base.engine.in_memory
    assert picker.about() == f"{path[0]}.default.`in a catalog`, 20 records"
    assert any("values of age, column 1 of 2" in str(one) for one in sent)


@pytest.mark.parametrize(
    ("remote", "path", "said"),
    [
        ("sc://host:1/;token=t0ps3cret", [], TOKEN),
        ("host:1", [], "sc://host:15002"),
        ("", [], "sc://host:15002"),
        ("sc://host:1", ["a", "b", "c", "d"], "a catalog, a schema and a name"),
        ("sc://host:1", "t0ps3cret", "a catalog, a schema and a name"),
        ("sc://host:1", ["a", 1], "a catalog, a schema and a name"),
    ],
)
def test_what_is_no_place_is_refused_and_a_token_is_not_repeated(remote, path, said):
    picker = DataPicker()
    for kind in ("look", "choose"):
        sent = replies(picker, kind, field="spark", remote=remote, path=path)
        ((field, text),) = problems(sent)
        assert field == "spark" and said in text and "t0ps3cret" not in str(sent)
    assert "t0ps3cret" not in str(picker.get_state()) and "bundled" in picker.data


def test_a_file_of_duckdb_is_unfolded_and_its_table_is_the_studys_data(tmp_path):
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.register("frame", FRAME)
        for name in ("people", "in a file"):
            connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM frame')
    picker = DataPicker(FRAME, folder=str(tmp_path))
    known = {"remote": "clinic.duckdb", "field": "spark"}
    (one,) = found(replies(picker, "look", path=["clinic", "main"], **known))
    assert one["names"] == ["in a file", "people"]
    first, then = found(replies(picker, "look", path=["clinic", "main", "in a file"], **known))
    assert first["columns"] == [["age", "BIGINT"], ["ill", "VARCHAR"]] and then["records"] == 20
    sent = replies(picker, "choose", path=["clinic", "main", "in a file"], **known)
    assert picker.data == {"path": "clinic.duckdb", "table": 'main."in a file"'} and picker.base.records == 20
    assert picker.about() == 'clinic.duckdb: main."in a file", 20 records' and not problems(sent)
    ((field, text),) = problems(replies(picker, "choose", field="path", value="clinic.duckdb"))
    assert field == "path" and text.endswith("the file has 2 tables; choose one below")
    ((field, text),) = problems(replies(picker, "look", field="spark", remote="none.duckdb", path=[]))
    assert field == "spark" and "not an existing file" in text
    kept = DataPicker(FRAME, folder=str(tmp_path), paths=False)
    assert "switched off" in problems(replies(kept, "look", path=[], **known))[0][1]


def test_no_other_server_is_reached_where_paths_are_switched_off(place):
    picker = DataPicker(paths=False)
    for kind in ("look", "choose"):
        assert "switched off" in problems(replies(picker, kind, field="spark", remote=place[0], path=place[1]))[0][1]
    assert "bundled" in picker.data


def test_a_lost_connection_is_said_in_one_sentence_and_the_data_stay(monkeypatch):
    monkeypatch.setitem(spark_session.PATIENCE, "max_retries", 1)
    spark_servers.client()
    picker = DataPicker(FRAME)
    base = picker.base
    for kind, path in (("look", []), ("choose", ["a", "b", "c"])):
        sent = replies(picker, kind, field="spark", remote="sc://127.0.0.1:9", path=path)
        ((field, text),) = problems(sent)
        assert field == "spark" and text.count("no server responds") == 1
        assert picker.base is base and picker.data == {"given": "frame"}
    assert {"stopped"} <= {one["kind"] for one in replies(picker, "look", remote="sc://127.0.0.1:9", path=[])}


def test_a_cancel_stops_the_question_and_nothing_is_heard_of_it(monkeypatch, place):
    remote, path = place
    picker, stopped = DataPicker(FRAME), threading.Event()

    def endless(session, path):
        try:
            session.run(lambda: session.spark.range(10**12).selectExpr("sum(id % 7)").toArrow())
        finally:
            stopped.set()

    monkeypatch.setattr(spark_source, "records", endless)
    looking = threading.Thread(target=replies, args=(picker, "look"), kwargs={"remote": remote, "path": path})
    looking.start()
    threading.Timer(0.5, lambda: picker.receive_stop({}, [])).start()
    assert stopped.wait(20)
    looking.join(20)
    assert not looking.is_alive() and not picker._catalog.busy
