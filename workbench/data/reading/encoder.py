"""Encode a source as columns: one pass over the records, then distinct values are typed and sorted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import pyarrow as pa

from workbench.base.errors import BadColumns, BadInput, Fix, suggest_column
from workbench.base.progress import checkpoint, run_interruptible
from workbench.data.column import Column
from workbench.data.engines import SPARK, CodeAssigner, Engine, EngineBuilder, engine_builder, memory_limit
from workbench.data.reading.column_types import parse_type
from workbench.data.reading.opening import open_source, require_options
from workbench.data.reading.source import Source
from workbench.data.reading.value_types import Empty, Mixed, Values, find_values
from workbench.data.settings import NOTHING, Origin

P = ParamSpec("P")
T = TypeVar("T")


def fitting(work: Callable[P, T]) -> Callable[P, T]:
    """Explain a MemoryError: the records do not fit into memory."""

    @wraps(work)
    def careful(*given: P.args, **options: P.kwargs) -> T:
        try:
            return work(*given, **options)
        except MemoryError:
            where = getattr(given[0], "where", "the data")
        raise BadInput(f"{where}: the records do not fit into memory; use {Fix.ENGINE('duckdb')}")

    return careful


def read_columns(
    data: Any,
    assign_roles: Callable[[list[str]], dict[str, str]] | None,
    types: Mapping[str, str] | None,
    missing: Sequence[str] | Mapping[str, Sequence[str]] | None,
    progress: Callable[[int], None] | None,
    engine: str | None,
    source: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the first fields of a Table: columns, engine, roles, notes and the texts that were read as missing."""
    require_options(source)
    opened = open_source(data, **{"memory_limit": engine and memory_limit(engine), **source})
    with closing(opened):  # removes temporary copies of the source in any case
        roles = assign_roles(opened.names) if assign_roles else dict.fromkeys(opened.names, "neutral")
        kept = [name for name in opened.names if roles[name] != "identifier"]
        neutral = [name for name in kept if roles[name] == "neutral"]
        columns, coded = encode(
            opened, kept, missing=missing, types=types, progress=progress, empty=neutral, engine=engine
        )
    if not columns:
        raise BadInput(f"{opened.where}: all values of all columns are missing; check the data")
    roles = {name: role for name, role in roles.items() if name in columns or role == "identifier"}
    origin = Origin(missing_texts=tuple(opened.missing_texts))
    return {"columns": columns, "engine": coded, "roles": roles, "notes": tuple(opened.notes), "origin": origin}


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
    """Return the columns, and the engine with the code of every record.

    Parameters
    ----------
    missing
        Texts that represent a missing value other than empty cells, for all columns or by column.
    types
        Declared types by column.
    progress
        Called with the number of records that have been read, also while waiting; may raise to stop.
    empty
        Columns that are left out with a note if all of their values are missing; others are refused.
    engine
        The engine for the records; by default they stay where the source has them.
    """
    wanted = list(dict.fromkeys(source.names if columns is None else columns))
    types = _checked(types or {}, source)
    wrong: dict[str, str | BadInput] = {**source.unreadable(wanted)}
    names = [name for name in wanted if name not in wrong]
    if wrong and not names:
        raise BadColumns(wrong)
    engine = engine or source.engine
    gathered = source.coding(names) if engine == SPARK else _gathered(source, names, engine, progress)
    coded = {}
    for i, name in enumerate(names):
        checkpoint(f"values of {name}, column {i + 1} of {len(names)}")
        marks = missing.get(name) if isinstance(missing, Mapping) else None if missing is None else ["", *missing]
        distinct = gathered.distinct(name)  # errors here are not about the column
        try:
            found = _values(source, gathered, distinct, name, marks, types.get(name))
        except BadInput as error:
            if not isinstance(error, Empty) or name not in empty:
                wrong[name] = error.with_traceback(None)  # frames of the traceback would keep the source open
                continue
            source.notes.append(f"{name}: {NOTHING}")
            continue
        coded[name] = gathered.code(name, found)
    if wrong:
        mixed = [fault for fault in wrong.values() if isinstance(fault, Mixed)]
        markers = sorted({*source.missing_texts, *(one for fault in mixed for one in fault.markers)} - {""})
        for fault in mixed:
            fault.name_markers(markers)
        raise BadColumns({name: wrong[name] for name in wanted if name in wrong})
    checkpoint("codes of all records")
    return coded, gathered.engine()


def _gathered(source: Source, names: list[str], engine: str, progress: Callable[[int], None] | None) -> EngineBuilder:
    """Read all records of the source into an engine."""
    gathered, read = engine_builder(engine, names, source.memory_limit, source.temp_directory), 0
    batches = source.batches(names)

    def look() -> None:
        checkpoint()
        source.refuse_late()
        if progress:
            progress(read)

    # a query may run forever before its first record
    while (batch := run_interruptible(lambda: next(batches, None), source.interrupt, look)) is not None:
        gathered.add(batch)
        read += len(batch)
        look()
    return gathered


def _values(
    source: Source,
    gathered: CodeAssigner,
    distinct: pa.Array,
    name: str,
    missing: Sequence[str] | None,
    declared: str | None,
) -> Values:
    """Return the distinct values of a column, and add notes on how they were read."""
    found = find_values(
        distinct,
        source.where,
        name,
        typed=source.typed,
        missing=missing,
        declared=declared,
        first=partial(gathered.first, name),
    )
    source.missing_texts = sorted({*source.missing_texts, *found.markers} - {""})
    if found.markers:
        source.notes.append(f"{name}: {', '.join(map(repr, found.markers))} read as missing")
    source.notes += [f"{name}: {note}" for note in found.notes]
    return found


def _checked(types: Mapping[str, str], source: Source) -> Mapping[str, str]:
    for name, kind in types.items():
        if name not in source.names:
            raise BadInput(f"types: {source.where} has no column {name!r}; {suggest_column(name, source.names)}")
        try:
            parse_type(kind)
        except BadInput as error:
            failure = f"types: {name!r}: {error}"
        else:
            continue
        raise BadInput(failure)
    return types
