"""Records that stay in Spark: Apache Spark, or another server that supports Spark Connect.

All servers interpret the queries in the same way: they have only plain column names, filters, JOIN, and GROUP BY of
named columns. Spark returns distinct values and counts, and records only for release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.package import Sources
from workbench.base.progress import checkpoint
from workbench.base.randomness import operating_system_random
from workbench.data.cells import LARGEST_KEY, Cells, in_order
from workbench.data.column import Column
from workbench.data.engines import (
    BATCH,
    KEYS,
    ClassesOfCells,
    ClassesOfParts,
    CodeAssigner,
    Cut,
    Cutting,
    RemoteEngine,
    Runs,
    Tallies,
    case,
    changing,
    columns_of,
    plain,
    renumbered,
)
from workbench.data.engines.spark_session import Session, Untyped
from workbench.data.reading.value_types import Values

MOST = 50_000_000  # maximum number of cells or values of a column in this process: gigabytes
WORKERS = "run pip install privacy-utility-workbench there"
GONE, NEW = -1, -2  # codes of dropped records, and of values that did not exist when the table was read
CLASSES = "part INT, class INT, size BIGINT, low ARRAY<INT>, high ARRAY<INT>, counts ARRAY<BIGINT>"
CHANGED = -1  # size of a class in a part with values that did not exist when they were read


@dataclass(frozen=True, eq=False)
class Codes:
    """A column in Spark: its field, its distinct values, and the code and the number of records of each."""

    field: str
    values: pa.Array
    codes: np.ndarray
    records: np.ndarray
    null: int  # the code of null
    nulls: int  # number of null records
    left: np.ndarray | None = None  # number of records of each code after a selection, if counted

    def mapped(self, places: np.ndarray) -> Codes:
        """Replace the codes with `places[code]`."""
        longer, left = np.append(places, [NEW, GONE]), self.left  # -2 and -1 are kept
        if left is not None:
            some = places[: len(left)]  # codes beyond these have no records
            left = np.bincount(some[some >= 0], left[: len(some)][some >= 0]).astype(np.int64)
        codes = longer[self.codes].astype(self.codes.dtype)
        return replace(self, codes=codes, null=int(longer[self.null]), left=left)

    def expected_counts(self, some_gone: bool) -> np.ndarray | None:
        """Return the expected number of records of each code; None if it was not counted."""
        return self.left if some_gone else self.counts(self.size)

    @property
    def size(self) -> int:
        """An exclusive upper bound on the codes."""
        return max(int(self.codes.max(initial=-1)), self.null) + 1

    @property
    def leaves_out(self) -> bool:
        """True if records with some value are dropped."""
        return self.null == GONE or bool((self.codes == GONE).any())

    def counts(self, size: int) -> np.ndarray:
        """Return the number of records of each code, if none is dropped."""
        found = np.bincount(self.codes, self.records, size).astype(np.int64)
        if self.nulls:
            found[self.null] += self.nulls
        return found


class Spark(RemoteEngine):
    """Records in Spark: `frame` has them under plain field names, `codes` describes each column by its own name."""

    may_change = True

    def __init__(
        self, session: Session, frame: Any, codes: Mapping[str, Codes], names: Sequence[str], records: int, where: str
    ) -> None:
        self.session, self._frame, self._columns, self._names = session, frame, dict(codes), list(names)
        self.records, self.where = records, where

    @property
    def about(self) -> str:
        return f"in {self.session.where} ({self.where}), because the data are there; only counts are in memory"

    def _with(self, codes: Mapping[str, Codes], names: Sequence[str], records: int) -> Spark:
        return Spark(self.session, self._frame, codes, names, records, self.where)

    def select(self, names: Sequence[str]) -> Spark:
        return self._with(self._columns, names, self.records)

    def mapped(self, maps: Mapping[str, np.ndarray]) -> Spark:
        maps = changing(maps)
        if not maps:
            return self
        codes = {**self._columns, **{name: self._columns[name].mapped(places) for name, places in maps.items()}}
        if fewer := any((places < 0).any() for places in maps.values()):
            codes = _uncounted(codes)
        other = self._with(codes, self._names, self.records)
        if fewer:
            frame = other.coded([])
            other.records = int(self.session.ask(frame.selectExpr("count(*) AS n"))["n"][0].as_py())
        return other

    def counts(self, name: str, size: int) -> np.ndarray:
        found = super().counts(name, size)
        self._columns[name] = replace(self._columns[name], left=found)
        return found

    def collapse(self, quasi: Sequence[str], others: Sequence[str]) -> Cells:
        checkpoint(f"combinations of values among {self.records:,} records")
        names = list(dict.fromkeys([*quasi, *others]))
        fields = [self.code_of(name) for name in names]
        query = self.coded(names).groupBy(*fields).count()
        found = self.session.ask(query.limit(MOST + 1) if self.records > MOST else query)
        if len(found) > MOST:
            raise BadInput(
                f"{self.where}: more than {MOST:,} combinations of {join_names(names)}, too many for the memory of "
                "this process; remove one of these columns, or read a table in which the finest has fewer values"
            )
        codes = {name: found[field].to_numpy() for name, field in zip(names, fields, strict=True)}
        weight = found["count"].to_numpy()
        self._refuse_changed(codes, weight)
        return in_order([codes[name] for name in quasi], {name: codes[name] for name in others}, weight)

    def within(self, runs: Runs, records: int) -> Spark:
        codes = dict(self._columns)
        for name, (low, high) in runs.items():
            places = np.arange(codes[name].size)
            codes[name] = codes[name].mapped(np.where((places >= low) & (places <= high), places, GONE))
        return self._with(_uncounted(codes), self._names, records) if runs else self

    def tallies(self, cuts: Cut | int, names: Sequence[str]) -> Tallies:
        part, found = case(cuts, self.code_of), None
        frame = self.coded([*names, *columns_of(cuts)]).selectExpr(f"{part} AS part", *map(self.code_of, names))
        for i, name in enumerate(names):
            codes = frame.selectExpr("part", f"CAST({self.code_of(name)} AS INT) AS code").filter("part >= 0")
            one = codes.groupBy("part", "code").count().selectExpr("part", f"{i} AS number", "code", "count")
            found = one if found is None else found.union(one)
        answer = self.session.ask(found)
        tallies = Tallies(*(answer[name].to_numpy() for name in ("part", "number", "code", "count")))
        if tallies.code.min(initial=0) < 0:
            raise self.changed()
        return tallies

    @property
    def where_cut(self) -> str:
        if workers_ready(self.session):
            return "by Spark's workers"
        return f"part by part here, because Spark's workers do not have this version of the workbench ({WORKERS})"

    def classes_there(self, cutting: Cutting, most: int) -> pa.Table | None:
        return classes_by_workers(self, cutting, most) if workers_ready(self.session) else None

    def different(self, names: Sequence[str]) -> int:
        hashed = f"approx_count_distinct(xxhash64({', '.join(map(self.code_of, names))})) AS n"
        return int(self.session.ask(self.coded(names).selectExpr(hashed))["n"][0].as_py())

    def shuffled(
        self, names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
    ) -> Iterator[list[np.ndarray]]:
        wanted = ["class" if name is None else self.code_of(name) for name in names]
        found = self.session.ask(self.in_classes([name for name in names if name], partition).selectExpr(*wanted))
        if len(found) != int(partition.counts(None, 1).sum()):
            raise self.changed()
        order = operating_system_random().permutation(len(found))
        columns = [column.to_numpy() for column in found.columns]
        for start in range(0, len(order), BATCH):
            yield [column[order[start : start + BATCH]] for column in columns]

    def below(self, limit: int, salt: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        # rand(seed) is a constant on one server; 2 ** 63 - 1 removes the sign
        chance = f"xxhash64(monotonically_increasing_id(), CAST({salt} AS BIGINT)) & {KEYS - 1} AS chance"
        frame = self._frame.selectExpr("*", chance).filter(f"chance <= {limit - 1}")
        drawn = Spark(self.session, frame, self._columns, self._names, self.records, self.where)
        found = self.session.ask(drawn.coded(self._names, "chance"))
        codes = {name: found[self.code_of(name)].to_numpy() for name in self._names}
        if any((one == NEW).any() for one in codes.values()):
            raise self.changed()
        return found["chance"].to_numpy(), codes

    def content(self) -> Iterator[bytes]:
        hashed = f"sum(CAST(xxhash64({', '.join(map(self.code_of, self._names))}) AS DECIMAL(20, 0))) AS digest"
        found = self.session.ask(self.coded(self._names).selectExpr(hashed, "count(*) AS n"))
        yield str(found.to_pylist()).encode()

    # --- queries

    def code_of(self, name: str) -> str:
        """Return the name of a column's codes in Spark."""
        return f"k{self._columns[name].field}"

    def coded(self, names: Sequence[str], *beside: str) -> Any:
        """Return the codes of these columns without dropped records, and further fields of the records."""
        filters = [name for name, column in self._columns.items() if column.leaves_out]
        frame, listed = self._frame, [*beside]
        for name in dict.fromkeys([*names, *filters]):
            column, code = self._columns[name], self.code_of(name)
            known = pa.table({column.field: column.values, code: column.codes})
            frame = frame.join(self.session.upload(known), on=column.field, how="left")
            kind = "SMALLINT" if column.codes.dtype == np.int16 else "INT"
            when = f"WHEN {column.field} IS NULL THEN {column.null} ELSE coalesce({code}, {NEW})"
            listed.append(f"CAST(CASE {when} END AS {kind}) AS {code}")
        if not listed:
            return frame
        frame = frame.selectExpr(*listed)
        for name in filters:
            frame = frame.filter(f"{self.code_of(name)} <> {GONE}")
        return frame

    def in_classes(self, names: Sequence[str], partition: ClassesOfCells | ClassesOfParts) -> Any:
        """Return the codes of these columns and the `class` of each record, without suppressed records."""
        if isinstance(partition, ClassesOfCells):
            return self._in_classes(names, partition)
        if partition.cutting is not None:
            return in_classes_by_workers(self, names, partition.cutting)
        found = None
        for engine, classes in partition.parts():
            assert isinstance(engine, Spark)
            one = engine._in_classes(names, classes)
            found = one if found is None else found.union(one)
        return found

    def _in_classes(self, names: Sequence[str], classes: ClassesOfCells | int) -> Any:
        wanted = [self.code_of(name) for name in dict.fromkeys(names)]
        if isinstance(classes, int):
            return self.coded(names).selectExpr(*wanted, f"CAST({classes} AS INT) AS class")
        keys, group = classes.keys()
        kept = group >= 0
        packed = self.packed([*keys])
        numbers = self._numbers({name: codes[kept] for name, codes in keys.items()}, int(kept.sum()))
        on = [f"key{i}" for i in range(len(numbers))]
        columns = dict(zip(on, numbers, strict=True))
        known = self.session.upload(pa.table({**columns, "class": group[kept].astype(np.int32)}))
        listed = [f"{number} AS {key}" for number, key in zip(packed, on, strict=True)]
        records = self.coded([*names, *keys]).selectExpr(*wanted, *listed)
        return records.join(known, on=on, how="inner").selectExpr(*wanted, "class")

    def packed(self, names: Sequence[str]) -> list[str]:
        """Return SQL expressions that pack many codes into one number, or into several if one is too small.

        A number is shuffled and compared faster.
        """
        expressions = ["CAST(0 AS BIGINT)"]
        for place, name, size in self._places(names):
            expressions += ["CAST(0 AS BIGINT)"] * (place == len(expressions))
            expressions[place] = f"({expressions[place]} * {size} + {self.code_of(name)} + 2)"
        return expressions

    def _numbers(self, keys: Mapping[str, np.ndarray], rows: int) -> list[np.ndarray]:
        """Return the packed numbers of these rows."""
        numbers = [np.zeros(rows, np.int64)]
        for place, name, size in self._places([*keys]):
            numbers += [np.zeros(rows, np.int64)] * (place == len(numbers))
            numbers[place] = numbers[place] * size + keys[name] + 2
        return numbers

    def _places(self, names: Sequence[str]) -> Iterator[tuple[int, str, int]]:
        """Yield, for each column, the index of its packed number, and its factor there."""
        place, wide = 0, 1
        for name in names:
            size = self._columns[name].size + 2  # a code may be -2, for a new record
            if (wide := wide * size) > LARGEST_KEY:
                place, wide = place + 1, size
            yield place, name, size

    def _refuse_changed(self, codes: Mapping[str, np.ndarray], weight: np.ndarray) -> None:
        """Raise BadInput if the counts do not agree with the records whose values were read."""
        if int(weight.sum()) != self.records or any((one == NEW).any() for one in codes.values()):
            raise self.changed()
        some_gone = any(column.leaves_out for column in self._columns.values())
        for name, one in codes.items():
            known = self._columns[name].expected_counts(some_gone)
            if known is not None:
                found = np.bincount(one, weight, len(known)).astype(np.int64)
                if len(found) > len(known) or (known != found).any():
                    raise self.changed()

    def changed(self) -> BadInput:
        """Return the error for a table that has changed since it was read."""
        return BadInput(
            f"{self.where}: the table has changed since it was read; read it again, or a copy that does not change"
        )


