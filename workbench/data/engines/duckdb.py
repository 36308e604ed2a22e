"""Records in a temporary DuckDB file, larger than memory; they are read, counted and written in batches.

The SQL is restricted to SELECT, GROUP BY, ORDER BY and JOIN, which other engines understand, too.
"""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from workbench.base.connection import PrivateConnection, discard
from workbench.base.errors import BadInput, Fix
from workbench.base.progress import checkpoint, run_interruptible
from workbench.base.randomness import operating_system_random
from workbench.data.cells import Cells, counted, row_keys
from workbench.data.column import Column
from workbench.data.engines import (
    BATCH,
    ClassesOfCells,
    ClassesOfParts,
    Cut,
    EngineBuilder,
    RemoteEngine,
    Runs,
    Tallies,
    case,
    changing,
    plain,
)
from workbench.data.reading.value_types import Values

T = TypeVar("T")
ROWS = 4 * BATCH
NUMBER = "number"  # the column with the number of each record in the source
LOOKED_UP = 2**26  # maximum number of combinations for an array of their classes
PILE = 2**22  # rows per file
MOST = 256  # maximum number of open files


class RecordTables:
    """Tables in a private file, which is deleted with the last table of records in it."""

    def __init__(self, memory_limit: str | None, temp_directory: str | os.PathLike[str] | None) -> None:
        private = PrivateConnection(memory_limit, temp_directory)
        self.folder, self._connection, self._numbers = private.directory, private.connection, count()
        self._discard = weakref.finalize(self, discard, private.connection, private.directory)
        path = str(private.directory / "records.db").replace("'", "''")
        self._connection.execute("SET preserve_insertion_order = false")
        self._connection.execute(f"ATTACH '{path}' AS store")

    def name(self) -> str:
        """Return a name for a new table."""
        return f"store.t{next(self._numbers)}"

    def cursor(self, **given: pa.Table) -> duckdb.DuckDBPyConnection:
        """Return a cursor that is independent of other threads, with temporary tables."""
        cursor = self._connection.cursor()
        for name, table in given.items():
            cursor.register(name, table)
        return cursor

    def run(self, sql: str, **given: pa.Table) -> None:
        """Run one statement."""
        cursor = self.cursor(**given)
        _careful(lambda: cursor.execute(sql), cursor)
        cursor.close()

    def keep(self, sql: str, **given: pa.Table) -> str:
        """Store the result of a query as a table; return its name."""
        name = self.name()
        self.run(f"CREATE TABLE {name} AS {sql}", **given)
        return name

    def ask(self, sql: str, **given: pa.Table) -> pa.Table:
        """Return the result of a query."""
        cursor = self.cursor(**given)
        return _careful(lambda: cursor.sql(sql).to_arrow_table(), cursor)

    def batches(self, sql: str, rows: int = ROWS, **given: pa.Table) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query in batches."""
        cursor = self.cursor(**given)
        reader = _careful(lambda: cursor.sql(sql).to_arrow_reader(rows), cursor)
        while (batch := _careful(lambda: next(reader, None), cursor)) is not None:
            yield batch


def _careful(work: Callable[[], T], cursor: duckdb.DuckDBPyConnection) -> T:
    """Return the result of the work. Errors are replaced: DuckDB's messages may quote a record."""
    failure = None
    try:
        return run_interruptible(work, cursor.interrupt)
    except (duckdb.Error, pa.ArrowException) as error:
        failure = str(error)
    if "Out of Memory" in failure or "out of memory" in failure:
        raise BadInput(f"the memory limit is too small to count these records; increase {Fix.MEMORY_LIMIT}")
    if "IO Error" in failure or "Could not write" in failure:
        raise _no_room()
    raise BadInput(
        f"DuckDB cannot store these records ({failure.split(':')[0][:60]}); read them with {Fix.ENGINE('memory')}"
    )


def _no_room() -> BadInput:
    """Return the error for a full disk."""
    return BadInput(f"the disk is full; free some space, or set {Fix.TEMP_DIRECTORY} to another folder")


class Growing:
    """A table of the store that grows batch by batch."""

    def __init__(self, store: RecordTables) -> None:
        self.name, self._store, self._begin = store.name(), store, "CREATE TABLE {} AS"

    def add(self, batch: pa.Table) -> None:
        """Add a batch by itself: a transaction would keep every batch in memory until its end."""
        self._store.run(f"{self._begin.format(self.name)} SELECT * FROM batch", batch=batch)
        self._begin = "INSERT INTO {}"


