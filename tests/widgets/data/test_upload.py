"""A file in chunks arrives in order, is not longer than announced, and is removed at the end."""

import gc

import pytest

from widgets.data.upload import CHUNK, Upload, suffix
from workbench.base.errors import BadInput


def test_chunks_make_the_file_and_it_goes_when_nobody_holds_it():
    upload = Upload("t", "../people.CSV", CHUNK + 2)
    assert not upload.add(0, memoryview(b"x" * CHUNK)) and upload.add(1, memoryview(b"yz"))
    path = upload.path
    assert path.name == "upload.csv" and path.read_bytes() == b"x" * CHUNK + b"yz"
    del upload
    gc.collect()
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("index", "chunk"), [(1, b"ab"), (0, b""), (0, b"abcd"), (0, b"x" * (CHUNK + 1)), (None, b"a")]
)
def test_a_chunk_that_was_not_announced_is_refused(index, chunk):
    upload = Upload("t", "people.csv", 3)
    with pytest.raises(BadInput, match="upload the file again"):
        upload.add(index, memoryview(chunk))


def test_the_ending_says_how_a_file_is_read():
    assert [suffix(name) for name in ("a.CSV", "a.csv.gz", "b.parquet")] == [".csv", ".csv.gz", ".parquet"]
    for name in ("a.docx", "a", ".gz", "a.gz"):
        with pytest.raises(BadInput, match="unknown file type; supported are"):
            suffix(name)
