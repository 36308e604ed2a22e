"""Records and codes: hierarchies bound to columns, records with missing values left out, values back from codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, at, said
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Columns
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.hierarchies.matching import key, keys


def decode(column: Column, codes: np.ndarray) -> pd.Series:
    """A column's values back from its codes."""
    whole = column.missing and column.values.dtype.kind == "i"
    values = pd.Series(column.values, dtype="Int64" if whole else None)
    return values.reindex(codes).reset_index(drop=True)  # a code past the values is missing


def without_missing(
    columns: dict[str, Column], codes: dict[str, np.ndarray]
) -> tuple[dict[str, Column], dict[str, np.ndarray]]:
    """Only the records with no missing value."""
    keep = np.ones(len(next(iter(codes.values()))), bool)
    for name, column in columns.items():
        if column.missing:
            keep &= codes[name] < len(column.values)
    if not keep.any():
        raise BadInput(
            "every record has a missing value, so drop_missing leaves nothing; keep them, or leave columns out"
        )
    return _kept(columns, codes, keep)


def only_those(
    columns: dict[str, Column], codes: dict[str, np.ndarray], wanted: Mapping[str, object]
) -> tuple[dict[str, Column], dict[str, np.ndarray]]:
    """Only the records that have all of these values, one a column; no message repeats or lists a value."""
    keep = np.ones(len(next(iter(codes.values()))), bool)
    for name, label in wanted.items():
        known = {k: code for code, k in enumerate(keys(columns[name]))}
        code = known.get(key(str(label), columns[name].kind))
        if code is None:
            with at("only", name):
                raise BadInput(f"no record has the value that is asked for in {name!r}; correct its spelling")
        keep &= codes[name] == code
    if not keep.any():
        raise BadInput(f"no record has all the values that are asked for in {', '.join(wanted)}; ask for fewer")
    return _kept(columns, codes, keep)


def _kept(
    columns: dict[str, Column], codes: dict[str, np.ndarray], keep: np.ndarray
) -> tuple[dict[str, Column], dict[str, np.ndarray]]:
    """These records; values that no longer occur lose their code."""
    if keep.all():
        return columns, codes
    kept_columns, kept_codes = {}, {}
    for name, column in columns.items():
        kept = codes[name][keep]
        counts = np.bincount(kept, minlength=column.size)
        there = np.flatnonzero(counts[: len(column.values)])
        recode = np.full(column.size, len(there), codes[name].dtype)  # missing comes last
        recode[there] = np.arange(len(there))
        kept_codes[name] = recode[kept]
        kept_columns[name] = replace(
            column,
            values=column.values[there],
            labels=tuple(column.labels[i] for i in there),
            counts=counts[there],
            missing=int(counts[len(column.values) :].sum()),
            hierarchy=column.hierarchy.restricted(there) if column.hierarchy else None,
        )
    return kept_columns, kept_codes


def arrange(
    columns: dict[str, Column],
    codes: dict[str, np.ndarray],
    hierarchies: Mapping[str, Hierarchy | Callable[[Column], Hierarchy]],
) -> tuple[dict[str, Column], dict[str, np.ndarray]]:
    """Bind each hierarchy to its column, and bring the codes into its leaf order."""
    columns, codes = dict(columns), dict(codes)
    for name, given in hierarchies.items():
        build = Columns(given.frame()) if isinstance(given, Hierarchy) else given
        if not callable(build) or isinstance(build, type):
            raise BadInput(
                f"column {name!r}: {said(build)} is no hierarchy; give a builder such as Intervals(widths=(5, 10)), "
                "or read_csv(path) of workbench.data.hierarchies.builders"
            )
        hierarchy = build(columns[name])
        columns[name], recode = columns[name].arranged(hierarchy)
        codes[name] = recode.astype(codes[name].dtype)[codes[name]]
    return columns, codes
