"""A table with awkward columns, and random queries on it: as text, as SQL, and as what they say of one record."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.table import Table

AWKWARD = (
    "O'Brien",
    'say "hi"',
    "missing",
    "null",
    "a,b",
    "--x",
    "/* y",
    "ü",
    "*",
    "true",
    "two\nlines",
    " x ",
    "1",
    "%",
)
WORK = ("own", "gov", "priv", "none", "free")
GROUPS = {"paid": ("gov", "priv"), "unpaid": ("none", "free", "own")}
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def frame(records: int = 400) -> pd.DataFrame:
    """Skewed and correlated, with missing values; the names are as awkward as the values."""
    rng = np.random.default_rng(7)
    age = np.minimum(rng.poisson(8, records) * 5 + rng.integers(0, 3, records), 90)
    work = np.array(WORK, object)[np.minimum(rng.geometric(0.4, records) - 1 + (age > 50), 4)]
    born = pd.Timestamp("2024-03-01") - pd.to_timedelta(age * 300, "D")
    made = pd.DataFrame(
        {
            "age": age,
            "hours per week": np.round(rng.gamma(3, 4, records), 1),
            'say "hi"': rng.choice([2**53 + 1, 2**53, 2**53 - 1, -(2**62), 0, 7], records),
            "a.b": work,
            "marital-status": rng.choice(AWKWARD, records, p=np.arange(1, 15) / 105),
            "größe": born.astype("datetime64[us]"),
            "count": born + pd.to_timedelta(rng.integers(0, 90, records), "m"),
            "not": rng.random(records) < 0.2,
            "AND": rng.choice([0.1, 0.2, 0.3, 1e22, -0.5, 2.0], records),
        }
    )
    made = made.astype({'say "hi"': "Int64", "not": "boolean"})
    for name in ("hours per week", 'say "hi"', "a.b", "marital-status", "größe", "not"):
        made.loc[rng.random(records) < 0.1, name] = None
    return made


def table(records: int = 400) -> Table:
    """Return the frame as codes; text with a hierarchy is in its leaf order."""
    coded = Table.without_roles(frame(records))
    return coded.with_hierarchies({"age": Intervals(widths=(5, 20)), "a.b": Groups(GROUPS)})


def records_of(coded: Table) -> list[dict[str, Any]]:
    """Return the exact Python values of each record; None for missing."""
    found = coded.frame.astype(object)
    return [{name: _exact(value) for name, value in row.items()} for row in found.to_dict("records")]


def _exact(value: Any) -> Any:
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if isinstance(value, (float, np.floating)):
        return Fraction(repr(float(value)))
    if isinstance(value, (pd.Timestamp, dt.date)):
        return pd.Timestamp(value).to_pydatetime()
    return int(value) if isinstance(value, (int, np.integer)) else value


def database(coded: Table) -> duckdb.DuckDBPyConnection:
    """The decoded records as the table `t`."""
    connection = duckdb.connect()
    connection.register("shown", coded.frame)
    connection.execute("create table t as select * from shown")
    return connection


@dataclass
class SampleCondition:
    """A condition as query text, as SQL, and as a predicate of a value (None: unknown, as in SQL)."""

    text: str
    sql: str
    holds: Callable[[Any], bool | None]


@dataclass
class Draw:
    """Random conditions by a seed."""

    coded: Table
    rng: np.random.Generator
    sql_only: bool = False  # only what SQL has, too
    shown: dict[str, pd.Series] = field(default_factory=dict)

    def one(self, of: list[Any] | tuple[Any, ...]) -> Any:
        return of[int(self.rng.integers(len(of)))]

    def name(self, column: str) -> tuple[str, str]:
        """Return a column's name in our language and in SQL."""
        quoted = '"' + column.replace('"', '""') + '"'
        query_text = [quoted, f"`{column}`", f"[{column}]"]
        if column in ("age", "a.b", "marital-status", "größe", "count") and not self.sql_only:
            query_text += [column, column.upper()] * 2
        return (quoted if self.sql_only else self.one(query_text)), quoted

    def value(self, column: str) -> tuple[str, str, Any]:
        """Return a literal as query text, as SQL and as a value."""
        held = self.coded.columns[column]
        some = self.one(list(held.values)) if self.rng.random() < 0.8 else None
        if held.kind == "text":
            text = self.one([*WORK, "nobody's", "x"]) if some is None else some
            plain = "'" + text.replace("'", "''") + "'"
            if text in ("True", "False") and self.rng.random() < 0.5 and not self.sql_only:
                return text.lower(), plain, text
            return (plain if "'" not in text or self.sql_only else self.one([plain, f'"{text}"'])), plain, text
        if held.kind == "date":
            moment = pd.Timestamp(some) if some is not None else pd.Timestamp("2000-02-29 12:30")
            text = str(moment.date()) if moment == moment.normalize() else moment.isoformat(sep=" ")
            query_text = self.one([f"'{text}'", text.replace(" ", "T"), f"date '{text}'"])
            return (f"'{text}'" if self.sql_only else query_text), f"timestamp '{text}'", moment.to_pydatetime()
        number = some if some is not None else self.one([-1, 39.5, 0, 10**6, 0.25])
        text = repr(float(number)) if isinstance(number, (float, np.floating)) else str(int(number))
        return text, text, Fraction(text)

    def leaf(self, column: str) -> SampleCondition:
        """Return one comparison."""
        held = self.coded.columns[column]
        kinds = ["sign", "sign", "membership", "null"] + (["between"] if held.kind != "text" else [])
        kinds += ["within"] if held.hierarchy and held.kind == "text" and not self.sql_only else []
        return getattr(self, f"_{self.one(kinds)}")(column)

    def _sign(self, column: str) -> SampleCondition:
        (query_text, sql), (a, b, value) = self.name(column), self.value(column)
        known = ["=", "!=", "<>"] if self.coded.columns[column].kind == "text" else list(SIGNS)
        sign = self.one(known)
        blank = self.one(["", " "])
        query_text = f"{query_text}{blank}{sign}{blank}{a}"
        return SampleCondition(
            query_text, f"{sql} {sign} {b}", lambda held: None if held is None else SIGNS[sign](held, value)
        )

    def _membership(self, column: str) -> SampleCondition:
        (query_text, sql), chosen = self.name(column), [self.value(column) for _ in range(int(self.rng.integers(1, 5)))]
        word, negated = self.one(["in", "IN"]), bool(self.rng.random() < 0.3)
        word = f"not {word}" if negated else word
        listed, values = ", ".join(a for a, _, _ in chosen), {value for _, _, value in chosen}
        sql = f"{sql} {word} ({', '.join(b for _, b, _ in chosen)})"
        return SampleCondition(
            f"{query_text} {word} ({listed})", sql, lambda h: None if h is None else (h in values) != negated
        )

    def _null(self, column: str) -> SampleCondition:
        (query_text, sql), negated = self.name(column), bool(self.rng.random() < 0.5)
        word = "not " if negated else ""
        which = "null" if self.sql_only else self.one(["null", "missing", "NULL"])
        return SampleCondition(
            f"{query_text} is {word}{which}", f"{sql} is {word}null", lambda held: (held is None) != negated
        )

    def _between(self, column: str) -> SampleCondition:
        (query_text, sql), (a, b, low), (c, d, high) = self.name(column), self.value(column), self.value(column)
        negated = bool(self.rng.random() < 0.3)
        word = "not between" if negated else "between"
        holds = lambda held: None if held is None else (low <= held <= high) != negated  # noqa: E731
        return SampleCondition(f"{query_text} {word} {a} and {c}", f"{sql} {word} {b} and {d}", holds)

    def _within(self, column: str) -> SampleCondition:
        (query_text, sql), group, negated = self.name(column), self.one(list(GROUPS)), bool(self.rng.random() < 0.3)
        word, values = ("not " if negated else ""), GROUPS[group]
        listed = ", ".join(f"'{one}'" for one in values)
        holds = lambda held: None if held is None else (held in values) != negated  # noqa: E731
        return SampleCondition(f"{query_text} {word}within '{group}'", f"{sql} {word}in ({listed})", holds)

    def condition(self, column: str, depth: int = 2) -> SampleCondition:
        """Return conditions on one column, combined at random."""
        kind = self.one(["leaf", "leaf", "not", "and", "or"]) if depth else "leaf"
        if kind == "leaf":
            return self.leaf(column)
        a = self.condition(column, depth - 1)
        if kind == "not":
            return SampleCondition(
                f"not ({a.text})", f"not ({a.sql})", lambda held: None if a.holds(held) is None else not a.holds(held)
            )
        b = self.condition(column, depth - 1)
        texts = [f"({one}) {kind} ({other})" for one, other in ((a.text, b.text), (a.sql, b.sql))]
        ends = kind == "or"  # what decides, whatever the other says

        def holds(held: Any) -> bool | None:
            both = (a.holds(held), b.holds(held))
            return ends if ends in both else None if None in both else not ends

        return SampleCondition(*texts, holds)

    def query(self) -> tuple[dict[str, SampleCondition], str, str]:
        """Return conditions on up to three columns, and their conjunction as query text and as SQL."""
        names = self.rng.choice(list(self.coded.columns), int(self.rng.integers(1, 4)), replace=False)
        asked = {str(name): self.condition(str(name)) for name in names}
        return (
            asked,
            " and ".join(f"({a.text})" for a in asked.values()),
            " and ".join(f"({a.sql})" for a in asked.values()),
        )


def meet(coded: Table, conditions: dict[str, np.ndarray]) -> np.ndarray:
    """Return which records meet all conditions, by their codes."""
    found = np.ones(coded.records, bool)
    for name, codes in conditions.items():
        found &= codes[coded.codes[name]]
    return found
