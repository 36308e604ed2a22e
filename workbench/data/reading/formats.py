"""The format of a table's file, from its name or as declared."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.base.errors import BadInput, Fix
from workbench.data.reading.packed import DAMAGED, PACKED, inner_name, is_packed, opened

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
        raise BadInput(f"format {format!r} is unknown; there are {', '.join(FORMATS)}")
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
