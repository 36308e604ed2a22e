"""A query log: one query per line, or SQL statements that end with a semicolon; and the lines that cannot be used."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple, cast

from workbench.base import progress
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.queries.parser import NAMED, Parser, parse
from workbench.queries.query import Aggregate, Query
from workbench.queries.tokens import BadQuery, Token, column_named, name_text, tokens

# SQL statements of a log that are queries: SELECT COUNT(*), SUM(column) or AVG(column) FROM a table WHERE ...

ONE = "only one COUNT(*), SUM(column) or AVG(column) of one table is supported"
JOIN, SUB, ROWS = (
    f"JOIN: {ONE}",
    f"a sub-select: {ONE}",
    "only one number over all records that meet WHERE is supported",
)
PATTERN = "text patterns are not supported; list the values: in (...)"
UNSUPPORTED = {  # SQL keywords that queries do not support, with the reason
    **dict.fromkeys(("join", "inner", "left", "right", "full", "cross", "natural"), JOIN),
    **dict.fromkeys(("select", "exists", "any", "all"), SUB),
    **{word: f"{word.upper()} BY: {ROWS}" for word in ("group", "order")},
    **{word: f"{word.upper()}: {ROWS}" for word in ("having", "limit", "offset", "fetch", "over", "distinct")},
    **{word: f"{word.upper()}: {ONE}" for word in ("union", "intersect", "except", "with", "case", "cast")},
    **{word: f"{word.upper()}: {PATTERN}" for word in ("like", "ilike", "similar", "regexp", "rlike", "glob")},
}


def read_statement(text: str, table: Table) -> Query:
    """Return the query of a statement in the query language; `BadQuery` explains why a statement cannot be used."""
    words = list(tokens(text))
    names = _tables(words)
    parser = Parser(words, table, [name for name in names if name])
    try:
        return _read(parser)
    except BadQuery as error:
        stuck = next((token for token in words if token.start == error.position), words[-1])
        if stuck.kind == "name" and stuck.word in UNSUPPORTED and column_named(stuck.said, table) is None:
            raise stuck.mistake(UNSUPPORTED[stuck.word]) from None
        raise


def _read(parser: Parser) -> Query:
    aggregate, summed = _read_aggregate(parser)
    _skip_alias(parser)
    if parser.words.look.word == ",":
        raise parser.words.look.mistake(f"several numbers: {ONE}")
    parser.need("from")
    _skip_table(parser)
    first = f"{aggregate}({name_text(summed)})" if summed is not None else aggregate
    begin = len(parser.words.read) + 1  # after where
    conditions = parser.where()
    where = f" where {_sentence(parser.words.read[begin:])}" if conditions else ""
    return parser.finish(first + where, aggregate, summed, conditions)


def _read_aggregate(parser: Parser) -> tuple[Aggregate, str | None]:
    parser.need("select")
    token = parser.words.look
    if token.word not in ("count", "sum", "avg"):
        raise token.mistake(ONE)
    parser.words.take()
    if token.word == "count":
        parser.counted()
        return "count", None
    return cast(Aggregate, token.word), parser.numeric_column()


def _tables(words: Sequence[Token]) -> list[str]:
    """Return the prefixes that a column may have: the table's name with and without schema, and its alias."""
    place = next((i + 1 for i, token in enumerate(words) if token.word == "from"), len(words))
    parts: list[str] = []
    while place < len(words) and words[place].kind in NAMED:
        parts += [words[place].said]
        place += 1
        if place < len(words) and words[place].word != ".":
            break
        place += 1
    place += place < len(words) and words[place].word == "as"
    other = words[place].said if place < len(words) and words[place].kind in NAMED else ""
    whole = ".".join(parts)
    return [whole, whole.rpartition(".")[2], other]


def _skip_table(parser: Parser) -> None:
    if parser.words.look.word == "(":
        raise parser.words.look.mistake(SUB)
    if parser.words.look.kind not in NAMED:
        raise parser.words.look.mistake("the name of a table is expected here")
    parser.words.take()
    while parser.words.took("."):
        parser.words.take()
    _skip_alias(parser)
    if parser.words.look.word == ",":
        raise parser.words.look.mistake(f"several tables: {ONE}")


def _skip_alias(parser: Parser) -> None:
    """Skip an alias."""
    if parser.words.took("as") or (
        parser.words.look.kind in NAMED and parser.words.look.word not in {"from", "where", *UNSUPPORTED}
    ):
        parser.words.take()


def _sentence(words: Sequence[str]) -> str:
    """Join words with blanks, but not inside brackets or before a comma."""
    found = ""
    for word in words:
        found += word if not found or found.endswith("(") or word in (")", ",") else f" {word}"
    return found


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
        raise BadInput(f"the log has more than {LARGEST:,} characters; split it")
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    queries: list[Query] = []
    unusable: list[Unusable] = []
    for count, (start, end) in enumerate(_statements(text), 1):
        if count > MOST:
            raise BadInput(f"the log has more than {MOST:,} statements; split it")
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
            raise BadInput(f"the log {path} is larger than {LARGEST // 10**6} MB; split it")
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
