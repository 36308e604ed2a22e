"""The bytes of compressed files."""

import gzip
import zipfile

import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.packed import inner_name, is_packed, raw_blocks, refuse_larger, unpack


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
