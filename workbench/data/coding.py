"""Records and codes: bind hierarchies to columns, select records, decode values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.data.column import Column
from workbench.data.engines import Engine
from workbench.data.hierarchies.builders import Columns
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.hierarchies.matching import key, keys


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
                f"column {name!r}: {safe_repr(build)} is not a hierarchy; give a builder such as "
                f"Intervals(widths=(5, 10)), "
                "or read_csv(path) of workbench.data.hierarchies.builders"
            )
        hierarchy = replace(build(columns[name]), builder=build)
        columns[name], recodes[name] = columns[name].arranged(hierarchy)
    return columns, engine.mapped(recodes)


def ascending(column: Column) -> Hierarchy:
    """Return a hierarchy without levels; text is sorted, other values keep their order."""
    return Hierarchy(tuple(sorted(column.labels)) if column.kind == "text" else column.labels)
