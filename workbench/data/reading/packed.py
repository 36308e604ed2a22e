"""Read the bytes of files, including compressed ones: gzip, bzip2, xz, Zstandard, and zip with one file in it."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from workbench.base.errors import BadInput, Fix

BLOCK = 1 << 22
ZIP = ".zip"
PACKED = (".gz", ".bz2", ".xz", ".zst", ZIP)
DAMAGED = (OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, pa.ArrowException)


def is_packed(path: Path) -> bool:
    return path.suffix.lower() in PACKED


def opened(path: Path) -> IO[bytes]:
    """Open a file for its uncompressed bytes, by its suffix."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    if suffix == ".bz2":
        return bz2.open(path, "rb")
    if suffix == ".xz":
        return lzma.open(path, "rb")
    if suffix == ".zst":
        return pa.input_stream(str(path), compression="zstd")
    if suffix == ZIP:
        return _member(path)
    return path.open("rb")


def inner_name(path: Path) -> str:
    """Return the name without compression: `people.csv` for `people.csv.gz`, and the only member of a zip file."""
    if path.suffix.lower() == ZIP:
        try:
            return Path(_only_member(path)).name
        except DAMAGED:
            pass  # opening the file names the fault
    return path.name[: -len(path.suffix)] if is_packed(path) else path.name


def _member(path: Path) -> IO[bytes]:
    name = _only_member(path)
    return zipfile.ZipFile(path).open(name)


def _only_member(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        names = [one.filename for one in archive.infolist() if not one.is_dir()]
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise BadInput(f"{path}: the archive has {len(names):,} files; unpack it and use one of them, or their folder")
    return names[0]


def blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file without a byte order mark of UTF-8."""
    first = True
    for block in raw_blocks(path):
        yield block.removeprefix(codecs.BOM_UTF8) if first else block
        first = False


def raw_blocks(path: Path) -> Generator[bytes]:
    """Yield the uncompressed bytes of a file."""
    broken = False
    try:
        with opened(path) as file:
            while block := file.read(BLOCK):
                yield block
    except DAMAGED:
        broken = True
    if broken:
        raise BadInput(f"{path}: the file is damaged or truncated; download or copy it again")


def unpack(path: Path, target: Path, most_bytes: int) -> Path:
    """Write an uncompressed copy."""
    with target.open("wb") as copy:
        for block in raw_blocks(path):
            most_bytes -= len(block)
            if most_bytes < 0:
                raise BadInput(
                    f"{path}: not enough space for an uncompressed copy on the disk of {target.parent.parent}; "
                    f"choose another folder with {Fix.TEMP_DIRECTORY}"
                )
            copy.write(block)
    return target


def refuse_larger(path: Path, most: int, stop: Callable[[], bool] = lambda: False) -> None:
    """Raise BadInput if a file has more uncompressed bytes than `most`; return early if `stop` returns True."""
    total = 0
    for block in blocks(path):
        total += len(block)
        if total > most:
            allowed = f"the {most / 1e6:,.1f} MB allowed"
            raise BadInput(f"{path}: uncompressed it has more than {allowed}; remove columns that are not needed")
        if stop():
            return
