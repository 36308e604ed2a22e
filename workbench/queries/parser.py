"""The language of queries: `age >= 40 and sex = 'Male'`, `avg(hours) where education in ('Masters', 'Doctorate')`.

    count where ...            optional; or sum(column) where ..., avg(column) where ...
    age >= 40                  = != <> < <= > >=; text only = != <>
    age between 20 and 29      both ends included; not between
    sex in ('Male', 'Female')  not in
    education within 'Higher'  the values of a group of the hierarchy; within ('Higher', 'Basic'), not within
    zip is missing             is null; is not missing, is not null
    not (...), and, or, (...)  or and not only between conditions on one column

Names are written plain or in double quotes, backticks or square brackets; text in single quotes, or in double quotes if
no column has that name; a quote within quotes is doubled. Numbers and ISO dates are written plain. Keywords, and names
that differ in more than case, may be in any case. As in SQL, a missing value meets neither a condition nor its `not`.
Nothing is evaluated.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from workbench.base.errors import BadInput, safe_repr
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.table import Table
from workbench.queries.query import Aggregate, Query
from workbench.queries.tokens import LONGEST, NUMBER, BadQuery, Token, column_named, name_text, no_column, tokens

# Resolution of literals in conditions: the codes of a column that a value, a bound or a group stands for, compared
# exactly.
#
# Sets of codes are the bits of an integer (bit c: code c), so that thousands of conditions are combined at once.

IS_NUMBER = re.compile(NUMBER)
IS_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")
HOLDS = {"number": "numbers", "date": "dates", "text": "text"}
Run = tuple[int, int]  # the first code, and the one after the last


@dataclass(frozen=True, eq=False, repr=False)
class ColumnResolver:
    """Resolves literals of one column; missing is the last code, and in no set except `missing`."""

    column: Column

    @classmethod
    def of_table(cls, table: Table, name: str) -> ColumnResolver:
        """Return the resolver of a table's column, shared by all queries."""
        return table.remember(("asked", name), lambda: cls(table.columns[name]))

    @cached_property
    def values(self) -> int:
        """The set of all values."""
        return (1 << len(self.column.values)) - 1

    @cached_property
    def missing(self) -> int:
        """The code of missing; empty if no value is missing."""
        return 1 << len(self.column.values) if self.column.missing else 0

    def flags(self, codes: int) -> np.ndarray:
        """Return a set as a boolean array over the codes."""
        packed = np.frombuffer(codes.to_bytes(self.column.size // 8 + 1, "little"), np.uint8)
        return np.unpackbits(packed, count=self.column.size, bitorder="little").astype(bool)

    def union(self, runs: Iterable[Run]) -> int:
        """Return the codes of some runs."""
        flags = np.zeros(len(self.column.values), bool)
        for low, high in runs:
            flags[low:high] = True
        return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")

    # --- values

    def equal(self, token: Token) -> Run:
        """Return the run of codes with this value: one code, or an empty run at the value's place if no record has
        it."""
        if self.column.kind == "text":
            return self._of_text(token)
        wanted = self._number(token) if self.column.kind == "number" else self._moment(token)
        return bisect_left(self._ordered, wanted, key=self._exact), bisect_right(self._ordered, wanted, key=self._exact)

    def _of_text(self, token: Token) -> Run:
        """Resolve text exactly; true and false without quotes in any case, as readers of data write them."""
        if token.kind not in ("text", "quoted") and token.word not in ("true", "false"):
            raise token.mistake(f"{self._holds}; put the value in quotes: '{token.spelled}'")
        code = self._boolean(token.word) if token.kind == "name" else self._codes.get(token.said)
        if code is None and token.kind != "name" and token.said in self.groups:
            raise token.mistake(
                f"{safe_repr(token.said)} is a group of the hierarchy of {safe_repr(self.column.name)}, not a value; "
                f"for its values write: within {safe_repr(token.said)}"
            )
        return (0, 0) if code is None else (code, code + 1)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.column.labels)}

    def _boolean(self, word: str) -> int | None:
        spellings = (word, word.capitalize(), word.upper())
        return next((self._codes[one] for one in spellings if one in self._codes), None)

    @cached_property
    def _ordered(self) -> np.ndarray:
        dated = self.column.kind == "date"
        return self.column.values.astype("datetime64[us]").astype(np.int64) if dated else self.column.values

    def _exact(self, value: Any) -> int | Decimal:
        """Return a value without rounding."""
        return Decimal(repr(float(value))) if self._ordered.dtype.kind == "f" else int(value)

    def _number(self, token: Token) -> Decimal:
        typed = token.said.strip() if token.kind in ("number", "text", "quoted") else ""
        if len(typed) > LONGEST or not IS_NUMBER.fullmatch(typed):
            raise token.mistake(f"{self._holds}; {safe_repr(token.said)} is not a number")
        return Decimal(typed)

    def _moment(self, token: Token) -> int:
        """Return microseconds; a day is the moment at which it begins."""
        typed = token.said.strip() if token.kind in ("date", "text", "quoted") else ""
        try:
            if not IS_MOMENT.fullmatch(typed):
                raise ValueError
            return int(np.datetime64(typed.replace(" ", "T")).astype("datetime64[us]").astype(np.int64))
        except ValueError:  # 2024-02-31 has the format of a date
            example = "2024-01-31 or '2024-01-31 14:30'"
            raise token.mistake(f"{self._holds}; {safe_repr(token.said)} is not one: write it as {example}") from None

    @property
    def _holds(self) -> str:
        return f"the column {safe_repr(self.column.name)} holds {HOLDS[self.column.kind]}"

    # --- groups

    def group(self, token: Token) -> Run:
        """Return the values of a group of the hierarchy; a value is its own group, and of nested groups the widest is
        used."""
        if self.column.hierarchy is None:
            raise token.mistake(f"the column {safe_repr(self.column.name)} has no hierarchy; list values: in (...)")
        runs = self.groups.get(token.said, []) if token.kind in ("text", "quoted") else []
        if self.column.kind == "text" and token.kind in ("text", "quoted") and token.said in self._codes:
            runs = [*runs, (self._codes[token.said], self._codes[token.said] + 1)]
        if not runs:
            raise token.mistake(f"the hierarchy of {safe_repr(self.column.name)} has no group {safe_repr(token.said)}")
        low, high = min(low for low, _ in runs), max(high for _, high in runs)
        if (low, high) not in runs:
            raise token.mistake(
                f"several groups of {safe_repr(self.column.name)} have this name; list values: in (...)"
            )
        return low, high

    @cached_property
    def groups(self) -> dict[str, list[Run]]:
        """The runs of each label of the hierarchy."""
        found: dict[str, list[Run]] = {}
        hierarchy = self.column.hierarchy or Hierarchy(())
        for j, level in enumerate(hierarchy.levels):
            for label, (low, last) in zip(level.labels, hierarchy.bounds(j).tolist(), strict=True):
                found.setdefault(label, []).append((low, last + 1))
        return found