class DuckDB(RemoteEngine):
    """Records in DuckDB: `found_in` is the FROM clause, `fields` has the names of the columns there."""

    about = f"in a DuckDB file, because of {Fix.ENGINE('duckdb')}; only counts are in memory"

    def __init__(self, store: RecordTables, found_in: str, fields: Mapping[str, str], records: int) -> None:
        self._store, self._from, self._fields, self.records = store, found_in, dict(fields), records

    def select(self, names: Sequence[str]) -> DuckDB:
        return DuckDB(self._store, self._from, {name: self._fields[name] for name in names}, self.records)

    def mapped(self, maps: Mapping[str, np.ndarray]) -> DuckDB:
        maps = changing(maps)
        if not maps:
            return self
        listed, joins = {field: f"r.{field}" for field in (*self._fields.values(), NUMBER)}, ""
        for i, (name, places) in enumerate(maps.items()):
            field, old = self._fields[name], np.flatnonzero(places >= 0)
            kind = np.int16 if max(len(places), int(places.max())) < 2**15 else np.int32
            codes = pa.table({"old": old.astype(kind), "new": places[old].astype(kind)})
            joins += f" JOIN {self._store.keep('SELECT * FROM codes', codes=codes)} AS m{i} ON m{i}.old = r.{field}"
            listed[field] = f"m{i}.new"
        selected = ", ".join(f"{expression} AS {field}" for field, expression in listed.items())
        found_in, records = f"(SELECT {selected} FROM {self._from} AS r{joins})", self.records
        if any((places < 0).any() for places in maps.values()):
            records = self._store.ask(f"SELECT count(*) AS n FROM {found_in} AS r")["n"][0].as_py()
        return DuckDB(self._store, found_in, self._fields, records)

    def collapse(self, quasi: Sequence[str], others: Sequence[str]) -> Cells:
        checkpoint(f"combinations of values among {self.records:,} records")
        cursor = self._store.cursor()
        fields = [self._fields[name] for name in quasi], {name: self._fields[name] for name in others}
        return _careful(lambda: counted(cursor, f"{self._from} AS r", *fields), cursor)

    def within(self, runs: Runs, records: int) -> DuckDB:
        if not runs:
            return self
        chosen = " AND ".join(f"{self._fields[name]} BETWEEN {low} AND {high}" for name, (low, high) in runs.items())
        return DuckDB(self._store, f"(SELECT * FROM {self._from} AS r WHERE {chosen})", self._fields, records)

    def tallies(self, cuts: Cut | int, names: Sequence[str]) -> Tallies:
        part, listed = case(cuts, self._fields.__getitem__), []
        for i, name in enumerate(names):
            coded = (
                f"(SELECT {part} AS part, CAST({self._fields[name]} AS INTEGER) AS code FROM {self._from} AS r) AS s"
            )
            grouped = f"FROM {coded} WHERE part >= 0 GROUP BY part, code"
            listed.append(f"SELECT part, {i} AS number, code, count(*) AS n {grouped}")
        found = self._store.ask(" UNION ALL ".join(listed))
        return Tallies(*(found[name].to_numpy() for name in ("part", "number", "code", "n")))

    def below(self, limit: int, salt: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        listed, key = ", ".join(self._fields.values()), f"hash(xor(hash({NUMBER}), CAST({salt} AS UBIGINT))) >> 1"
        keyed = f"(SELECT {listed}, CAST({key} AS BIGINT) AS chance FROM {self._from} AS r) AS s"
        found = self._store.ask(f"SELECT * FROM {keyed} WHERE chance <= {limit - 1}")
        return found["chance"].to_numpy(), {name: found[field].to_numpy() for name, field in self._fields.items()}

    def different(self, names: Sequence[str]) -> int:
        hashed = f"hash({', '.join(self._fields[name] for name in names)})"
        return self._store.ask(f"SELECT approx_count_distinct({hashed}) AS n FROM {self._from} AS r")["n"][0].as_py()

    def combinations_of(self, names: Sequence[str]) -> tuple[int, int]:
        listed = ", ".join(self._fields[name] for name in names)
        grouped = f"(SELECT count(*) AS n FROM {self._from} AS r GROUP BY {listed}) AS g"
        found = self._store.ask(f"SELECT count(*) AS n, count(*) FILTER (n = 1) AS lone FROM {grouped}")
        return found["n"][0].as_py(), found["lone"][0].as_py()

    def shuffled(
        self, names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
    ) -> Iterator[list[np.ndarray]]:
        wanted, failed = [*dict.fromkeys(names)], False
        parts = partition.parts() if isinstance(partition, ClassesOfParts) else iter([(self, partition)])
        checkpoint(f"classes of {self.records:,} records")
        try:
            with ExternalShuffle(self._store.folder, self.records) as shuffle:
                for engine, classes in parts:
                    assert isinstance(engine, DuckDB)
                    for some in engine._in_classes(wanted, classes):
                        shuffle.add(some)
                checkpoint(f"random order of {self.records:,} records")
                for columns in shuffle.shuffled():
                    found = dict(zip(wanted, columns, strict=True))
                    yield [found[name] for name in names]
        except OSError:
            failed = True
        if failed:
            raise _no_room()

    def _in_classes(self, names: Sequence[str | None], classes: ClassesOfCells | int) -> Iterator[Sequence[np.ndarray]]:
        """Yield the codes of these columns (None: the class) without suppressed records, in no particular order."""
        if isinstance(classes, int):
            return self._rows(names, f"CAST({classes} AS INTEGER)")
        keys, group = classes.keys()
        sizes = [int(codes.max(initial=0)) + 1 for codes in keys.values()]
        if math.prod(sizes) <= LOOKED_UP:
            return self._looked_up(names, keys, sizes, group)
        known = pa.table({**{self._fields[name]: codes for name, codes in keys.items()}, "class": group})
        same = " AND ".join(f"k.{self._fields[name]} = r.{self._fields[name]}" for name in keys)
        return self._rows(names, "k.class", f"JOIN known AS k ON {same} WHERE k.class >= 0", known=known)

    def _looked_up(
        self, names: Sequence[str | None], keys: Mapping[str, np.ndarray], sizes: Sequence[int], group: np.ndarray
    ) -> Iterator[Sequence[np.ndarray]]:
        """Yield the same codes from an array of classes by combination, if the array is smaller than a join."""
        (numbers,), count = row_keys(sizes, [len(group)], [*keys.values()])
        class_of, key = np.full(count, -1, np.int32), "0"
        class_of[numbers] = group
        for name, size in zip(keys, sizes, strict=True):
            key = f"({key} * {size} + CAST(r.{self._fields[name]} AS INTEGER))"
        for *codes, number in self._rows([*names, None], key):
            found = class_of[number]
            kept = slice(None) if found.min(initial=0) >= 0 else found >= 0
            yield [found[kept] if name is None else one[kept] for name, one in zip(names, codes, strict=True)]

    def _rows(
        self, names: Sequence[str | None], of_class: str, joined: str = "", **given: pa.Table
    ) -> Iterator[list[np.ndarray]]:
        columns = [of_class if name is None else f"r.{self._fields[name]}" for name in names]
        listed = ", ".join(f"{column} AS v{i}" for i, column in enumerate(columns))
        for batch in self._store.batches(f"SELECT {listed} FROM {self._from} AS r {joined}", **given):
            yield [column.to_numpy() for column in batch.columns]

    def content(self) -> Iterator[bytes]:
        hashed = f"hash({', '.join(self._fields.values())})"
        sql = f"SELECT sum(CAST({hashed} AS HUGEINT)) AS a, bit_xor({hashed}) AS b FROM {self._from} AS r"
        yield f"{self.records} {self._store.ask(sql).to_pylist()}".encode()


class DuckDBBuilder(EngineBuilder):
    """Collects the records in a table of the store; then codes their values column by column."""

    def __init__(
        self,
        names: Sequence[str],
        memory_limit: str | None = None,
        temp_directory: str | os.PathLike[str] | None = None,
    ) -> None:
        self._store, self._read = RecordTables(memory_limit, temp_directory), 0
        self._records, self._fields = Growing(self._store), {name: f"c{i}" for i, name in enumerate(names)}
        self._found: dict[str, pa.Table] = {}  # distinct values and their record counts
        self._coded: dict[str, str] = {}  # by name, the expression to select
        self._joins: list[str] = []

    def add(self, batch: pa.RecordBatch) -> None:
        rows = dict(zip(self._fields.values(), batch.columns, strict=True))
        start, self._read = self._read, self._read + len(batch)
        self._records.add(pa.table({**rows, NUMBER: np.arange(start + 1, self._read + 1)}))

    def distinct(self, name: str) -> pa.Array:
        field, records = self._fields[name], self._records.name
        sql = f"SELECT {field} AS value, count(*) AS n FROM {records} WHERE {field} IS NOT NULL GROUP BY {field}"
        self._found[name] = self._store.ask(sql).combine_chunks()
        return plain(self._found[name]["value"]).combine_chunks()

    def first(self, name: str, values: np.ndarray) -> int:
        wanted, records = self._found[name].select(["value"]).take(values), self._records.name
        sql = f"SELECT min({NUMBER}) AS n FROM {records} JOIN wanted ON value = {self._fields[name]}"
        return self._store.ask(sql, wanted=wanted)["n"][0].as_py() or 0

    def code(self, name: str, found: Values) -> Column:
        size, field, known = len(found.values), self._fields[name], self._found[name]
        places = np.where(found.place < 0, size, found.place).astype(np.int16 if size < 2**15 else np.int32)
        counts = np.bincount(places, known["n"].to_numpy(), size + 1).astype(np.int64)
        counts[size] = self._read - counts[:size].sum()
        codes = pa.table({"value": known["value"], "code": places})
        table, alias = self._store.keep("SELECT * FROM codes", codes=codes), f"d{len(self._joins)}"
        self._joins.append(f"LEFT JOIN {table} AS {alias} ON {alias}.value = r.{field}")
        kind = "SMALLINT" if places.dtype == np.int16 else "INTEGER"
        self._coded[name] = f"CAST(coalesce({alias}.code, {size}) AS {kind}) AS {field}"
        return Column(name, found.kind, found.values, found.labels, counts[:-1], int(counts[-1]))

    def engine(self) -> DuckDB:
        listed, records = ", ".join(self._coded.values()), self._records.name
        codes = self._store.keep(f"SELECT {listed}, r.{NUMBER} FROM {records} AS r {' '.join(self._joins)}")
        self._store.run(f"DROP TABLE {records}")
        fields = {name: self._fields[name] for name in self._coded}
        return DuckDB(self._store, codes, fields, self._read)


class ExternalShuffle:
    """Shuffles at most `rows` rows with little memory: random assignment to temporary files, then a shuffle of each.

    All orders are equally likely, as in a sort by random keys whose leading digit selects the file.
    """

    def __init__(self, folder: Path, rows: int) -> None:
        self._chance, self._kind = operating_system_random(), np.dtype([])
        with ExitStack() as files:
            count = min(-(-rows // PILE), MOST)
            self._files = [files.enter_context(TemporaryFile(dir=folder)) for _ in range(count)]
            self._opened = files.pop_all()

    def __enter__(self) -> ExternalShuffle:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def add(self, columns: Sequence[np.ndarray]) -> None:
        """Add rows, always with the same columns."""
        self._kind = np.dtype([(f"v{i}", column.dtype) for i, column in enumerate(columns)])
        rows = np.empty(len(columns[0]), self._kind)
        for name, column in zip(self._kind.names or (), columns, strict=True):
            rows[name] = column
        pile = self._chance.integers(len(self._files), size=len(rows), dtype=np.uint8, endpoint=False)
        rows = rows[np.argsort(pile, kind="stable")]
        ends = np.cumsum(np.bincount(pile, minlength=len(self._files))).tolist()
        for file, begin, end in zip(self._files, [0, *ends], ends, strict=False):
            file.write(rows[begin:end].tobytes())

    def shuffled(self) -> Iterator[list[np.ndarray]]:
        """Yield all rows in random order, in batches."""
        for file in self._files:
            checkpoint()
            file.seek(0)
            rows = np.frombuffer(file.read(), self._kind)
            rows = rows[self._chance.permutation(len(rows))]
            for start in range(0, len(rows), BATCH):
                some = rows[start : start + BATCH]
                yield [np.ascontiguousarray(some[name]) for name in self._kind.names or ()]
