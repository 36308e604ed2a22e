"""A log of queries: one a line, or SQL statements that end with a semicolon; with the lines that cannot be used."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from workbench.base import progress
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.queries.parser import parse
from workbench.queries.query import Query
from workbench.queries.sql_statement import read_statement
from workbench.queries.tokens import BadQuery

LARGEST = 10_000_000  # maximum bytes of a log
MOST = 100_000  # maximum number of statements
SQL = re.compile(
    r"(?:select|with|insert|update|delete|create|drop|alter|explain|set|begin|commit|rollback|use|show)\b"
    r"(?!\s*(?:[=<>!]|(?:in|is|not|between|within)\b))",  # otherwise it is the name of a column
    re.IGNORECASE,
)
PIECE = re.compile(
    r"""(?P<blank>[^\S\n]+|--[^\n]*|/\*.*?\*/)
    |(?P<end>[;\n])
    |(?P<word>[()]|'(?:[^'\n]|'')*+'|"(?:[^"\n]|"")*+"|`[^`\n]*+`|[^\s();'"`/-]+|/\*.*|.)""",
    re.VERBOSE | re.DOTALL,
)


class Unusable(NamedTuple):
    """A statement that is not a query: its place in the log, and the reason."""

    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"


def read_log(source: str | PathLike[str], table: Table) -> tuple[list[Query], list[Unusable]]:
    """Return the queries of a file (a `Path`) or of a text, and the statements that cannot be used."""
    text = source if isinstance(source, str) else text_in(Path(source))
    if len(text) > LARGEST:
        raise BadInput(f"the log has more than {LARGEST:,} characters; give it in parts")
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    queries: list[Query] = []
    unusable: list[Unusable] = []
    for count, (start, end) in enumerate(_statements(text), 1):
        if count > MOST:
            raise BadInput(f"the log has more than {MOST:,} statements; give it in parts")
        progress.checkpoint("" if count % 1000 else f"{count:,} statements read")
        read = read_statement if SQL.match(text, start, end) else parse
        try:
            queries.append(read(text[start:end], table))
        except BadQuery as error:
            line = bisect_right(lines, start + error.position)
            unusable.append(Unusable(line, start + error.position - lines[line - 1] + 1, error.reason))
    return queries, unusable


def text_in(path: Path) -> str:
    """Return the text of a log; raise BadInput if the file cannot be read."""
    try:
        if "\0" in str(path):
            raise BadInput(f"the log {str(path)!r} cannot be read: this is not a file name; check the path")
        if path.exists() and not path.is_file():  # a pipe or a device might never end
            raise BadInput(f"the log {path} is not a file; name a file with one query per line, or with SQL statements")
        if path.stat().st_size > LARGEST:
            raise BadInput(f"the log {path} is larger than {LARGEST // 10**6} MB; give it in parts")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"the log {path} does not exist; check the path") from None
    except OSError as error:
        raise BadInput(f"the log {path} cannot be read: {error.strerror}; check the path") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"the log {path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each statement: a query ends with its line, SQL with a semicolon or before the next
    statement."""
    start, sql, depth = -1, False, 0
    for piece in PIECE.finditer(text):
        if piece.lastgroup == "word":
            if start < 0:
                start, depth = piece.start(), 0
                sql = SQL.match(text, start) is not None
            depth += (piece[0] == "(") - (piece[0] == ")")
        elif piece.lastgroup == "end" and start >= 0:
            goes_on = sql and piece[0] == "\n" and (depth > 0 or not _begins(text, piece.end()))
            if not goes_on:
                yield start, piece.start()
                start = -1
    if start >= 0:
        yield start, len(text)


def _begins(text: str, at: int) -> bool:
    """Return whether an SQL statement begins on this line."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return SQL.match(text, at) is not None
