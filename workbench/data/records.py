"""Records and codes: bind hierarchies to columns, select records, decode values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, TooMany, prefix_path, safe_repr
from workbench.base.result_cache import ResultCache
from workbench.data.column import Column, pad_rows
from workbench.data.engines import Engine
from workbench.data.engines.memory import Memory
from workbench.data.hierarchies.builders import Columns
from workbench.data.hierarchies.hierarchy import Hierarchy, key, keys
from workbench.data.population import AbsentValues
from workbench.redaction.controlled_rounding import describe_part

if TYPE_CHECKING:
    from workbench.data.table import Table


def decode(column: Column, codes: np.ndarray) -> pd.Series:
    """Return the values of a column for some codes."""
    whole = column.missing and column.values.dtype.kind == "i"
    values = pd.Series(column.values, dtype="Int64" if whole else None)
    return values.reindex(codes).reset_index(drop=True)  # a code past the values is missing


def without_missing(columns: dict[str, Column], engine: Engine) -> tuple[dict[str, Column], Engine]:
    """Select the records without missing values."""
    kept = _select(columns, engine, _known_codes(columns))
    if not kept[1].records:
        raise BadInput(
            "every record has a missing value, so drop_missing would drop all of them; set drop_missing=False, or "
            "remove columns with many missing values"
        )
    return kept


def count_incomplete(table: Table) -> int:
    """Return the number of records with a missing value."""
    return table.remember("incomplete", lambda: table.records - complete(table.columns, table.engine))


def published_values(table: Table, name: str) -> pd.Series:
    """Return the published value of each code of a column without generalization.

    A sensitive column has the labels of its model level.
    """
    if table.levels.get(name, 0):
        return pd.Series(table.sensitive[name].labels, dtype=object)
    return decode(table.columns[name], np.arange(table.columns[name].size))


def edges_of_quasi(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Return the left and right edge of each code's interval, quasi-identifiers x codes, padded with zeros."""

    def edges() -> tuple[np.ndarray, np.ndarray]:
        left, right = zip(*(table.columns[name].edges for name in table.quasi), strict=True)
        return pad_rows(left), pad_rows(right)

    return table.remember("edges", edges)


def positions_of_quasi(table: Table) -> np.ndarray:
    """Return the position of each code, quasi-identifiers x codes, padded with zeros."""
    return table.remember("positions", lambda: pad_rows([table.columns[name].positions for name in table.quasi]))


def complete(columns: dict[str, Column], engine: Engine) -> int:
    """Count the records without missing values."""
    known = _known_codes(columns)
    return engine.select(list(known)).mapped(_left_out(known)).records if known else engine.records


def _known_codes(columns: dict[str, Column]) -> dict[str, np.ndarray]:
    return {name: np.arange(column.size) < len(column.values) for name, column in columns.items() if column.missing}


def select_records(
    columns: dict[str, Column], engine: Engine, wanted: Mapping[str, object]
) -> tuple[dict[str, Column], Engine]:
    """Select the records with all of these values, one per column. Messages do not repeat or list values."""
    having = {}
    for name, label in wanted.items():
        known = {k: code for code, k in enumerate(keys(columns[name]))}
        code = known.get(key(str(label), columns[name].kind))
        if code is None:
            with prefix_path("only", name):
                raise BadInput(f"no record has the value requested for {name!r}; check its spelling")
        having[name] = np.arange(columns[name].size) == code
    kept = _select(columns, engine, having)
    if not kept[1].records:
        raise BadInput(f"no record has all of the values requested for {', '.join(wanted)}; request fewer of them")
    return kept


def _select(
    columns: dict[str, Column], engine: Engine, having: Mapping[str, np.ndarray]
) -> tuple[dict[str, Column], Engine]:
    """Select the records with these codes."""
    kept = engine.mapped(_left_out(having))
    return (columns, engine) if kept.records == engine.records else occurring(columns, kept)


def occurring(columns: dict[str, Column], kept: Engine) -> tuple[dict[str, Column], Engine]:
    """Remove the codes of values that no longer occur."""
    kept_columns, recodes = {}, {}
    for name, column in columns.items():
        counts = kept.counts(name, column.size)
        present = np.flatnonzero(counts[: len(column.values)])
        recodes[name] = np.full(column.size, len(present))  # missing comes last
        recodes[name][present] = np.arange(len(present))
        kept_columns[name] = replace(
            column,
            values=column.values[present],
            labels=tuple(column.labels[i] for i in present),
            counts=counts[present],
            missing=int(counts[len(column.values) :].sum()),
            hierarchy=column.hierarchy.restricted(present) if column.hierarchy else None,
        )
    return kept_columns, kept.mapped(recodes)


