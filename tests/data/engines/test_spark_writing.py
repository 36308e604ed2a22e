"""Tables and folders that are written completely or not at all, and names of tables in SQL."""

import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session
from workbench.data.engines.spark_writing import is_folder, is_text, quoted, whole


def test_a_name_with_a_slash_is_a_folder_and_others_are_quoted_tables():
    assert [is_folder(name) for name in ("a.b.people", "/tmp/people.parquet", "./people.csv")] == [False, True, True]
    assert is_text("/tmp/people.csv") and not is_text("people.csv") and not is_text("/tmp/people.parquet")
    assert quoted("my catalog.db.people") == "`my catalog`.`db`.`people`" == quoted("`my catalog`.`db`.`people`")


@pytest.fixture(scope="module")
def session():
    return Session.opened(spark_servers.sail())


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_folder_gets_its_name_when_it_is_complete(tmp_path, session, ending):
    rows = session.upload(pa.table({"a": ["x", 'say "it"\nand more', None]}))
    with whole(session, f"{tmp_path}/people.{ending}") as aside:
        aside.write(rows)
        assert session.ask(aside.read()).num_rows == 3 and not (tmp_path / f"people.{ending}").exists()
    assert [path.name for path in tmp_path.iterdir()] == [f"people.{ending}"]
    with pytest.raises(BadInput, match="already exists"), whole(session, f"{tmp_path}/people.{ending}"):
        pass


def test_nothing_is_left_after_a_failure(tmp_path, session):
    with pytest.raises(RuntimeError), whole(session, f"{tmp_path}/people.parquet") as aside:
        aside.write(session.upload(pa.table({"a": [1]})))
        raise RuntimeError
    with pytest.raises(BadInput, match="unsupported file type"), whole(session, f"{tmp_path}/people"):
        pass
    with pytest.raises(BadInput, match="does not exist here"), whole(session, f"{tmp_path}/no/people.csv"):
        pass
    sees = pytest.raises(BadInput, match="which this process cannot see")
    with sees, whole(session, f"{tmp_path}/people.parquet"):
        pass
    assert list(tmp_path.iterdir()) == []