ORDERED = ("<", "<=", ">", ">=")
OPERATORS = ("=", "!=", "<>", *ORDERED)
DEEP = 50  # maximum nesting of brackets
NAMED = ("name", "quoted", "quoted name")
VALUES = ("text", "quoted", "number", "date")


class Truth(NamedTuple):
    """The codes of one column for which a condition is true and false; missing may be in neither."""

    yes: int
    no: int


@dataclass(frozen=True)
class Expected:
    """Possible continuations at some place of a query.

    `words` are literal ones; `what` is one of "condition", "number column", "operator", "negated operator", "value" and
    "group", of the `column`, if there is only one.
    """

    what: str = ""
    words: tuple[str, ...] = ()
    column: str | None = None


START = Expected("condition", ("not", "(", "count where", "sum(", "avg("))


def parse(text: str, table: Table) -> Query:
    """Parse the text of a query; `BadInput` reports what is wrong with it, and where."""
    if not isinstance(text, str):
        raise BadInput(f"a query is a text, not {safe_repr(text)}; write for example: count where <column> = <value>")
    return Parser(tokens(text), table).query(text.strip())


class WordReader:
    """The words of a query with one word of lookahead; the last word repeats."""

    def __init__(self, words: Iterable[Token]) -> None:
        self._rest = iter(words)
        self.read: list[str] = []  # the words so far, with the full names of columns
        self.look = next(self._rest)
        self.after = next(self._rest, self.look)

    def take(self) -> Token:
        """Return the current word and move to the next."""
        token, self.look = self.look, self.after
        self.after = next(self._rest, self.look)
        self.read.append(token.spelled)
        return token

    def took(self, word: str) -> bool:
        """Take the current word if it is this one; return whether it was."""
        found = self.look.word == word
        if found:
            self.take()
        return found


