"""Formats of files."""

import bz2
import gzip
import io
import lzma
import os
import zipfile

import pandas as pd
import pyarrow as pa
import pytest

from tests.data.reading.files import message_of, table_of, written
from workbench.base.errors import BadInput
from workbench.data.reading.formats import inner_name, is_packed, raw_blocks, refuse_address, refuse_larger, unpack
from workbench.data.reading.opening import open_source
from workbench.data.table import Table


@pytest.mark.parametrize("name", ["data.csv.gz", "data.tsv.gz", "data.tsv", "data.txt"])
def test_extensions(tmp_path, name):
    content = (b"a\tb\n1\t2\n") if "tsv" in name else b"a,b\n1,2\n"
    path = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert table_of(open_source(path)) == {"a": ["1"], "b": ["2"]}


def test_format_overrides_the_extension(tmp_path):
    assert table_of(open_source(written(tmp_path, "a,b\n1,2\n", "data.dat"), format="csv")) == {"a": ["1"], "b": ["2"]}


def test_missing_file(tmp_path):
    assert message_of(lambda: open_source(tmp_path / "no.csv")).endswith("no.csv: not an existing file; check the path")


def test_an_empty_folder(tmp_path):
    assert "this folder has no data file" in message_of(lambda: open_source(tmp_path))


@pytest.mark.parametrize(
    "address", ["https://example.org/people.csv?key=1", "s3://bucket/people.parquet", "http://a/b.csv", "gs://b/*.csv"]
)
def test_addresses_are_refused_in_a_sentence_that_does_not_repeat_them(tmp_path, address):
    for path in (address, tmp_path / address):  # a path joins the slashes
        message = message_of(lambda path=path: open_source(path))
        assert message.endswith(":... is a URL, and nothing is downloaded; download the file and use its path")
        assert "people" not in message and "key" not in message
    refuse_address(tmp_path / "https.csv")


def packed(content, ending):
    if ending == "zip":
        with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
            archive.writestr("people.csv", content)
        return buffer.getvalue()
    if ending == "zst":
        return pa.compress(content, "zstd", asbytes=True)
    return {"gz": gzip, "bz2": bz2, "xz": lzma}[ending].compress(content)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst", "zip"])
def test_packed_text(tmp_path, ending, engine):
    frame = pd.DataFrame({"age": range(1000), "town": ["Ömsk", "Ayr"] * 500})
    for name, content in (
        ("d.csv", frame.to_csv(index=False).encode()),
        ("d.tsv", frame.to_csv(index=False, sep="\t").encode("utf-16")),
        ("d.ndjson", frame.to_json(orient="records", lines=True, force_ascii=False).encode()),
    ):
        path = written(tmp_path, packed(content, ending), f"{name}.{ending}")
        if ending == "zip" and not name.endswith("csv"):
            continue  # its member is called people.csv
        table = Table.without_roles(path, engine=engine)
        assert table.records == 1000 and table.columns["town"].labels == ("Ayr", "Ömsk"), name
        assert table.columns["age"].values[-1] == 999


def test_a_zip_file_has_the_format_of_its_only_member(tmp_path):
    path = written(tmp_path, packed(b"a,b\n1,2\n", "zip"), "anything.zip")
    assert table_of(open_source(path)) == {"a": ["1"], "b": ["2"]}
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.csv", b"a\n1\n")
    assert "the archive has 2 files; unpack it and use one of them" in message_of(lambda: open_source(path))


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "called"), [("bz2", "bzip2"), ("xz", "xz"), ("zst", "zstd"), ("zip", "zip")])
def test_files_that_are_not_compressed_or_truncated_are_refused(tmp_path, ending, called):
    plain = written(tmp_path, "a,b\n1,2\n", f"d.csv.{ending}")
    assert f"not a valid {called} file" in message_of(lambda: open_source(plain))
    content = packed(
        b"a,b\n" + (os.urandom(50).hex().encode() + b",1\n") * 20_000 + os.urandom(300_000).hex().encode(), ending
    )
    cut = written(tmp_path, content[:-5000], f"e.csv.{ending}")
    assert any(word in message_of(lambda: open_source(cut)) for word in ("damaged or truncated", "not a valid"))


def test_only_text_is_read_compressed(tmp_path):
    frame = pd.DataFrame({"a": [1]})
    frame.to_parquet(tmp_path / "d.parquet")
    path = written(tmp_path, gzip.compress((tmp_path / "d.parquet").read_bytes()), "d.parquet.gz")
    assert "unpack it and use that file" in message_of(lambda: open_source(path))


def test_unknown_extension(tmp_path):
    assert "the extension '.docx' is unknown" in message_of(lambda: open_source(written(tmp_path, "x", "d.docx")))
    assert "format 'excel' is unknown" in message_of(lambda: open_source(written(tmp_path, "x"), format="excel"))


@pytest.mark.parametrize("name", ["d.csv", "d.parquet", "d.ndjson", "d.csv.gz"])
def test_empty_file(tmp_path, name):
    content = gzip.compress(b"") if name.endswith("gz") else b""
    assert "the file is empty" in message_of(lambda: open_source(written(tmp_path, content, name)))


def test_not_gzip(tmp_path):
    assert "not a valid gzip file" in message_of(lambda: open_source(written(tmp_path, "a,b\n1,2\n", "d.csv.gz")))
    cut = gzip.compress(b"a,b\n" + os.urandom(100_000).hex().encode())[:-5000]
    assert "damaged or truncated" in message_of(lambda: open_source(written(tmp_path, cut, "d.csv.gz")))


# The bytes of compressed files.


def test_names_without_the_extension_of_compression(tmp_path):
    assert is_packed(tmp_path / "a.CSV.GZ") and not is_packed(tmp_path / "a.csv")
    assert inner_name(tmp_path / "a.csv.xz") == "a.csv" and inner_name(tmp_path / "a.csv") == "a.csv"
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("__MACOSX/._a.csv", "")
        archive.writestr("folder/a.csv", "x\n1\n")
    assert inner_name(tmp_path / "b.zip") == "a.csv"
    assert b"".join(raw_blocks(tmp_path / "b.zip")) == b"x\n1\n"


def test_decompression_stops_before_the_disk_is_full(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"x" * 1000))
    assert unpack(path, tmp_path / "copy", 1000).read_bytes() == b"x" * 1000
    with pytest.raises(BadInput, match="not enough space for"):
        unpack(path, tmp_path / "copy", 999)
    with pytest.raises(BadInput, match=r"uncompressed it has more than the 0\.0 MB allowed"):
        refuse_larger(path, 999)
    refuse_larger(path, 1000)
