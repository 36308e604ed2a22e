"""Tokens of a query: names, texts, numbers, dates and signs with their positions, found in linear time."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from workbench.base.errors import BadInput, safe_repr
from workbench.data.table import Table

NAME = r"[^\W\d]\w*(?:[.-]\w+)*"  # as in hours_per_week, marital-status, people.age
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+)?"
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
QUOTES = {"'": "text", '"': "quoted", "`": "quoted name", "[": "quoted name"}
CLOSING = {"[": "]"}
TOKEN = re.compile(
    rf"""(?P<blank>(?:\s|--[^\n]*|/\*.*?\*/)+)
    |(?P<name>{NAME})
    |(?P<date>{DATE})
    |(?P<number>{NUMBER})
    |(?P<within>'(?:[^']|'')*+'|"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|\[(?:[^\]]|\]\])*+\])
    |(?P<sign>[=<>!]+|[(),;*.])""",
    re.VERBOSE | re.DOTALL,
)
KEYWORDS = {"and", "or", "not", "in", "between", "within", "is", "null", "missing", "true", "false"}
KEYWORDS |= {"where", "count", "sum", "avg", "date", "timestamp"}
PLAIN = re.compile(NAME)
LONGEST = 100  # maximum characters of a number
HALF = re.compile("[\ud800-\udfff]")  # unpaired surrogates, which no file can contain


class BadQuery(BadInput):
    """A query that cannot be parsed: the reason, and the position in its text."""

    def __init__(self, reason: str, text: str, position: int) -> None:
        self.reason, self.position = reason, position
        line, begin = text.count("\n", 0, position), text.rfind("\n", 0, position) + 1
        place = f"line {line + 1}, column" if "\n" in text.strip() else "column"
        super().__init__(f"{place} {position - begin + 1}: {reason}")


class Token(NamedTuple):
    """One token of a text.

    `kind` is "name", "text" (in single quotes), "quoted" (in double quotes: a name or a text), "quoted name", "number",
    "date", "sign", "end", or "wrong". `said` is the value without quotes; for "wrong" it is the reason.
    """

    kind: str
    said: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The token in lower case for comparison with keywords; signs are words too."""
        return self.said.lower() if self.kind in ("name", "sign") and self.said.isascii() else ""

    @property
    def spelled(self) -> str:
        """The token as it was typed."""
        return self.text[self.start : self.end]

    def mistake(self, reason: str) -> BadQuery:
        """Return the error for this token; an invalid token has its own reason."""
        return BadQuery(self.said if self.kind == "wrong" else reason, self.text, self.start)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text and its end; stop after the first invalid one."""
    half = HALF.search(text)
    at, end = 0, half.start() if half else len(text)
    while at < end:
        match = TOKEN.match(text, at, end)
        if match is None or _stuck(match):
            yield Token("wrong", _why(text, at), text, at, end)
            return
        if match.lastgroup != "blank":
            yield _token(match)
        at = match.end()
    yield Token("wrong", _why(text, end), text, end, end) if half else Token("end", "", text, end, end)


def in_quotes(text: str, quote: str = "'") -> str:
    """Return a text as it is written in a query."""
    return f"{quote}{text.replace(quote, quote * 2)}{quote}"


def _token(match: re.Match[str]) -> Token:
    kind, content = str(match.lastgroup), match[0]
    if kind == "within":
        kind, closing = QUOTES[content[0]], CLOSING.get(content[0], content[0])
        content = content[1:-1].replace(closing * 2, closing)
    return Token(kind, content, match.string, match.start(), match.end())


def _stuck(match: re.Match[str]) -> bool:
    """Return whether invalid characters follow a number (40and, 1.2.3), or it is too long."""
    if match.lastgroup not in ("number", "date"):
        return False
    after = match.string[match.end() : match.end() + 1]
    return after.isalnum() or after in ("_", ".") or len(match[0]) > LONGEST


def _why(text: str, at: int) -> str:
    """Return why the token that begins here is invalid."""
    char = text[at]
    if char in QUOTES:
        return "this bracket is not closed" if char == "[" else "this quote is not closed"
    if text.startswith("/*", at):
        return "this comment is not closed; end it with */"
    if char in "+-.0123456789" and re.match(NUMBER, text[at : at + 5]):
        return f"this is not a number; write digits and a point, at most {LONGEST} characters, and a blank after it"
    name = " ".join([f"U+{ord(char):04X}", unicodedata.name(char, "")]).strip()
    return f"{repr(char) + ' (' + name + ')' if char.isprintable() else name} is not allowed here"


# Names of columns in queries: how they are found and how they are written.

SEARCHED = 100  # maximum length of a name for which a similar one is suggested


def name_text(name: str) -> str:
    """Return a column's name as it is written in a query."""
    return name if PLAIN.fullmatch(name) and name.lower() not in KEYWORDS else in_quotes(name, '"')


def column_named(typed: str, table: Table) -> str | None:
    """Return the column with this name; otherwise the only one whose name differs only in case."""
    if typed in table.columns:
        return typed
    matches = table.remember("columns in any case", lambda: _in_any_case(table)).get(_folded(typed), [])
    return matches[0] if len(matches) == 1 else None


def no_column(typed: str, table: Table) -> str:
    """Return the message for an unknown column, with the nearest name and any look-alike letter."""
    near = difflib.get_close_matches(typed, table.names, 1) if len(typed) <= SEARCHED else []
    if not near:
        return f"there is no column {safe_repr(typed)}, and the table has none with a similar name"
    odd = next((char for char in typed if not char.isascii() and char not in near[0]), "")
    letter = f" ({safe_repr(odd)} is {unicodedata.name(odd, f'U+{ord(odd):04X}')})" if odd else ""
    return f"there is no column {safe_repr(typed)}{letter}; did you mean {near[0]!r}?"


def _folded(name: str) -> str:
    """Return a name without its case, in a normal form of Unicode."""
    return unicodedata.normalize("NFC", name).casefold()


def _in_any_case(table: Table) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in table.columns:
        found.setdefault(_folded(name), []).append(name)
    return found