def _uncounted(codes: Mapping[str, Codes]) -> dict[str, Codes]:
    """Forget the numbers of records per code after a selection."""
    return {name: replace(column, left=None) for name, column in codes.items()}


class SparkCodeAssigner(CodeAssigner):
    """Finds the values of a table's columns with one GROUP BY each."""

    def __init__(self, session: Session, frame: Any, fields: Mapping[str, str], where: str) -> None:
        self._session, self._frame, self._fields, self._where = session, frame, dict(fields), where
        self._found: dict[str, pa.Table] = {}
        self._codes: dict[str, Codes] = {}
        self._records: int | None = None

    def distinct(self, name: str) -> pa.Array:
        field = self._fields[name]
        try:
            found = self._session.ask(self._frame.groupBy(field).count().limit(MOST + 1)).combine_chunks()
        except Untyped:
            raise Untyped(f"{self._where}, column {name!r}") from None
        if len(found) > MOST:
            raise BadInput(
                f"{self._where}, column {name!r}: more than {MOST:,} values, too many for the memory of this process; "
                "add it to the identifiers, which are not read"
            )
        records = int(found["count"].to_numpy().sum())
        if self._records not in (None, records):
            raise BadInput(f"{self._where}: the table changed while it was read; read a copy that does not change")
        if not records:
            raise BadInput(f"{self._where}: there are no records")
        self._records, self._found[name] = records, found
        return plain(found[field].drop_null()).combine_chunks()

    def first(self, name: str, values: np.ndarray) -> int:
        return 0  # the records of a table in Spark have no order

    def code(self, name: str, found: Values) -> Column:
        size, known = len(found.values), self._found.pop(name)
        field, present = self._fields[name], known[self._fields[name]].is_valid().to_numpy()
        records = known["count"].to_numpy()
        kind = np.int16 if size < 2**15 else np.int32
        places = np.where(found.place < 0, size, found.place).astype(kind)
        counts = np.bincount(places, records[present], size + 1).astype(np.int64)
        nulls = int(records[~present].sum())
        missing = int(counts[size]) + nulls
        values = known[field].drop_null().combine_chunks()
        null = size if nulls else NEW
        self._codes[name] = Codes(field, values, places, records[present], null, nulls)
        return Column(name, found.kind, found.values, found.labels, counts[:-1], missing)

    def engine(self) -> Spark:
        assert self._records is not None
        return Spark(self._session, self._frame, self._codes, list(self._codes), self._records, self._where)


