"""Parts that Spark's workers cut, if this package is installed there: cells stay in Spark, only classes are returned.

The cells of a part are one group of rows, which a worker passes to the same code that cuts them here (`applyInArrow`).
For a release, the class of each combination of quasi-identifiers also stays in Spark, and is joined with the records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.package import Sources
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells, in_order
from workbench.data.engines.remote import Cutting, case, columns_of, renumbered

if TYPE_CHECKING:
    from workbench.data.engines.spark import Spark
    from workbench.data.engines.spark_session import Session

CLASSES = "part INT, class INT, size BIGINT, low ARRAY<INT>, high ARRAY<INT>, counts ARRAY<BIGINT>"
CHANGED = -1  # size of a class in a part with values that did not exist when they were read


def ready(session: Session) -> bool:
    """Return whether the workers have the same package; checked once per session."""
    if session.same_workers is None:
        try:
            rows = session.upload(pa.table({"n": pa.array([0], pa.int32())}))
            found = session.ask(rows.groupBy("n").applyInArrow(_digest, "digest STRING"))
            session.same_workers = found["digest"].to_pylist() == [_own()]
        except BadInput:  # the package is missing, or the server runs no Python; a lost connection fails the next query
            session.same_workers = False
    return session.same_workers


@cache
def _own() -> str:
    """Return a digest of this package's sources. Only computed if Spark is used."""
    return Sources().digest


def _digest(_: pa.Table) -> pa.Table:
    return pa.table({"digest": [_own()]})


def classes(engine: Spark, cutting: Cutting, most: int) -> pa.Table:
    """Return the classes of the parts, one row each, sorted; at most one more than `most`."""
    checkpoint(f"{len(cutting.whole) - int(cutting.whole.sum()):,} parts cut by Spark's workers")
    quasi, others, finish = [*cutting.quasi], [*cutting.others], cutting.finish
    codes = list(map(engine.code_of, (*quasi, *others)))

    def summed(rows: pa.Table) -> pa.Table:
        part, cells = _cells(rows, codes, len(quasi), others)
        if cells is None:
            nothing = np.zeros((1, 0), np.int64)
            return _summaries(part, np.array([CHANGED]), nothing, nothing, nothing)
        found = finish(cells).classes
        nothing = np.zeros((len(found), 0), np.int64)
        counts = np.concatenate([nothing, *(found.histograms[name] for name in others)], axis=1)
        return _summaries(part, found.sizes, found.low, found.high, counts)

    found = engine.session.ask(_parts(engine, cutting, codes).applyInArrow(summed, CLASSES).limit(most + 1))
    return found.sort_by([("part", "ascending"), ("class", "ascending")]).combine_chunks()


def in_classes(engine: Spark, names: Sequence[str], cutting: Cutting) -> Any:
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
        part, cells = _cells(rows, codes, len(quasi), others)
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
    known = _parts(engine, cutting, codes).applyInArrow(numbered, schema).selectExpr(*keys, "class")
    records = engine.coded([*names, *quasi]).selectExpr(*wanted, *keys)
    on = [f"key{i}" for i in range(len(packed))]
    yield records.join(known, on=on, how="inner").selectExpr(*wanted, "class")


def _parts(engine: Spark, cutting: Cutting, codes: Sequence[str]) -> Any:
    """Return the cells of the parts to cut, grouped by part."""
    number = case(renumbered(cutting.cuts, np.where(cutting.whole, -1, np.arange(len(cutting.whole)))), engine.code_of)
    records = engine.coded([*cutting.quasi, *cutting.others])
    numbered = records.selectExpr(f"CAST({number} AS INT) AS part", *codes).filter("part >= 0")
    return numbered.groupBy("part", *codes).count().groupBy("part")


def _cells(rows: pa.Table, codes: Sequence[str], quasi: int, others: Sequence[str]) -> tuple[int, Cells | None]:
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
