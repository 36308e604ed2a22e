"""A workload: many queries on a table, which are also evaluated on its releases."""

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

from workbench.base.errors import BadInput, prefix_path, safe_repr, suggest, suggest_column
from workbench.base.parameters import RANDOM, Plain, canonical
from workbench.data import weights
from workbench.data.settings import column_names, plain_workload
from workbench.data.table import Table
from workbench.queries import exact, random_queries
from workbench.queries.exact import COUNT, Conditions
from workbench.queries.log import read_log, text_in
from workbench.queries.parser import parse
from workbench.queries.query import AGGREGATES, Query, text_of
from workbench.queries.random_queries import Settings

LONGEST = 200  # maximum characters of a query in a note
DIMENSION = 4  # if the table has that many quasi-identifiers


@dataclass(frozen=True, eq=False, repr=False)
class Workload:
    """Queries with conditions on the codes of a table's columns, packed.

    `spec` is the plain data from which the workload can be built: a list of texts, {"random": {...}} or {"file": its
    name}. A query that sums or averages always has a condition on that column: that there is a value. `has_condition`
    excludes such implied conditions.
    """

    table: Table
    spec: Any
    conditions: Conditions
    aggregate: np.ndarray  # index into AGGREGATES of each query
    summed: np.ndarray  # index of the column that each query sums or averages: -1 for a count
    has_condition: np.ndarray  # queries x columns: True where a query has a condition
    texts: tuple[str, ...] = ()  # empty if the conditions were drawn at random
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
        """Draw count queries at random, the same for every table with these values and, for ranges of text, their
        order.

        The rules are described in `random_queries`.
        """
        named = tuple(column_names(columns))
        settings = Settings(count, dimension, selectivity, rule, sensitive, seed, named).checked(table)
        conditions = random_queries.draw_conditions(table, settings)
        conditioned, none = conditions.at >= 0, np.full(len(conditions.at), -1)
        return cls(table, {"random": settings.spec()}, conditions, none + 1 + COUNT, none, conditioned)

    @classmethod
    def from_texts(cls, table: Table, texts: Iterable[str]) -> Workload:
        """Parse queries in the query language: `age >= 40`, `avg(wage) where sex = 'Male'`."""
        if not isinstance(texts, Iterable) or isinstance(texts, Mapping):
            raise BadInput(f"a workload needs a list of queries, got {safe_repr(texts)}; put each query in quotes")
        listed = [texts] if isinstance(texts, str) else [*texts]
        return cls.from_queries(table, [_parsed(table, listed, number) for number in range(len(listed))])

    @classmethod
    def read(cls, table: Table, path: str | PathLike[str]) -> Workload:
        """Read a file with one query per line, or with SQL statements; `notes` name the lines that cannot be used."""
        return cls._logged(table, str(path), text_in(Path(path)))

    @classmethod
    def _logged(cls, table: Table, path: str, text: str) -> Workload:
        queries, unusable = read_log(text, table)
        if not queries:
            first = f", first {unusable[0]}" if unusable else ""
            raise BadInput(f"{path}: it contains no usable query{first}")
        found = cls.from_queries(table, queries)
        return replace(found, spec={"file": path}, notes=(*map(str, unusable), *found.notes))

    @classmethod
    def from_queries(cls, table: Table, queries: Sequence[Query]) -> Workload:
        """Build from parsed queries."""
        if not queries:
            raise BadInput("a workload needs at least one query, such as age >= 40")
        met, names = [], []
        for query in queries:
            met.append(_with_values(table, query))
            names.append(query.columns)
        conditions = Conditions.packed(met)
        places = {name: number for number, name in enumerate(conditions.columns)}
        summed = np.array([-1 if query.of is None else places[query.of] for query in queries])
        aggregate = np.array([AGGREGATES.index(query.aggregate) for query in queries])
        conditioned = np.array([[name in own for name in conditions.columns] for own in names]).reshape(
            len(queries), -1
        )
        texts = tuple(query.text for query in queries)
        return cls(table, [*texts], conditions, aggregate, summed, conditioned, texts, _notes(queries))

    @classmethod
    def from_spec(cls, table: Table, spec: Any) -> Workload:
        """Build from plain data, once per table."""
        return table.remember(("workload", canonical(spec)), lambda: _made(table, spec))

    @classmethod
    def named(cls, table: Table, given: str | Plain | Workload) -> Workload:
        """Return a workload by its name in the table (`random` always exists), or convert another one to this table."""
        if isinstance(given, Workload):
            return given.with_table(table)
        if isinstance(given, Plain):
            return cls.from_spec(table, given.data)
        if given == RANDOM:
            dimension = min(DIMENSION, len(table.quasi))
            return cls.from_spec(table, {"random": {"dimension": dimension, "sensitive": bool(table.sensitive)}})
        if given not in table.settings.workloads:
            raise BadInput(
                f"there is no workload {safe_repr(given)}; {suggest(given, [*table.settings.workloads, RANDOM])}"
            )
        with named(given):
            return cls.from_spec(table, table.settings.workloads[given])

    def with_table(self, table: Table) -> Workload:
        """Return the same queries for another table of the same data; raise BadInput if any does not apply."""
        return self if table is self.table else self.from_spec(table, [*self.texts] or self.spec)

    def __len__(self) -> int:
        return len(self.aggregate)

    def __repr__(self) -> str:
        return f"<Workload of {len(self):,} queries about {', '.join(self.conditions.columns)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with a condition in any query, or that a query sums or averages."""
        return self.conditions.columns

    def condition(self, q: int, name: str) -> np.ndarray | None:
        """Return which codes of a column meet the condition of one query; None if it has none there."""
        if name not in self.columns or self.conditions.at[q, self.columns.index(name)] < 0:
            return None
        return self.conditions.met(q, self.columns.index(name), self.table.columns[name].size)

    def text(self, q: int) -> str:
        """Return a query as it was written, or generated text; it may quote values of the table."""
        if self.texts:
            return self.texts[q]
        met = {name: self.condition(q, name) for name in self.columns}
        return text_of(self.table, {name: codes for name, codes in met.items() if codes is not None})

    @property
    def dimension(self) -> np.ndarray:
        """The number of columns with conditions in each query."""
        return self.has_condition.sum(axis=1)

    @cached_property
    def different(self) -> int:
        """The number of different queries."""
        rows = np.column_stack([self.conditions.at, self.aggregate, self.summed])
        return len(np.unique(rows, axis=0)) if self.texts else len(self)

    @property
    def everybody(self) -> float:
        """The number of people."""
        return float(self.table.records if self.table.weight is None else weights.people(self.table).sum())

    @cached_property
    def people(self) -> np.ndarray:
        """The number of people who meet the conditions of each query, whatever its aggregate."""
        return self.truth if (self.aggregate == COUNT).all() else exact.people(self)

    @cached_property
    def truth(self) -> np.ndarray:
        """The exact answers, over people if records have weights; an average over no records is nan."""
        return exact.answers(self)


