"""What kind of file a table is in, by its name or as it was said."""

from __future__ import annotations

import zlib
from pathlib import Path

from workbench.base.errors import BadInput
from workbench.data.reading.dialect import opened

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".ndjson": "json",
    ".jsonl": "json",
}
DATABASE = "duckdb"  # a file of tables
DATABASES = {".duckdb": DATABASE, ".ddb": DATABASE}
FORMATS = ("csv", "tsv", "parquet", "json", "ndjson", DATABASE)


def file_format(path: Path, format: str | None) -> str:
    """What kind of file this is, once it is known to be one and to hold something."""
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError:  # such as a name that is too long for a file
        is_folder = is_file = False
    if is_folder:
        raise BadInput(f"{path}: this is a folder; name the file in it")
    if not is_file:
        raise BadInput(f"{path}: there is no such file")
    if format is not None and format not in FORMATS:
        raise BadInput(f"format {format!r} is not known; there are {', '.join(FORMATS)}")
    suffixes = [s.lower() for s in path.suffixes]
    suffix = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    known = SUFFIXES | DATABASES
    if format is None and suffix not in known:
        raise BadInput(f"{path}: the extension {suffix!r} is not known; say format='csv' or {', '.join(FORMATS[1:])}")
    failure = None
    try:
        with opened(path) as file:
            if not file.read(1):
                failure = f"{path}: the file is empty; name one with records"
    except (OSError, EOFError, zlib.error) as error:
        reason = "it may not be read" if isinstance(error, PermissionError) else "not a valid gzip file"
        failure = f"{path}: {reason}"
    if failure:
        raise BadInput(failure)
    return {"ndjson": "json"}.get(format, format) if format else known[suffix]
