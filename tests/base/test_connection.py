"""Private DuckDB connections: no network, limited memory."""

import stat
import subprocess
import sys

import pandas as pd
import pytest

from tests.data.reading.files import message_of, table_of, written
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query


def test_temporary_files_are_private_and_go_away(tmp_path):
    source = open_source(written(tmp_path, "a\né\n", encoding="utf-16"), temp_directory=tmp_path, memory_limit="1GB")
    (folder,) = [p for p in tmp_path.iterdir() if p.is_dir()]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert table_of(source) == {"a": ["é"]}
    source.close()
    assert not folder.exists()
    source = open_source(written(tmp_path, "a\n1\n"), temp_directory=tmp_path)
    del source
    assert not [p for p in tmp_path.iterdir() if p.is_dir()]


def test_nothing_is_downloaded():
    source = open_source(pd.DataFrame({"a": [1]}))
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions", "python_enable_replacements"):
        value = source._connection.sql(f"SELECT current_setting('{setting}')").fetchall()
        assert value == [(False,)]


def test_frames_that_are_read_concurrently_are_separate():
    """The frames share one database in which neither has a name."""
    several = [open_source(pd.DataFrame({"a": [i, i, i]})) for i in range(3)]
    batches = [one.batches(["a"], rows=1) for one in several]
    first = [next(one).column(0).to_pylist() for one in batches]
    several[0].close()
    rest = [[value for batch in one for value in batch.column(0).to_pylist()] for one in batches[1:]]
    assert first == [[0], [1], [2]] and rest == [[1, 1], [2, 2]]
    assert several[1]._connection.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]


@pytest.mark.slow
def test_a_forked_process_can_read_frames_and_ends_normally():
    """A database from before the fork would lack its threads."""
    code = (
        "import os, pandas as pd; from workbench.data.table import Table; frame = pd.DataFrame({'a': range(200_000)}); "
        "Table.without_roles(frame); child = os.fork(); found = Table.without_roles(frame).records; "
        "exit(found != 200_000 if not child else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


def test_invalid_settings_are_refused(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    assert "memory_limit 'much'" in message_of(lambda: open_source(path, memory_limit="much"))
    assert "is not a writable folder" in message_of(lambda: open_source(path, temp_directory=tmp_path / "no"))
    assert "delimiter='::' must be one ASCII character" in message_of(lambda: open_source(path, delimiter="::"))
    assert "got list" in message_of(lambda: open_source([1, 2]))


def test_a_memory_limit_that_is_too_small_is_refused():
    query = Query("SELECT DISTINCT hash(range) AS a, hash(range + 1) AS b FROM range(3000000)")
    source = open_source(query, memory_limit="10MB")
    source._connection.execute("SET temp_directory = ''")
    assert "increase memory_limit" in message_of(lambda: table_of(source))
