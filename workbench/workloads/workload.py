"""A workload: many queries that a table is asked, and that its releases are asked instead."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, at, columns_meant, meant, said
from workbench.base.variants import RANDOM, Plain, canonical
from workbench.data import weights
from workbench.data.roles import column_names
from workbench.data.table import Table
from workbench.data.workload_specs import plain
from workbench.workloads import exact, random_rules
from workbench.workloads.conditions import Conditions
from workbench.workloads.exact import COUNT
from workbench.workloads.language import parse
from workbench.workloads.log import read_log, text_in
from workbench.workloads.query import AGGREGATES, Query
from workbench.workloads.query_text import text_of
from workbench.workloads.random_rules import Settings

LONGEST = 200  # characters of a query in a note
DIMENSION = 4  # of these, where the table has so many quasi-identifiers


@dataclass(frozen=True, eq=False, repr=False)
class Workload:
    """Queries with conditions on the codes of a table's columns, packed.

    `spec` is plain data from which it is made again: a list of texts, {"random": {...}} or {"file": its name}.
    A query that sums or averages has a condition on that column in any case: there is a value. `asked` leaves those
    out that nobody wrote.
    """

    table: Table
    spec: Any
    conditions: Conditions
    aggregate: np.ndarray  # of each query the number among AGGREGATES
    summed: np.ndarray  # and of the column, among those of the conditions, that is summed or averaged: -1 for a count
    asked: np.ndarray  # queries x columns: whether it has a condition there
    texts: tuple[str, ...] = ()  # none where the conditions were drawn at random
    notes: tuple[str, ...] = ()

    @classmethod
    def random(
        cls,
        table: Table,
        count: int = 1000,
        dimension: int = DIMENSION,
        selectivity: float = 0.05,
        rule: str = "values",
        sensitive: bool = True,
        seed: int = 0,
        columns: Sequence[str] = (),
    ) -> Workload:
        """Counts with conditions that are drawn at random, the same for every table with these values, and of ranges
        of text with their order; the rules are in `random_rules`."""
        named = tuple(column_names(columns))
        settings = Settings(count, dimension, selectivity, rule, sensitive, seed, named).checked(table)
        conditions = random_rules.drawn(table, settings)
        asked, none = conditions.at >= 0, np.full(len(conditions.at), -1)
        return cls(table, {"random": settings.spec()}, conditions, none + 1 + COUNT, none, asked)

    @classmethod
    def of(cls, table: Table, texts: Iterable[str]) -> Workload:
        """Of queries in the language of queries: `age >= 40`, `avg(wage) where sex = 'Male'`."""
        if not isinstance(texts, Iterable) or isinstance(texts, Mapping):
            raise BadInput(f"a workload is made of queries, not of {said(texts)}; give a list of them, each in quotes")
        listed = [texts] if isinstance(texts, str) else [*texts]
        return cls.asking(table, [_parsed(table, listed, number) for number in range(len(listed))])

    @classmethod
    def read(cls, table: Table, path: str | PathLike[str]) -> Workload:
        """Of a file with a query a line, or of SQL statements; `notes` name the lines that cannot be used."""
        return cls._logged(table, str(path), text_in(Path(path)))

    @classmethod
    def _logged(cls, table: Table, path: str, text: str) -> Workload:
        queries, unusable = read_log(text, table)
        if not queries:
            first = f", first {unusable[0]}" if unusable else ""
            raise BadInput(f"{path}: there is no query in it that can be used{first}")
        found = cls.asking(table, queries)
        return replace(found, spec={"file": path}, notes=(*map(str, unusable), *found.notes))

    @classmethod
    def asking(cls, table: Table, queries: Sequence[Query]) -> Workload:
        """Of queries that were written."""
        if not queries:
            raise BadInput("a workload has at least one query; give one, such as age >= 40")
        met, names = [], []
        for query in queries:
            met.append(_with_values(table, query))
            names.append(query.columns)
        conditions = Conditions.packed(met)
        places = {name: number for number, name in enumerate(conditions.columns)}
        of = np.array([-1 if query.of is None else places[query.of] for query in queries])
        aggregate = np.array([AGGREGATES.index(query.aggregate) for query in queries])
        asked = np.array([[name in own for name in conditions.columns] for own in names]).reshape(len(queries), -1)
        texts = tuple(query.text for query in queries)
        return cls(table, [*texts], conditions, aggregate, of, asked, texts, _notes(queries))

    @classmethod
    def made(cls, table: Table, spec: Any) -> Workload:
        """Of plain data, once a table."""
        return table.remember(("workload", canonical(spec)), lambda: _made(table, spec))

    @classmethod
    def named(cls, table: Table, given: str | Plain | Workload) -> Workload:
        """By its name in the table; `random` is always there. Or another one, asked of this table."""
        if isinstance(given, Workload):
            return given.with_table(table)
        if isinstance(given, Plain):
            return cls.made(table, given.data)
        if given == RANDOM:
            dimension = min(DIMENSION, len(table.quasi))
            return cls.made(table, {"random": {"dimension": dimension, "sensitive": bool(table.sensitive)}})
        if given not in table.workloads:
            raise BadInput(f"there is no workload {said(given)}; {meant(given, [*table.workloads, RANDOM])}")
        with named(given):
            return cls.made(table, table.workloads[given])

    def with_table(self, table: Table) -> Workload:
        """The same asked of another table of the same data: all of it, or it is refused."""
        return self if table is self.table else self.made(table, [*self.texts] or self.spec)

    def __len__(self) -> int:
        return len(self.aggregate)

    def __repr__(self) -> str:
        return f"<Workload of {len(self):,} queries about {', '.join(self.conditions.columns)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with a condition in any query, or that one sums or averages."""
        return self.conditions.columns

    def condition(self, q: int, name: str) -> np.ndarray | None:
        """Which codes of a column meet the condition of one query; None where it has none there."""
        if name not in self.columns or self.conditions.at[q, self.columns.index(name)] < 0:
            return None
        return self.conditions.met(q, self.columns.index(name), self.table.columns[name].size)

    def text(self, q: int) -> str:
        """A query as it was written, or as it can be; it quotes values of the table."""
        if self.texts:
            return self.texts[q]
        met = {name: self.condition(q, name) for name in self.columns}
        return text_of(self.table, {name: codes for name, codes in met.items() if codes is not None})

    @property
    def dimension(self) -> np.ndarray:
        """How many columns each query has conditions on."""
        return self.asked.sum(axis=1)

    @cached_property
    def different(self) -> int:
        """How many different queries there are."""
        rows = np.column_stack([self.conditions.at, self.aggregate, self.summed])
        return len(np.unique(rows, axis=0)) if self.texts else len(self)

    @property
    def everybody(self) -> float:
        """How many people there are."""
        return float(self.table.records if self.table.weight is None else weights.people(self.table).sum())

    @cached_property
    def people(self) -> np.ndarray:
        """How many people meet the conditions of each query, whatever it asks of them."""
        return self.truth if (self.aggregate == COUNT).all() else exact.people(self)

    @cached_property
    def truth(self) -> np.ndarray:
        """The exact answers, of people where records stand for some; the average of nobody is not a number."""
        return exact.answers(self)


