"""From a source to coded columns: one pass over the records, then distinct values are typed and sorted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from workbench.base.errors import BadColumns, BadInput, columns_meant
from workbench.base.progress import step, stoppable
from workbench.data.column import Column
from workbench.data.engines import Engine, gathering
from workbench.data.reading.source import Source
from workbench.data.reading.value_types import KINDS, Empty, find_values


def encode(
    source: Source,
    columns: Sequence[str] | None = None,
    *,
    missing: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    types: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
    empty: Collection[str] = (),
    engine: str = "memory",
) -> tuple[dict[str, Column], Engine]:
    """The columns, and the engine that holds the code of every record.

    `missing` lists the text that stands for a missing value, in all columns or by column, `types` the kind of columns
    whose kind is known;
    a column with nothing but missing values is refused, or left out with a note if it is among `empty`;
    `progress` is called with the number of records read so far, also while none comes, and may raise to stop.
    """
    wanted = list(dict.fromkeys(source.names if columns is None else columns))
    types = _checked(types or {}, source)
    wrong = source.unreadable(wanted)
    names = [name for name in wanted if name not in wrong]
    if wrong and not names:
        raise BadColumns(wrong)
    gathered = gathering(engine, names, source.memory_limit, source.temp_directory)
    read = 0
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
    coded = {}
    for name in names:
        try:
            found = find_values(
                gathered.distinct(name),
                source.where,
                name,
                typed=source.typed,
                missing=missing.get(name) if isinstance(missing, Mapping) else missing,
                declared=types.get(name),
                first=lambda values, name=name: gathered.first(name, values),  # type: ignore[misc]
            )
        except BadInput as error:
            if not isinstance(error, Empty) or name not in empty:
                wrong[name] = str(error)
                continue
            source.notes.append(f"{name}: nothing but missing values, left out")
            continue
        if found.markers:
            source.notes.append(f"{name}: {', '.join(map(repr, found.markers))} read as missing")
        source.notes += [f"{name}: {note}" for note in found.notes]
        coded[name] = gathered.code(name, found)
    if wrong:
        raise BadColumns({name: wrong[name] for name in wanted if name in wrong})
    return coded, gathered.engine()


def _checked(types: Mapping[str, str], source: Source) -> Mapping[str, str]:
    for name, kind in types.items():
        if name not in source.names:
            raise BadInput(f"types: {source.where} has no column {name!r}; {columns_meant(name, source.names)}")
        if kind not in KINDS:
            raise BadInput(f"types: {name!r} is declared {kind!r}; a column is one of {', '.join(map(repr, KINDS))}")
    return types
