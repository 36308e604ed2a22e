"""A DuckDB connection of one's own: private, without a network, within its memory."""

import stat

import pandas as pd

from tests.data.reading.files import message_of, table_of, written
from workbench.data.reading.source import Query, open_source


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


def test_nothing_is_fetched():
    source = open_source(pd.DataFrame({"a": [1]}))
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions", "python_enable_replacements"):
        value = source._connection.sql(f"SELECT current_setting('{setting}')").fetchall()
        assert value == [(False,)]


def test_bad_settings(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    assert "memory_limit 'much'" in message_of(lambda: open_source(path, memory_limit="much"))
    assert "is not a folder" in message_of(lambda: open_source(path, temp_directory=tmp_path / "no"))
    assert "delimiter='::' must be one character" in message_of(lambda: open_source(path, delimiter="::"))
    assert "not from list" in message_of(lambda: open_source([1, 2]))


def test_memory_limit_too_small():
    query = Query("SELECT DISTINCT hash(range) AS a, hash(range + 1) AS b FROM range(3000000)")
    source = open_source(query, memory_limit="10MB")
    source._connection.execute("SET temp_directory = ''")
    assert "raise memory_limit" in message_of(lambda: table_of(source))
