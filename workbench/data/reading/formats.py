"""The format of a table's file, from its name or as declared."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from workbench.base.errors import BadInput, Fix

# Read the bytes of files, including compressed ones: gzip, bzip2, xz, Zstandard, and zip with one file in it.

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


TEXT = {  # may be compressed
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".json": "json",
    ".ndjson": "json",
    ".jsonl": "json",
}
SUFFIXES = TEXT | {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".feather": "feather",
    ".arrow": "feather",
    ".orc": "orc",
    ".dta": "stata",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "spss",
    ".sas7bdat": "sas",
    ".xpt": "sas",
}
DATABASE = "duckdb"
DATABASES = {".duckdb": DATABASE, ".ddb": DATABASE}
WITH_TABLES = (DATABASE, "sqlite", "xlsx")  # files that may contain several tables
FORMATS = (
    "csv",
    "tsv",
    "parquet",
    "json",
    "ndjson",
    DATABASE,
    "xlsx",
    "sqlite",
    "feather",
    "orc",
    "stata",
    "spss",
    "sas",
)
ADDRESS = re.compile(r"(?:^|/)((?:https?|s3[an]?|gs|gcs|az|abfss?|ftp|hdfs):/.*)", re.DOTALL)


def refuse_address(path: object) -> None:
    """Raise BadInput for a URL."""
    if found := ADDRESS.search(str(path)):
        scheme = found[1].partition(":")[0]
        raise BadInput(f"{scheme}:... is a URL, and nothing is downloaded; download the file and use its path")


def suffix_of(name: str) -> str:
    """Return the suffix that determines the format, from a name without the suffix of compression."""
    return Path(name).suffix.lower()


def file_format(path: Path, format: str | None) -> str:
    """Return the format of a file. Raise BadInput if it does not exist or is empty."""
    refuse_address(path)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):  # for example a name that is too long
        is_file = False
    if not is_file:
        raise BadInput(f"{path}: not an existing file; check the path")
    if format is not None and format not in FORMATS:
        raise BadInput(f"format {format!r} is unknown; choose from {', '.join(FORMATS)}")
    suffix, known = suffix_of(inner_name(path)), SUFFIXES | DATABASES
    if format is None and suffix not in known:
        raise BadInput(
            f"{path}: the extension {suffix!r} is unknown; use {Fix.FORMAT('csv')} or {', '.join(FORMATS[1:])}"
        )
    kind = {"ndjson": "json"}.get(format, format) if format else known[suffix]
    if is_packed(path) and kind not in TEXT.values():
        raise BadInput(f"{path}: only text files may be compressed, and this is {kind}; unpack it and use that file")
    failure = None
    try:
        with opened(path) as file:
            if not file.read(1):
                failure = f"{path}: the file is empty; choose one with records"
    except BadInput:
        raise
    except DAMAGED as error:
        reason = "permission denied" if isinstance(error, PermissionError) else f"not a valid {_packing(path)} file"
        failure = f"{path}: {reason}"
    if failure:
        raise BadInput(failure)
    return kind


def _packing(path: Path) -> str:
    """Return the common name of a file's compression."""
    names = dict(zip(PACKED, ("gzip", "bzip2", "xz", "zstd", "zip"), strict=True))
    return names.get(path.suffix.lower(), path.suffix)