def _made(table: Table, spec: Any) -> Workload:
    if isinstance(spec, dict) and list(spec) == ["random"] and isinstance(spec["random"], dict):
        with prefix_path("random"):
            return Workload.random(table, **asdict(Settings.from_spec(spec["random"])))
    spec = plain_workload(spec)
    if "file" not in spec:
        return Workload.from_texts(table, spec)
    return Workload._logged(table, spec["file"], log_of(table, spec["file"]))


def content(table: Table, given: str | Plain) -> Any:
    """Return what a workload contains, for keys: its plain data, or a digest of its file; nothing is parsed."""
    spec = given.data if isinstance(given, Plain) else {} if given == RANDOM else table.settings.workloads.get(given)
    if isinstance(spec, dict) and isinstance(spec.get("file"), str):
        return {"file": hashlib.blake2b(log_of(table, spec["file"]).encode(), digest_size=20).hexdigest()}
    return spec


def log_of(table: Table, path: str | PathLike[str]) -> str:
    """Return the text of a file of queries, read once per table: keys and answers use the same text."""
    return table.remember(("log", str(path)), lambda: text_in(Path(path)))


@contextmanager
def named(name: str) -> Iterator[None]:
    """Prefix errors with the name of the workload."""
    try:
        yield
    except BadInput as error:
        failure = BadInput(f"workload {safe_repr(name)}: {error}")
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
    """Return the conditions of a query, with one more if it sums or averages: that there is a value."""
    met = dict(query.conditions)
    for name in (*met, *([query.of] if query.of else [])):
        if name not in table.names:
            raise BadInput(f"there is no column {safe_repr(name)}; {suggest_column(name, table.names)}")
    if query.of is not None:
        column = table.columns[query.of]
        if column.kind != "number":
            raise BadInput(f"{query.aggregate}({query.of}): the column is not numeric; use count, or another column")
        known = np.arange(column.size) < len(column.values)
        met[query.of] = met.get(query.of, known) & known
    return met


def _notes(queries: Sequence[Query]) -> tuple[str, ...]:
    """Return notes about values that no record has."""
    return tuple(
        f"{_shortened(query.text)}: no record has the requested value of {name}"
        for query in queries
        for name in dict.fromkeys(name for name, _ in query.absent)
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
