"""Add values without records to a table's columns, such as values that only a synthetic file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy, Level, Misfit
from workbench.data.hierarchies.matching import key

if TYPE_CHECKING:
    from workbench.data.table import Table


def with_values(table: Table, unseen: Mapping[str, Sequence[str]]) -> Table:
    """Return the table with more values in some columns, without records.

    Numbers and dates are inserted in order, text in the hierarchy nodes that list it; any other text value becomes a
    node of its own at every level.
    """
    columns, recodes = dict(table.columns), {}
    for name, labels in unseen.items():
        column = columns[name]
        if table.levels.get(name, 0):
            raise BadInput(
                f"column {name!r}: {len(labels):,} labels do not exist at the model level of the original; publish "
                "labels of this level"
            )
        columns[name], recodes[name] = _with_values(column, labels)
    return replace(table, columns=columns, engine=table.engine.mapped(recodes), _memory={}, _locks={})


def _with_values(column: Column, labels: Sequence[str]) -> tuple[Column, np.ndarray]:
    """Return the column with more values, and the new code of each old one."""
    values = np.concatenate([column.values, _values(column, labels)])
    order = np.argsort(values, kind="stable")
    names = (*column.labels, *labels)
    counts = np.append(column.counts, np.zeros(len(labels), column.counts.dtype))
    bare = replace(
        column, values=values[order], labels=tuple(names[i] for i in order), counts=counts[order], hierarchy=None
    )
    if column.hierarchy is not None:
        bare, _ = bare.arranged(_hierarchy(column.hierarchy, bare, labels))
    place = {label: code for code, label in enumerate(bare.labels)}
    recode = [place[label] for label in column.labels]
    return bare, np.array([*recode, len(bare.values)] if column.missing else recode, np.int64)


def _values(column: Column, labels: Sequence[str]) -> np.ndarray:
    """Parse labels as values of the column's type, or of a finer one."""
    if column.kind == "text":
        return np.array(labels, object)
    meant = np.array([key(label, column.kind) for label in labels])
    if column.kind == "number":
        return meant
    moments = meant.astype("datetime64[us]")
    days = moments.astype("datetime64[D]")
    return days.astype(column.values.dtype) if (days == moments).all() else moments


def _hierarchy(hierarchy: Hierarchy, column: Column, labels: Sequence[str]) -> Hierarchy:
    """Extend the hierarchy to more values."""
    alone: list[str] = []
    if hierarchy.builder is None:
        alone = [*labels]
    else:
        try:
            return replace(hierarchy.builder(column), builder=hierarchy.builder)
        except Misfit as misfit:
            if misfit.what != "unlisted" or column.kind != "text":
                raise
            alone = [*misfit.values]
            listed = [i for i, label in enumerate(column.labels) if label not in {*alone}]
            values, names = column.values[listed], tuple(column.labels[i] for i in listed)
            some = replace(column, values=values, labels=names, counts=column.counts[listed])
            hierarchy = replace(hierarchy.builder(some), builder=hierarchy.builder)
    if column.kind != "text":
        raise BadInput(
            f"column {column.name!r}: the hierarchy does not list {len(alone):,} of its values; list them too"
        )
    size = len(hierarchy.leaves)
    levels = tuple(
        Level(
            np.append(level.starts, size + np.arange(len(alone))).astype(np.int32),
            (*level.labels, *alone),
            np.append(hierarchy.below(j), np.ones(len(alone), np.int64)),
        )
        for j, level in enumerate(hierarchy.levels)
    )
    return Hierarchy((*hierarchy.leaves, *alone), levels, hierarchy.whole + len(alone), hierarchy.builder)