def _left_out(having: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Map the codes to themselves, and those of other records to -1."""
    return {name: np.where(codes, np.arange(len(codes)), -1) for name, codes in having.items()}


def arrange(
    columns: dict[str, Column],
    engine: Engine,
    hierarchies: Mapping[str, Hierarchy | Callable[[Column], Hierarchy]],
) -> tuple[dict[str, Column], Engine]:
    """Bind each hierarchy to its column, and sort the codes by its leaves."""
    columns, recodes = dict(columns), dict[str, np.ndarray]()
    for name, given in hierarchies.items():
        build = Columns(given.frame()) if isinstance(given, Hierarchy) else given
        if not callable(build) or isinstance(build, type):
            raise BadInput(
                f"column {name!r}: {safe_repr(build)} is not a hierarchy; use a builder such as "
                f"Intervals(widths=(5, 10)), "
                "or read_csv(path) of workbench.data.hierarchies.builders"
            )
        hierarchy = replace(build(columns[name]), builder=build)
        columns[name], recodes[name] = columns[name].arranged(hierarchy)
    return columns, engine.mapped(recodes)


def ascending(column: Column) -> Hierarchy:
    """Return a hierarchy without levels; text is sorted, other values keep their order."""
    return Hierarchy(tuple(sorted(column.labels)) if column.kind == "text" else column.labels)


# Random samples of a table's records, with the same columns, roles and hierarchies.


class Sampled(NamedTuple):
    """The number of records that were drawn at random without replacement, and the number they were drawn from."""

    records: int
    of: int

    def __str__(self) -> str:
        return f"a random sample of {self.records:,} of {self.of:,} records"

    def describe(self, smallest: int) -> str:
        """Return the description with counts rounded for publication."""
        return f"a random sample of {describe_part(self.records, self.of, smallest, 'record', 'records')}"


def sample(table: Table, records: int, seed: int = 0) -> Table:
    """Draw records at random into memory; a table with no more records than that is returned whole."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        raise BadInput(f"sample: must be a whole number of records, at least 1, got {safe_repr(records)}")
    if table.records > records:
        found = _with_codes(table, table.engine.drawn(records, seed))
        whole = table.origin.sampled is not None and table.origin.sampled.records == table.records
        drawn = Sampled(
            records, table.origin.sampled.of if table.origin.sampled is not None and whole else table.records
        )
        return replace(found, origin=replace(found.origin, sampled=drawn), notes=(*table.notes, str(drawn)))
    return table if table.engine.in_memory else _with_codes(table, table.engine.drawn(table.records, seed))


def resample(table: Table, seed: int) -> Table:
    """Draw as many records as the table has, with replacement (the bootstrap)."""
    table.engine.require_memory("records are drawn one by one")
    drawn = np.sort(np.random.default_rng(seed).integers(0, table.records, table.records))
    return _with_codes(table, {name: codes[drawn] for name, codes in table.codes.items()})


def subsample(table: Table, records: int, seed: int) -> Table:
    """Draw records without replacement, without a note that they are a sample."""
    table.engine.require_memory("records are drawn one by one")
    drawn = np.sort(np.random.default_rng(seed).choice(table.records, records, replace=False))
    return _with_codes(table, {name: codes[drawn] for name, codes in table.codes.items()})


def _with_codes(table: Table, codes: dict[str, np.ndarray]) -> Table:
    columns, engine = occurring(table.columns, Memory(codes))
    return replace(table, columns=columns, engine=engine, remember=ResultCache())


# A digest of a table's content, roles and hierarchies, for keys. It is never published.


def fingerprint(table: Table) -> str:
    """Return a digest that differs whenever a release, or a figure of one, may differ."""

    def digest() -> str:
        found = _outline(table)
        for part in table.engine.content():
            found.update(part)
        return found.hexdigest()

    return table.remember("fingerprint", digest)


def has_same_data(one: Table, other: Table) -> bool:
    """Return whether two tables have the same content in the same roles.

    Engines compute different digests, so tables of two engines are compared by their cells, if these fit into memory.
    """
    if type(one.engine) is type(other.engine) or _outline(one).digest() != _outline(other).digest():
        return fingerprint(one) == fingerprint(other)
    if not all(np.array_equal(one.columns[name].totals, other.columns[name].totals) for name in one.columns):
        return False
    try:
        return all(map(np.array_equal, _content(one), _content(other)))
    except TooMany:
        return True


def _content(table: Table) -> list[np.ndarray]:
    cells = table.cells()
    return [cells.quasi, *cells.others.values(), cells.weight]


def _outline(table: Table) -> hashlib.blake2b:
    """Start a digest with the columns, without the records."""
    digest = hashlib.blake2b(digest_size=20)
    for name, column in table.columns.items():
        spec = column.hierarchy.spec() if column.hierarchy else None
        about = (name, column.kind, table.roles[name], table.levels.get(name, 0), column.value_labels(), spec)
        digest.update(repr(about).encode())
        if column.regions != "exact" and table.roles[name] == "quasi":
            digest.update(f"regions {column.regions} {column.threshold}".encode())
        if name in table.settings.level_ranges:
            digest.update(repr(table.settings.level_ranges[name]).encode())
        if name in table.settings.importance:
            digest.update(f"importance {table.settings.importance[name]}".encode())
    if table.origin.sampled is not None:
        digest.update(repr(table.origin.sampled).encode())
    if table.origin.population is not None:
        digest.update(fingerprint(table.origin.population).encode())
        for values in AbsentValues.from_tables(table.origin.population, table):
            digest.update(repr(values.nodes.tolist()).encode())
    return digest