# Parts that Spark's workers cut, if this package is installed there: cells stay in Spark, only classes are returned.
# The cells of a part are one group of rows, which a worker passes to the same code that cuts cells here (applyInArrow).
# For a release, the class of each combination of quasi-identifiers also stays in Spark, and is joined with the records.


def workers_ready(session: Session) -> bool:
    """Return whether the workers have the same package; checked once per session."""
    if session.same_workers is None:
        try:
            rows = session.upload(pa.table({"n": pa.array([0], pa.int32())}))
            found = session.ask(rows.groupBy("n").applyInArrow(_digest, "digest STRING"))
            session.same_workers = found["digest"].to_pylist() == [_own_digest()]
        except BadInput:  # the package is missing, or the server runs no Python; a lost connection fails the next query
            session.same_workers = False
    return session.same_workers


@cache
def _own_digest() -> str:
    """Return a digest of this package's sources. Only computed if Spark is used."""
    return Sources().digest


def _digest(_: pa.Table) -> pa.Table:
    return pa.table({"digest": [_own_digest()]})


def classes_by_workers(engine: Spark, cutting: Cutting, most: int) -> pa.Table:
    """Return the classes of the parts, one row each, sorted; at most one more than `most`."""
    checkpoint(f"{len(cutting.whole) - int(cutting.whole.sum()):,} parts cut by Spark's workers")
    quasi, others, finish = [*cutting.quasi], [*cutting.others], cutting.finish
    codes = list(map(engine.code_of, (*quasi, *others)))

    def summed(rows: pa.Table) -> pa.Table:
        part, cells = _cells_of_part(rows, codes, len(quasi), others)
        if cells is None:
            nothing = np.zeros((1, 0), np.int64)
            return _summaries(part, np.array([CHANGED]), nothing, nothing, nothing)
        found = finish(cells).classes
        nothing = np.zeros((len(found), 0), np.int64)
        counts = np.concatenate([nothing, *(found.histograms[name] for name in others)], axis=1)
        return _summaries(part, found.sizes, found.low, found.high, counts)

    found = engine.session.ask(_parts_to_cut(engine, cutting, codes).applyInArrow(summed, CLASSES).limit(most + 1))
    return found.sort_by([("part", "ascending"), ("class", "ascending")]).combine_chunks()


