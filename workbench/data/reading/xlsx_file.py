"""A sheet of a workbook (.xlsx) as a source, read by openpyxl if that is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput
from workbench.data.reading.row_source import RowSource, library
from workbench.data.reading.table_choice import choose_table


class XlsxSource(RowSource):
    """A sheet: the first row that is not empty has the column names, unless there is no header."""

    def __init__(self, path: Path, table: str | None, private: PrivateConnection, header: bool = True) -> None:
        super().__init__(str(path), private)
        openpyxl = library("openpyxl", path, "Excel")
        failure = None
        try:
            self._book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        except Exception:  # openpyxl raises its own exceptions, zipfile's and those of its XML parser
            failure = BadInput(f"{path}: not a valid Excel workbook (.xlsx); save it again, or as CSV")
        if failure:
            raise failure
        sheets = [sheet for sheet in self._book.worksheets if next(_filled(sheet), None) is not None]
        name = choose_table(path, [sheet.title for sheet in sheets], table)
        self._sheet = next(sheet for sheet in sheets if sheet.title == name)
        self.where = f"{path}, sheet {name}" if len(self._book.sheetnames) > 1 else str(path)
        first = [*next(_filled(self._sheet))]
        while first and first[-1] is None:
            first.pop()
        self._header = header
        self.names = self._named([(self._text(one) or "").strip() if header else "" for one in first])

    def close(self) -> None:
        self._book.close()
        super().close()

    def rows(self, positions: Sequence[int]) -> Iterator[Sequence[Any]]:
        for row in islice(_filled(self._sheet), int(self._header), None):
            if any(value is not None for value in row[len(self.names) :]):
                raise BadInput(
                    f"{self.where}: a record has more fields than the first row; add the missing names there"
                )
            yield [row[i] if i < len(row) else None for i in positions]


def _filled(sheet: Any) -> Iterator[Sequence[Any]]:
    """Return the rows of a sheet that are not empty."""
    return (row for row in sheet.iter_rows(values_only=True) if any(value is not None for value in row))