def _made(table: Table, spec: Any) -> Workload:
    if isinstance(spec, dict) and list(spec) == ["random"] and isinstance(spec["random"], dict):
        with at("random"):
            return Workload.random(table, **asdict(Settings.of(spec["random"])))
    spec = plain(spec)
    if "file" not in spec:
        return Workload.of(table, spec)
    return Workload._logged(table, spec["file"], log_of(table, spec["file"]))


def content(table: Table, given: str | Plain) -> Any:
    """What a workload asks, for keys: its plain data, and of a file what is in it. Nothing is read as queries yet."""
    spec = given.data if isinstance(given, Plain) else {} if given == RANDOM else table.workloads.get(given)
    if isinstance(spec, dict) and isinstance(spec.get("file"), str):
        return {"file": hashlib.blake2b(log_of(table, spec["file"]).encode(), digest_size=20).hexdigest()}
    return spec


def log_of(table: Table, path: str | PathLike[str]) -> str:
    """The text of a file of queries, read once a table: keys and answers are of the same."""
    return table.remember(("log", str(path)), lambda: text_in(Path(path)))


@contextmanager
def named(name: str) -> Iterator[None]:
    """What goes wrong inside says in which workload."""
    try:
        yield
    except BadInput as error:
        failure = BadInput(f"workload {said(name)}: {error}")
        failure.path = error.path
        raise failure from None


def _parsed(table: Table, texts: Sequence[str], number: int) -> Query:
    try:
        return parse(texts[number], table)
    except BadInput as error:
        failure = BadInput(f"query {number + 1}, {error}" if len(texts) > 1 else str(error))
        failure.path = (number,)
        raise failure from None


def _with_values(table: Table, query: Query) -> dict[str, np.ndarray]:
    """The conditions of a query, one more where it sums or averages: there is a value."""
    met = dict(query.conditions)
    for name in (*met, *([query.of] if query.of else [])):
        if name not in table.names:
            raise BadInput(f"there is no column {said(name)}; {columns_meant(name, table.names)}")
    if query.of is not None:
        column = table.columns[query.of]
        if column.kind != "number":
            raise BadInput(f"{query.aggregate}({query.of}): the column is no number; count instead, or name another")
        known = np.arange(column.size) < len(column.values)
        met[query.of] = met.get(query.of, known) & known
    return met


def _notes(queries: Sequence[Query]) -> tuple[str, ...]:
    """What was asked for and is not there."""
    return tuple(
        f"{_begun(query.text)}: no record has the value that is asked for in {name}"
        for query in queries
        for name in dict.fromkeys(name for name, _ in query.absent)
    )


def _begun(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
