"""Tables in several files: a folder or a pattern of partitions, in Parquet or in delimited text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput
from workbench.data.reading.dialect import refuse_duplicates
from workbench.data.reading.formats import SUFFIXES, file_format, refuse_address, suffix_of
from workbench.data.reading.packed import inner_name
from workbench.data.reading.source import ROWS, Source, literal, select_list

READ = ("csv", "tsv", "parquet")


def is_many(path: Path) -> bool:
    """Return whether a path is a folder or a pattern instead of a file."""
    try:
        return path.is_dir() or (has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):
        return False


def files_of(path: Path) -> list[Path]:
    """Return the sorted files of a folder or a pattern, without hidden files and success markers; none for a file."""
    if not is_many(path):
        return []
    if path.is_dir():
        found = [Path(at) / name for at, _, names in os.walk(path) for name in names]
    else:
        found = [*map(Path, glob(str(path), recursive=True))]
    found = [one for one in found if one.is_file()]
    root = path if path.is_dir() else path.parent
    return sorted(one for one in found if not any(part.startswith((".", "_")) for part in _below(one, root)))


def part_files(path: Path, format: str | None) -> tuple[list[Path], str]:
    """Return the files of a folder or a pattern, and their format."""
    refuse_address(path)
    found = files_of(path)
    if format is None:
        found = [one for one in found if suffix_of(inner_name(one)) in SUFFIXES] if path.is_dir() else found
    if not found:
        what = "this folder has no data file" if path.is_dir() else "no data file matches this pattern"
        raise BadInput(f"{path}: {what}; use a file, a folder or a pattern such as *.csv")
    kinds = sorted({file_format(one, format) for one in found})
    if len(kinds) > 1:
        raise BadInput(f"{path}: files of several formats ({', '.join(kinds)}); use a pattern such as *.{kinds[0]}")
    if kinds[0] not in READ:
        raise BadInput(
            f"{path}: only Parquet, CSV and TSV can be read from several files, not {kinds[0]}; use one of the files"
        )
    return found, kinds[0]


class ParquetParts(Source):
    """Partitions in Parquet; folders such as `year=2024` become columns."""

    def __init__(self, path: Path, files: Sequence[Path], private: PrivateConnection) -> None:
        super().__init__(str(path), private)
        root = path if path.is_dir() else path.parent
        hive = any("=" in part for file in files for part in _below(file, root)[:-1])
        schemas = [self._schema_of(file) for file in files]
        for file, schema in zip(files, schemas, strict=True):
            if not schema.equals(schemas[0]):
                raise BadInput(f"{file}: columns or types differ from those of {files[0]}; make them equal")
        failure = None
        try:
            self._whole = private.connection.sql(
                "SELECT * FROM read_parquet($paths, hive_partitioning = $hive)",
                params={"paths": [literal(file) for file in files], "hive": hive},
            )
        except duckdb.Error as error:
            failure = self._explained(str(error))
        if failure:
            raise failure
        self.names = self._whole.columns
        refuse_duplicates(self.names, self.where)

    def _schema_of(self, file: Path) -> pa.Schema:
        try:
            return pq.read_schema(file).remove_metadata()
        except (pa.ArrowException, OSError):
            pass
        raise BadInput(f"{file}: not valid Parquet; write the file again, or remove it from {self.where}")

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))


class TextParts(Source):
    """Partitions in delimited text, each with a header; they are opened one by one."""

    typed = False

    def __init__(
        self, path: Path, files: Sequence[Path], private: PrivateConnection, open_part: Callable[[Path], Source]
    ) -> None:
        super().__init__(str(path), private)
        self._files, self._open, self._part = files, open_part, open_part(files[0])
        self.names, self.notes = self._part.names, self._part.notes
        self._first: Source | None = self._part

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        for file in self._files:
            part, self._first = self._first or self._open(file), None
            self._part = part
            try:
                if sorted(part.names) != sorted(self.names):
                    raise BadInput(f"{file}: the columns differ from those of {self._files[0]}; make them equal")
                self.notes += [note for note in part.notes if note not in self.notes]
                yield from part.batches(columns, rows)
            finally:
                part.close()

    def interrupt(self) -> None:
        self._part.interrupt()

    def close(self) -> None:
        self._part.close()
        super().close()


def _below(file: Path, root: Path) -> tuple[str, ...]:
    """Return the components of a path below a folder."""
    return file.relative_to(root).parts if file.is_relative_to(root) else (file.name,)
