"""What kind of file a table is in."""

import gzip
import os

import pytest

from tests.data.reading.files import message_of, table_of, written
from workbench.data.reading.opening import open_source


@pytest.mark.parametrize("name", ["data.csv.gz", "data.tsv.gz", "data.tsv", "data.txt"])
def test_extensions(tmp_path, name):
    content = (b"a\tb\n1\t2\n") if "tsv" in name else b"a,b\n1,2\n"
    path = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert table_of(open_source(path)) == {"a": ["1"], "b": ["2"]}


def test_format_overrides_the_extension(tmp_path):
    assert table_of(open_source(written(tmp_path, "a,b\n1,2\n", "data.dat"), format="csv")) == {"a": ["1"], "b": ["2"]}


def test_missing_file(tmp_path):
    assert message_of(lambda: open_source(tmp_path / "no.csv")).endswith("no.csv: there is no such file")


def test_folder(tmp_path):
    assert "this is a folder" in message_of(lambda: open_source(tmp_path))


def test_unknown_extension(tmp_path):
    assert "the extension '.xlsx' is not known" in message_of(lambda: open_source(written(tmp_path, "x", "d.xlsx")))
    assert "format 'excel' is not known" in message_of(lambda: open_source(written(tmp_path, "x"), format="excel"))


@pytest.mark.parametrize("name", ["d.csv", "d.parquet", "d.ndjson", "d.csv.gz"])
def test_empty_file(tmp_path, name):
    content = gzip.compress(b"") if name.endswith("gz") else b""
    assert "the file is empty" in message_of(lambda: open_source(written(tmp_path, content, name)))


def test_not_gzip(tmp_path):
    assert "not a valid gzip file" in message_of(lambda: open_source(written(tmp_path, "a,b\n1,2\n", "d.csv.gz")))
    cut = gzip.compress(b"a,b\n" + os.urandom(100_000).hex().encode())[:-5000]
    assert "damaged or cut off" in message_of(lambda: open_source(written(tmp_path, cut, "d.csv.gz")))
