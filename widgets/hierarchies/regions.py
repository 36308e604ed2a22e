"""The published regions of a column: nodes or ranges, with examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.data.column import Column
from workbench.data.published import REGIONS, THRESHOLD, columns_with_regions, enclosing_nodes
from workbench.data.settings import level_range
from workbench.data.table import Table
from workbench.releases.labels import node_label, run_label

SHARE = 0.04  # share of the records in an example
PLACES = (0.0, 0.5, 1.0)  # positions of the examples among the sorted records


def shown_regions(table: Table, column: Column) -> dict[str, Any]:
    """Return the choices of a column, with examples of each, and the chosen one."""
    chosen = column.regions
    if chosen == "nodes" and not column.has_levels:
        chosen = "ranges"
    possible = [one for one in REGIONS if one != "nodes" or column.has_levels]
    return {
        "chosen": chosen,
        "choices": [{"name": one, "examples": examples(table, column, one)} for one in possible],
    }


def examples(table: Table, column: Column, regions: str) -> list[str]:
    """Return labels of classes of neighboring records; nodes are on the first level above the values."""
    name, threshold = column.name, column.threshold or THRESHOLD
    one = columns_with_regions({name: column}, {name: regions}, threshold)[name]
    low, high = _segments(one)
    if one.shows_nodes:
        lowest, highest = level_range(table, name)
        level = min(max(lowest, 1), highest)
        low, high = enclosing_nodes(one, low, low, (level, level))
        labels = [node_label(one, int(a), int(b), level) for a, b in zip(low, high, strict=True)]
    else:
        if one.ends is not None:
            low, high = one.ends.outward(low, high)
        labels = [run_label(one, int(a), int(b)) for a, b in zip(low, high, strict=True)]
    return list(dict.fromkeys(labels))


def _segments(column: Column) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last codes of some runs of records."""
    upto = np.cumsum(column.counts)
    if not len(upto):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    records, begin = int(upto[-1]), np.array(PLACES) * (1 - SHARE)
    low = np.searchsorted(upto, begin * records, side="right")
    high = np.searchsorted(upto, np.minimum((begin + SHARE) * records, records - 0.5), side="right")
    last = len(upto) - 1
    return np.minimum(low, last), np.minimum(high, last)
