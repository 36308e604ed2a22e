"""Prices of what clusters publish, as integer lookup tables for the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.column import Column
from workbench.data.table import Table
from workbench.measures.privacy.s_diversity import contributions
from workbench.measures.utility.q_diversity import is_measured_in_widths, nodes
from workbench.methods.clustering.cluster_kernels import NODES, VALUES, WIDTH

WHOLE = 2**30  # the price of a cluster that shows no detail and has one sensitive value


@dataclass(frozen=True, eq=False)
class Prices:
    """`tables` are those of the cluster kernels; `near` and `scale` belong to the sensitive columns, if these count."""

    tables: tuple[np.ndarray, ...]
    depth: np.ndarray  # the number of levels or values of each attribute
    near: np.ndarray  # sensitive columns x values x values
    scale: np.ndarray  # the cost of S-diversity 1 of each sensitive column

    @classmethod
    def from_table(cls, table: Table, utility: float, protection: float, r: float, by_height: bool = False) -> Prices:
        """Return prices by Q-diversity and S-diversity, or by node heights (Byun et al.); the weights add up to 1."""
        weights = WHOLE * utility * table.weights_of_quasi / table.weights_of_quasi.sum()
        columns = [table.columns[name] for name in table.quasi]
        made = [_of_column(column, weight, by_height) for column, weight in zip(columns, weights, strict=True)]
        depth = max(len(at) for _, at, _ in made)
        place, begin = np.zeros((len(made), depth), np.int64), 0
        for a, (_, at, _) in enumerate(made):
            place[a, : len(at)] = begin + np.arange(len(at)) * at.shape[1]
            begin += at.size
        tables = (
            np.array([kind for kind, _, _ in made], np.int8),
            np.array([column.size for column in columns], np.int32),
            np.concatenate([at.ravel() for _, at, _ in made]).astype(np.int32),
            np.concatenate([price.ravel() for _, _, price in made]).astype(np.int32),
            place,
        )
        levels = [
            len(at) if kind == NODES else column.size for (kind, at, _), column in zip(made, columns, strict=True)
        ]
        return cls(tables, np.array(levels), *_of_sensitive(table, protection, r))

    @property
    def names(self) -> int:
        """The number of sensitive columns that count."""
        return len(self.scale)


def _of_column(column: Column, weight: float, by_height: bool) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the kind of an attribute, and for each level the node and the price of each code."""
    if is_measured_in_widths(column):
        at = column.positions
        return WIDTH, np.zeros((1, column.size)), np.rint(weight * at / (at[-1] or 1.0))[None, :]
    if column.hierarchy is None:
        counts = np.minimum(np.arange(max(column.size, 2) + 1), column.size)
        each = np.rint(weight / max(column.size - by_height, 1))
        return VALUES, np.zeros((1, len(counts))), each * np.maximum(counts - by_height, 0)[None, :]
    at, below = nodes(column)
    kept = _nested(at)
    at, share = at[kept], below[kept] / column.whole
    if by_height:
        share = np.repeat(np.arange(len(at)) / max(len(at) - 1, 1), column.size).reshape(at.shape)
    return NODES, at, np.rint(weight * share)


def _nested(at: np.ndarray) -> list[int]:
    """Return the levels that nest, from the values to the root; skip a level that does not nest in those above."""
    kept = [len(at) - 1]
    for level in reversed(range(len(at) - 1)):
        ends = np.flatnonzero(np.diff(at[kept[-1]]))
        if (np.diff(at[level])[ends] != 0).all():
            kept.append(level)
    return kept[::-1]


def _of_sensitive(table: Table, protection: float, r: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the contributions of values, padded to the longest column, and the cost of S-diversity 1."""
    names = list(table.sensitive) if protection else []
    most = max((len(table.sensitive[name]) for name in names), default=0)
    near = np.zeros((len(names), most, most))
    for s, name in enumerate(names):
        found = contributions(table, name, r)
        near[s, : len(found), : len(found)] = found
    return near, np.full(len(names), WHOLE * protection / max(len(names), 1))
