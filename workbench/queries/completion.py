"""Completion of queries in an editor: the columns, words and values that may follow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np

from workbench.data.column import Column
from workbench.data.table import Table
from workbench.queries.parser import ColumnResolver, Expected, Parser
from workbench.queries.query import value_text
from workbench.queries.tokens import QUOTES, BadQuery, Token, in_quotes, name_text, tokens

MOST = 50  # maximum number of proposals
Kind = Literal["column", "word", "value", "group"]


class Completion(NamedTuple):
    """A proposal: `text` replaces the characters from `start` to the cursor."""

    text: str
    start: int
    kind: Kind


def completions(text: str, position: int, table: Table) -> list[Completion]:
    """Return at most 50 completions at a position; they include values of the table, so they are for the analyst."""
    words = list(tokens(text[: max(position, 0)]))
    *before, partial = words[:-1] if len(words) > 1 and _unfinished(words[-2], words[-1]) else words
    if partial.kind == "wrong" and partial.spelled[:1] not in QUOTES:
        return []
    parser = Parser([*before, Token("end", "", text, partial.start, partial.start)], table)
    try:
        parser.query("")
    except BadQuery:
        if parser.words.look.kind != "end":  # the text before the cursor is invalid
            return []
    typed = _plain(partial.spelled)
    fitting = (one for one in _offered(parser.expected, table) if _plain(one[0]).startswith(typed))
    return [Completion(one, partial.start, kind) for one, kind in islice(fitting, MOST)]


def _unfinished(last: Token, end: Token) -> bool:
    """Return whether the last word may continue: the cursor is right after it, and no bracket or quote has closed
    it."""
    closed = last.kind in ("text", "quoted", "quoted name") or last.said in (*"(),;*.",)
    return end.kind == "end" and last.end == end.start and not closed


def _plain(text: str) -> str:
    """Normalize typed text for comparison: without case, and without the quote that it begins with."""
    return (text[1:] if text[:1] in QUOTES else text).casefold()


def _offered(expected: Expected, table: Table) -> Iterator[tuple[str, Kind]]:
    """Yield everything that may follow, the most likely first."""
    if expected.what in ("condition", "number column"):
        yield from ((name_text(name), "column") for name in _columns(expected, table))
    elif expected.column is not None:
        column = table.columns[expected.column]
        if expected.what == "value":
            yield from ((value_text(column, code), "value") for code in _by_frequency(column))
        elif expected.what == "group":
            yield from ((in_quotes(label), "group") for label in ColumnResolver.of_table(table, column.name).groups)
        else:
            yield from ((word, "word") for word in _operators(column, negated=expected.what == "negated operator"))
    yield from ((word, "word") for word in expected.words)


def _columns(expected: Expected, table: Table) -> Iterator[str]:
    for name, column in table.columns.items():
        fitting = column.kind == "number" if expected.what == "number column" else expected.column in (None, name)
        if fitting and name != table.weight:
            yield name


def _by_frequency(column: Column) -> list[int]:
    """Return codes of text by the number of its records, and of numbers and dates in their order."""
    if column.kind != "text":
        return list(range(len(column.values)))
    found: list[int] = np.argsort(-column.counts, kind="stable").tolist()
    return found


def _operators(column: Column, negated: bool) -> list[str]:
    """Return the operators that may follow a column, or "not" after it."""
    found = ["=", "!=", "in (", "not in ("]
    found += [">=", "<=", ">", "<", "between", "not between"] if column.kind != "text" else []
    found += ["within", "not within"] if column.hierarchy is not None else []
    found += ["is missing", "is not missing"] if column.missing else []
    return [one.removeprefix("not ") for one in found if one.startswith("not ")] if negated else found