def in_classes_by_workers(engine: Spark, names: Sequence[str], cutting: Cutting) -> Any:
    """Return the codes of these columns and the `class` of each record, in Spark's order."""
    wanted = [engine.code_of(name) for name in dict.fromkeys(names)]
    frames = [*_of_whole_parts(engine, names, wanted, cutting), *_of_cut_parts(engine, names, wanted, cutting)]
    found = frames[0]
    for one in frames[1:]:
        found = found.union(one)
    return found


def _of_whole_parts(engine: Spark, names: Sequence[str], wanted: Sequence[str], cutting: Cutting) -> Iterator[Any]:
    """Yield the records of parts that are a single class."""
    if cutting.whole.any():
        number = case(renumbered(cutting.cuts, np.where(cutting.whole, cutting.first, -1)), engine.code_of)
        records = engine.coded([*names, *columns_of(cutting.cuts)])
        yield records.selectExpr(*wanted, f"CAST({number} AS INT) AS class").filter("class >= 0")


def _of_cut_parts(engine: Spark, names: Sequence[str], wanted: Sequence[str], cutting: Cutting) -> Iterator[Any]:
    """Yield the records of cut parts, joined with the class of each combination of quasi-identifiers."""
    if cutting.whole.all():
        return
    quasi, others, finish, first = [*cutting.quasi], [*cutting.others], cutting.finish, cutting.first
    fields = list(map(engine.code_of, quasi))
    codes = [*fields, *map(engine.code_of, others)]

    def numbered(rows: pa.Table) -> pa.Table:
        part, cells = _cells_of_part(rows, codes, len(quasi), others)
        if cells is None:  # its records find no class, so the number of written records is wrong, which is detected
            cells, group = Cells(np.zeros((len(quasi), 0), np.int32), {}, np.zeros(0, np.int64)), np.zeros(0, np.int32)
        else:
            group = finish(cells).group
        new = np.append(True, (np.diff(cells.quasi, axis=1) != 0).any(axis=0))[: len(group)]
        keys = {field: axis[new].astype(np.int32) for field, axis in zip(fields, cells.quasi, strict=True)}
        return pa.table({**keys, "class": (group[new] + first[part]).astype(np.int32)})

    schema = ", ".join(f"{name} INT" for name in (*fields, "class"))
    packed = engine.packed(quasi)
    keys = [f"{number} AS key{i}" for i, number in enumerate(packed)]
    known = _parts_to_cut(engine, cutting, codes).applyInArrow(numbered, schema).selectExpr(*keys, "class")
    records = engine.coded([*names, *quasi]).selectExpr(*wanted, *keys)
    on = [f"key{i}" for i in range(len(packed))]
    yield records.join(known, on=on, how="inner").selectExpr(*wanted, "class")


