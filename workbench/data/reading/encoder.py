"""From a source to coded columns: one pass over the records, then distinct values are typed and sorted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import pyarrow as pa

from workbench.base.errors import BadColumns, BadInput, columns_meant
from workbench.base.progress import step, stoppable
from workbench.data.column import Column
from workbench.data.engines import SPARK, Coding, Engine, Gathering, gathering
from workbench.data.reading.source import Source
from workbench.data.reading.value_types import KINDS, Empty, Values, find_values
from workbench.data.roles import NOTHING

P = ParamSpec("P")
T = TypeVar("T")


def fitting(work: Callable[P, T]) -> Callable[P, T]:
    """The same work; records of its source that do not fit into memory are said to be so."""

    @wraps(work)
    def careful(*given: P.args, **options: P.kwargs) -> T:
        try:
            return work(*given, **options)
        except MemoryError:
            where = getattr(given[0], "where", "the data")
        raise BadInput(f"{where}: its records do not fit into memory; say engine='duckdb'")

    return careful


@fitting
def encode(
    source: Source,
    columns: Sequence[str] | None = None,
    *,
    missing: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    types: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
    empty: Collection[str] = (),
    engine: str | None = None,
) -> tuple[dict[str, Column], Engine]:
    """The columns, and the engine that holds the code of every record.

    `missing` lists the text that stands for a missing value, in all columns or by column, `types` the kind of columns
    whose kind is known;
    a column with nothing but missing values is refused, or left out with a note if it is among `empty`;
    records stay where the source has them, unless an `engine` is named;
    `progress` is called with the number of records read so far, also while none comes, and may raise to stop.
    """
    wanted = list(dict.fromkeys(source.names if columns is None else columns))
    types = _checked(types or {}, source)
    wrong = source.unreadable(wanted)
    names = [name for name in wanted if name not in wrong]
    if wrong and not names:
        raise BadColumns(wrong)
    engine = engine or source.engine
    gathered = source.coding(names) if engine == SPARK else _gathered(source, names, engine, progress)
    coded = {}
    for i, name in enumerate(names):
        step(f"values of {name}, column {i + 1} of {len(names)}")
        marks = missing.get(name) if isinstance(missing, Mapping) else missing
        there = gathered.distinct(name)  # what goes wrong here is no fault of the column's
        try:
            found = _values(source, gathered, there, name, marks, types.get(name))
        except BadInput as error:
            if not isinstance(error, Empty) or name not in empty:
                wrong[name] = str(error)
                continue
            source.notes.append(f"{name}: {NOTHING}")
            continue
        coded[name] = gathered.code(name, found)
    if wrong:
        raise BadColumns({name: wrong[name] for name in wanted if name in wrong})
    step("codes of all records")
    return coded, gathered.engine()


def _gathered(source: Source, names: list[str], engine: str, progress: Callable[[int], None] | None) -> Gathering:
    """All records of the source, in an engine."""
    gathered, read = gathering(engine, names, source.memory_limit, source.temp_directory), 0
    batches = source.batches(names)

    def look() -> None:
        step()
        source.refuse_late()
        if progress:
            progress(read)

    # a query may take for ever before its first record
    while (batch := stoppable(lambda: next(batches, None), source.interrupt, look)) is not None:
        gathered.add(batch)
        read += len(batch)
        look()
    return gathered


def _values(
    source: Source, gathered: Coding, there: pa.Array, name: str, missing: Sequence[str] | None, declared: str | None
) -> Values:
    """The distinct values of a column; the source's notes say how they were read."""
    found = find_values(
        there,
        source.where,
        name,
        typed=source.typed,
        missing=missing,
        declared=declared,
        first=partial(gathered.first, name),
    )
    if found.markers:
        source.notes.append(f"{name}: {', '.join(map(repr, found.markers))} read as missing")
    source.notes += [f"{name}: {note}" for note in found.notes]
    return found


def _checked(types: Mapping[str, str], source: Source) -> Mapping[str, str]:
    for name, kind in types.items():
        if name not in source.names:
            raise BadInput(f"types: {source.where} has no column {name!r}; {columns_meant(name, source.names)}")
        if kind not in KINDS:
            raise BadInput(f"types: {name!r} is declared {kind!r}; a column is one of {', '.join(map(repr, KINDS))}")
    return types
