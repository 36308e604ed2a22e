"""Records and codes: hierarchies bound to columns, records with missing values left out, values back from codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, at, said
from workbench.data.column import Column
from workbench.data.engines import Engine
from workbench.data.hierarchies.builders import Columns
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.hierarchies.matching import key, keys


def decode(column: Column, codes: np.ndarray) -> pd.Series:
    """A column's values back from its codes."""
    whole = column.missing and column.values.dtype.kind == "i"
    values = pd.Series(column.values, dtype="Int64" if whole else None)
    return values.reindex(codes).reset_index(drop=True)  # a code past the values is missing


def without_missing(columns: dict[str, Column], engine: Engine) -> tuple[dict[str, Column], Engine]:
    """Only the records with no missing value."""
    kept = _kept(columns, engine, _known(columns))
    if not kept[1].records:
        raise BadInput(
            "every record has a missing value, so drop_missing leaves nothing; keep them, or leave columns out"
        )
    return kept


def complete(columns: dict[str, Column], engine: Engine) -> int:
    """The number of records with no missing value."""
    known = _known(columns)
    return engine.select(list(known)).mapped(_left_out(known)).records if known else engine.records


def _known(columns: dict[str, Column]) -> dict[str, np.ndarray]:
    return {name: np.arange(column.size) < len(column.values) for name, column in columns.items() if column.missing}


def only_those(
    columns: dict[str, Column], engine: Engine, wanted: Mapping[str, object]
) -> tuple[dict[str, Column], Engine]:
    """Only the records that have all of these values, one a column; no message repeats or lists a value."""
    having = {}
    for name, label in wanted.items():
        known = {k: code for code, k in enumerate(keys(columns[name]))}
        code = known.get(key(str(label), columns[name].kind))
        if code is None:
            with at("only", name):
                raise BadInput(f"no record has the value that is asked for in {name!r}; correct its spelling")
        having[name] = np.arange(columns[name].size) == code
    kept = _kept(columns, engine, having)
    if not kept[1].records:
        raise BadInput(f"no record has all the values that are asked for in {', '.join(wanted)}; ask for fewer")
    return kept


def _kept(
    columns: dict[str, Column], engine: Engine, having: Mapping[str, np.ndarray]
) -> tuple[dict[str, Column], Engine]:
    """The records with these codes."""
    kept = engine.mapped(_left_out(having))
    return (columns, engine) if kept.records == engine.records else occurring(columns, kept)


def occurring(columns: dict[str, Column], kept: Engine) -> tuple[dict[str, Column], Engine]:
    """The columns of some of their records; values that no longer occur lose their codes."""
    kept_columns, recodes = {}, {}
    for name, column in columns.items():
        counts = kept.counts(name, column.size)
        there = np.flatnonzero(counts[: len(column.values)])
        recodes[name] = np.full(column.size, len(there))  # missing comes last
        recodes[name][there] = np.arange(len(there))
        kept_columns[name] = replace(
            column,
            values=column.values[there],
            labels=tuple(column.labels[i] for i in there),
            counts=counts[there],
            missing=int(counts[len(column.values) :].sum()),
            hierarchy=column.hierarchy.restricted(there) if column.hierarchy else None,
        )
    return kept_columns, kept.mapped(recodes)


def _left_out(having: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every code as it is, but those that no record may have."""
    return {name: np.where(codes, np.arange(len(codes)), -1) for name, codes in having.items()}


def arrange(
    columns: dict[str, Column],
    engine: Engine,
    hierarchies: Mapping[str, Hierarchy | Callable[[Column], Hierarchy]],
) -> tuple[dict[str, Column], Engine]:
    """Bind each hierarchy to its column, and bring the codes into its leaf order."""
    columns, recodes = dict(columns), dict[str, np.ndarray]()
    for name, given in hierarchies.items():
        build = Columns(given.frame()) if isinstance(given, Hierarchy) else given
        if not callable(build) or isinstance(build, type):
            raise BadInput(
                f"column {name!r}: {said(build)} is not a hierarchy; give a builder such as Intervals(widths=(5, 10)), "
                "or read_csv(path) of workbench.data.hierarchies.builders"
            )
        hierarchy = build(columns[name])
        columns[name], recodes[name] = columns[name].arranged(hierarchy)
    return columns, engine.mapped(recodes)


def ascending(column: Column) -> Hierarchy:
    """No levels, and the values in the order in which they were read."""
    return Hierarchy(tuple(sorted(column.labels)) if column.kind == "text" else column.labels)