def _parts_to_cut(engine: Spark, cutting: Cutting, codes: Sequence[str]) -> Any:
    """Return the cells of the parts to cut, grouped by part."""
    number = case(renumbered(cutting.cuts, np.where(cutting.whole, -1, np.arange(len(cutting.whole)))), engine.code_of)
    records = engine.coded([*cutting.quasi, *cutting.others])
    numbered = records.selectExpr(f"CAST({number} AS INT) AS part", *codes).filter("part >= 0")
    return numbered.groupBy("part", *codes).count().groupBy("part")


def _cells_of_part(rows: pa.Table, codes: Sequence[str], quasi: int, others: Sequence[str]) -> tuple[int, Cells | None]:
    """Return the part of some rows, and their cells; None for the cells if a value is new."""
    part, columns = rows["part"][0].as_py(), [rows[code].to_numpy() for code in codes]
    if any((one < 0).any() for one in columns):
        return part, None
    return part, in_order(columns[:quasi], dict(zip(others, columns[quasi:], strict=True)), rows["count"].to_numpy())


def _summaries(part: int, sizes: np.ndarray, low: np.ndarray, high: np.ndarray, counts: np.ndarray) -> pa.Table:
    """Return one row per class."""
    columns = {
        "part": np.full(len(sizes), part, np.int32),
        "class": np.arange(len(sizes), dtype=np.int32),
        "size": sizes.astype(np.int64),
    }
    listed: dict[str, np.ndarray] = {
        "low": low.astype(np.int32),
        "high": high.astype(np.int32),
        "counts": counts.astype(np.int64),
    }
    return pa.table({**columns, **{name: _lists(rows) for name, rows in listed.items()}})


def _lists(rows: np.ndarray) -> pa.Array:
    """Return the rows of a matrix as lists."""
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    return pa.ListArray.from_arrays(offsets, rows.ravel())
