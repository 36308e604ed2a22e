"""SQL statements of a log that are queries: SELECT COUNT(*), SUM(column) or AVG(column) FROM a table WHERE ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from workbench.data.table import Table
from workbench.queries.column_names import column_named, name_text
from workbench.queries.parser import NAMED, Parser
from workbench.queries.query import Aggregate, Query
from workbench.queries.tokens import BadQuery, Token, tokens

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
    if parser.look.word == ",":
        raise parser.look.mistake(f"several numbers: {ONE}")
    parser.need("from")
    _skip_table(parser)
    first = f"{aggregate}({name_text(summed)})" if summed is not None else aggregate
    begin = len(parser.read) + 1  # after where
    conditions = parser.where()
    where = f" where {_sentence(parser.read[begin:])}" if conditions else ""
    return parser.finish(first + where, aggregate, summed, conditions)


def _read_aggregate(parser: Parser) -> tuple[Aggregate, str | None]:
    parser.need("select")
    token = parser.look
    if token.word not in ("count", "sum", "avg"):
        raise token.mistake(ONE)
    parser.take()
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
    if parser.look.word == "(":
        raise parser.look.mistake(SUB)
    if parser.look.kind not in NAMED:
        raise parser.look.mistake("the name of a table is expected here")
    parser.take()
    while parser.took("."):
        parser.take()
    _skip_alias(parser)
    if parser.look.word == ",":
        raise parser.look.mistake(f"several tables: {ONE}")


def _skip_alias(parser: Parser) -> None:
    """Skip an alias."""
    if parser.took("as") or (parser.look.kind in NAMED and parser.look.word not in {"from", "where", *UNSUPPORTED}):
        parser.take()


def _sentence(words: Sequence[str]) -> str:
    """Join words with blanks, but not inside brackets or before a comma."""
    found = ""
    for word in words:
        found += word if not found or found.endswith("(") or word in (")", ",") else f" {word}"
    return found