class Parser:
    """Reads words from first to last without backtracking; `expected` is what may be at the current word."""

    def __init__(self, words: Iterable[Token], table: Table, tables: Sequence[str] = ()) -> None:
        self.table, self.tables = table, tables  # tables: names that may precede a column, as in people.age
        self.expected = Expected()
        self.words, self._depth = WordReader(words), 0
        self._only: str | None = None  # the only column allowed in conditions after "or"
        self._absent: dict[tuple[str, str], None] = {}

    def query(self, text: str) -> Query:
        """Parse the whole query."""
        self.expected = START
        if self.words.look.kind == "end":
            raise self.words.look.mistake("there is no query here; write for example: count where <column> = <value>")
        aggregate = self._aggregate()
        found = self._alternatives() if aggregate is None else self.where()
        return self.finish(text, *(aggregate or ("count", None)), found)

    def finish(self, text: str, aggregate: Aggregate, summed: str | None, found: dict[str, Truth]) -> Query:
        """Return the query with these conditions; raise BadQuery if anything follows."""
        if self.words.look.kind != "end":
            raise self.words.look.mistake(
                f"{_spell(self.words.look)} is not allowed here; continue with and, or, or end the query"
            )
        conditions = {name: ColumnResolver.of_table(self.table, name).flags(truth.yes) for name, truth in found.items()}
        return Query(text, aggregate, summed, conditions, tuple(self._absent))

    def need(self, *words: str) -> Token:
        """Take the current word, which has to be one of these."""
        self.expected = Expected(words=words)
        if self.words.look.word not in words:
            raise self.words.look.mistake(f"{' or '.join(words)} is expected here, not {_spell(self.words.look)}")
        return self.words.take()

    # --- clauses

    def _aggregate(self) -> tuple[Aggregate, str | None] | None:
        """Parse the aggregate, if the query begins with one."""
        word, after = self.words.look.word, self.words.after
        if word == "count" and (after.kind == "end" or after.word in ("where", "(")):
            self.words.take()
            if self.words.look.word == "(":
                self.counted()
            return "count", None
        if word in ("sum", "avg") and after.word == "(":
            self.words.take()
            return cast(Aggregate, word), self.numeric_column()
        if after.word == "(" and self.words.look.kind == "name" and word not in ("not", "and", "or"):
            raise self.words.look.mistake(f"{safe_repr(self.words.look.said)} is not supported; use count, sum or avg")
        return None

    def counted(self) -> None:
        """Parse (*) or (1) after count."""
        self.need("(")
        if self.words.look.word != "*" and self.words.look.said != "1":
            raise self.words.look.mistake("count takes no column: write count where, and the column is not missing")
        self.words.take()
        self.need(")")

    def numeric_column(self) -> str:
        """Parse the numeric column in brackets."""
        self.need("(")
        self.expected, token = Expected("number column"), self.words.look
        name = self.column()
        if self.table.columns[name].kind != "number":
            raise token.mistake(f"the column {safe_repr(name)} holds no numbers; sum and avg need numbers")
        self.need(")")
        return name

    def where(self) -> dict[str, Truth]:
        """Parse the conditions after where; empty if nothing follows."""
        self.expected = Expected(words=("where",))
        if self.words.look.kind == "end":
            return {}
        self.need("where")
        return self._alternatives()

    def _alternatives(self) -> dict[str, Truth]:
        found = self._conjunction()
        while self._goes_on("or"):
            if len(found) != 1:
                raise _several(self.words.look, found)
            word, outer = self.words.take(), self._only
            (self._only,) = found
            other = self._conjunction()
            if found.keys() != other.keys():
                raise _several(word, {**found, **other})
            self._only = outer
            found = _joined(found, other, lambda a, b: Truth(a.yes | b.yes, a.no & b.no))
        return found

    def _conjunction(self) -> dict[str, Truth]:
        found = self._negation()
        while self._goes_on("and"):
            self.words.take()
            found = _joined(found, self._negation(), lambda a, b: Truth(a.yes & b.yes, a.no | b.no))
        return found

    def _goes_on(self, word: str) -> bool:
        self.expected = Expected(words=("and", "or", ")")[: 3 if self._depth else 2])
        return self.words.look.word == word

    def _negation(self) -> dict[str, Truth]:
        outer = []
        self.expected = Expected("condition", ("not", "("), self._only)
        while self.words.look.word == "not":
            outer.append(self.words.take())
        found = self._bracketed() if self.words.look.word == "(" else self._condition()
        if outer and len(found) != 1:
            raise _several(outer[-1], found)
        return {name: Truth(one.no, one.yes) for name, one in found.items()} if len(outer) % 2 else found

    def _bracketed(self) -> dict[str, Truth]:
        token = self.words.take()
        if self._depth == DEEP:
            raise token.mistake(f"brackets are nested more than {DEEP} deep; remove some")
        self._depth += 1
        found = self._alternatives()
        if self.words.look.kind == "end":
            raise token.mistake("this bracket is not closed")
        if self.words.look.word != ")":
            raise self.words.look.mistake(
                f"{_spell(self.words.look)} is not allowed here; continue with and, or, or close the bracket"
            )
        self.words.take()
        self._depth -= 1
        return found

    # --- one condition

    def _condition(self) -> dict[str, Truth]:
        name = self.column()
        column, token = ColumnResolver.of_table(self.table, name), self.words.look
        self.expected = Expected("operator", column=name)
        if token.kind == "sign" and token.said in OPERATORS:
            return {name: self._compared(column)}
        if self.words.took("is"):
            return {name: self._missing(column)}
        negated = self.words.took("not")
        self.expected = Expected("negated operator", column=name) if negated else self.expected
        yes = self._among(column)
        return {name: Truth(column.values & ~yes, yes) if negated else Truth(yes, column.values & ~yes)}

    def _among(self, column: ColumnResolver) -> int:
        """Parse in, between or within, and return the codes."""
        if self.words.took("in"):
            self.need("(")
            return column.union(self._list(column, lambda: self._equal(column)))
        if self.words.took("between"):
            low = self._bound(column)[0]
            self.need("and")
            return column.union([(low, max(low, self._bound(column)[1]))])
        if self.words.took("within"):
            if self.words.took("("):
                return column.union(self._list(column, lambda: self._group(column)))
            return column.union([self._group(column, ("(",))])
        operators = f"{', '.join(OPERATORS)}, in, between, within, is null"
        raise self.words.look.mistake(
            f"a comparison is expected here, not {_spell(self.words.look)}; use one of {operators}"
        )

    def _list(self, column: ColumnResolver, one: Callable[[], Run]) -> list[Run]:
        found = [one()]
        while self.need(",", ")").word == ",":
            found.append(one())
        return found

    def _missing(self, column: ColumnResolver) -> Truth:
        self.expected = Expected(words=("null", "not null", "missing", "not missing"))
        negated = self.words.took("not")
        if self.words.look.word not in ("null", "missing"):
            raise self.words.look.mistake(f"null or missing is expected here, not {_spell(self.words.look)}")
        self.words.take()
        truth = Truth(column.missing, column.values)
        return Truth(truth.no, truth.yes) if negated else truth

    def _compared(self, column: ColumnResolver) -> Truth:
        token = self.words.take()
        if token.said in ORDERED:
            if column.column.kind == "text":
                raise token.mistake(f"the column {safe_repr(column.column.name)} is text without an order; use = or in")
            (low, high), count = self._bound(column), len(column.column.values)
            run = {"<": (0, low), "<=": (0, high), ">": (high, count), ">=": (low, count)}[token.said]
            yes = column.union([run])
        else:
            yes = column.union([self._equal(column)])
        no = column.values & ~yes
        return Truth(no, yes) if token.said in ("!=", "<>") else Truth(yes, no)

    # --- columns and values

    def _value(self, column: ColumnResolver, what: str = "value", words: tuple[str, ...] = ()) -> Token:
        self.expected = Expected(what, words, column.column.name)
        if self.words.look.word in ("date", "timestamp") and self.words.after.kind == "text":
            self.words.take()
        token = self.words.look
        if token.word in ("null", "missing"):
            raise token.mistake(f"nothing is equal to {token.word}; write: is {token.word}")
        if token.kind == "quoted" and token.said in self.table.columns:
            raise token.mistake("a value is expected here, not a column; put text in single quotes")
        if token.kind == "name" and token.word not in ("true", "false"):
            raise token.mistake(f"a value is expected here, not {_spell(self.words.look)}; put text in single quotes")
        if token.kind not in (*VALUES, "name"):
            raise token.mistake(f"a value is expected here, not {_spell(self.words.look)}")
        return self.words.take()

    def _equal(self, column: ColumnResolver) -> Run:
        token = self._value(column)
        low, high = column.equal(token)
        if low == high:
            self._absent[column.column.name, token.said] = None
        return low, high

    def _bound(self, column: ColumnResolver) -> Run:
        """Return the number of values below a value, and the number of values up to it."""
        if column.column.kind == "text":
            raise self.words.look.mistake(
                f"the column {safe_repr(column.column.name)} is text without an order; use = or in"
            )
        return column.equal(self._value(column))

    def _group(self, column: ColumnResolver, words: tuple[str, ...] = ()) -> Run:
        return column.group(self._value(column, "group", words))

    def column(self) -> str:
        """Parse a column's name, which a table's name may precede."""
        token, parts = self.words.look, len(self.words.read)
        if token.kind not in NAMED or token.word in ("and", "or"):
            raise token.mistake(f"a column is expected here, not {_spell(self.words.look)}")
        names = [self.words.take().said]
        while self.words.look.word == "." and self.words.after.kind in NAMED:
            self.words.take()
            names.append(self.words.take().said)
        typed = ".".join(names)
        candidates = [
            typed,
            *(typed[len(one) + 1 :] for one in self.tables if typed.lower().startswith(f"{one.lower()}.")),
        ]
        found = (column_named(one, self.table) for one in candidates)
        name = next((one for one in found if one is not None), None)
        if name is None:
            raise token.mistake(no_column(candidates[-1], self.table))
        if name == self.table.weight:
            raise token.mistake(f"the column {safe_repr(name)} is the weight of records, which queries cannot use")
        self.words.read[parts:] = [name_text(name)]
        return name


def _spell(token: Token) -> str:
    """Return a word for a message."""
    return "the end" if token.kind == "end" else safe_repr(token.spelled)


def _several(word: Token, found: Iterable[str]) -> BadQuery:
    """Return the error for an `or` or a `not` that concerns several columns."""
    names = ", ".join(map(safe_repr, found))
    return word.mistake(f"{word.word} is only for conditions on one column, not on {names}; use two queries")


def _joined(one: dict[str, Truth], other: dict[str, Truth], join: Callable[[Truth, Truth], Truth]) -> dict[str, Truth]:
    """Return the conditions of both; conditions on one column are joined."""
    both = {name: join(one[name], other[name]) for name in one if name in other}
    return {**one, **other, **both}
