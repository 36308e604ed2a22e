"""SELECT COUNT(*), SUM(column) or AVG(column) FROM a table WHERE ...: the statements of a log that are queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from workbench.data.table import Table
from workbench.workloads.column_names import column_named, name_text
from workbench.workloads.language import NAMED, Parser
from workbench.workloads.query import Aggregate, Query
from workbench.workloads.tokens import BadQuery, Token, tokens

ONE = "only one COUNT(*), SUM(column) or AVG(column) of one table can be asked"
JOIN, SUB, ROWS = f"JOIN: {ONE}", f"a sub-select: {ONE}", "only one number can be asked, of all records that meet WHERE"
PATTERN = "patterns of text cannot be asked; list the values: in (...)"
BEYOND = {  # words of SQL that a query cannot have, with the reason
    **dict.fromkeys(("join", "inner", "left", "right", "full", "cross", "natural"), JOIN),
    **dict.fromkeys(("select", "exists", "any", "all"), SUB),
    **{word: f"{word.upper()} BY: {ROWS}" for word in ("group", "order")},
    **{word: f"{word.upper()}: {ROWS}" for word in ("having", "limit", "offset", "fetch", "over", "distinct")},
    **{word: f"{word.upper()}: {ONE}" for word in ("union", "intersect", "except", "with", "case", "cast")},
    **{word: f"{word.upper()}: {PATTERN}" for word in ("like", "ilike", "similar", "regexp", "rlike", "glob")},
}


def read_statement(text: str, table: Table) -> Query:
    """The query of a statement, as text of the language of queries; `BadQuery` says why it cannot be used."""
    words = list(tokens(text))
    names = _tables(words)
    parser = Parser(words, table, [name for name in names if name])
    try:
        return _read(parser)
    except BadQuery as error:
        stuck = next((token for token in words if token.start == error.position), words[-1])
        if stuck.kind == "name" and stuck.word in BEYOND and column_named(stuck.said, table) is None:
            raise stuck.mistake(BEYOND[stuck.word]) from None
        raise


def _read(parser: Parser) -> Query:
    aggregate, of = _asked(parser)
    _skip_other_name(parser)
    if parser.look.word == ",":
        raise parser.look.mistake(f"several numbers: {ONE}")
    parser.need("from")
    _skip_table(parser)
    first = f"{aggregate}({name_text(of)})" if of is not None else aggregate
    begin = len(parser.read) + 1  # behind where
    conditions = parser.where()
    where = f" where {_sentence(parser.read[begin:])}" if conditions else ""
    return parser.finish(first + where, aggregate, of, conditions)


def _asked(parser: Parser) -> tuple[Aggregate, str | None]:
    parser.need("select")
    token = parser.look
    if token.word not in ("count", "sum", "avg"):
        raise token.mistake(ONE)
    parser.take()
    if token.word == "count":
        parser.counted()
        return "count", None
    return cast(Aggregate, token.word), parser.of()


def _tables(words: Sequence[Token]) -> list[str]:
    """What may stand before a column with a dot: the table's name, with and without its schema, and its other name."""
    behind = next((i + 1 for i, token in enumerate(words) if token.word == "from"), len(words))
    parts: list[str] = []
    while behind < len(words) and words[behind].kind in NAMED:
        parts += [words[behind].said]
        behind += 1
        if behind < len(words) and words[behind].word != ".":
            break
        behind += 1
    behind += behind < len(words) and words[behind].word == "as"
    other = words[behind].said if behind < len(words) and words[behind].kind in NAMED else ""
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
    _skip_other_name(parser)
    if parser.look.word == ",":
        raise parser.look.mistake(f"several tables: {ONE}")


def _skip_other_name(parser: Parser) -> None:
    """What a number or a table is called in the statement."""
    if parser.took("as") or (parser.look.kind in NAMED and parser.look.word not in {"from", "where", *BEYOND}):
        parser.take()


def _sentence(words: Sequence[str]) -> str:
    """Words with blanks between them, but none inside brackets or before a comma."""
    found = ""
    for word in words:
        found += word if not found or found.endswith("(") or word in (")", ",") else f" {word}"
    return found
