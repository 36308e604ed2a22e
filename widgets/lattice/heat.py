"""A heat map of many nodes: their numbers by height and loss, and the best that satisfies the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from workbench.measures import Measure

BINS = 24


@dataclass(frozen=True, eq=False)
class Heat:
    """The non-empty fields: height (sum of levels), bin of the measure, number of nodes, number that satisfies the
    model, and the best of these."""

    height: np.ndarray
    bin: np.ndarray
    count: np.ndarray
    keeping: np.ndarray
    best: np.ndarray
    efficient: np.ndarray  # whether the best one is
    edges: np.ndarray

    def shown(self) -> dict[str, Any]:
        """Return plain data for the view."""
        return {
            "fields": [
                {"x": int(x), "y": int(y), "count": int(n), "keeping": int(k), "efficient": bool(e)}
                for x, y, n, k, e in zip(self.height, self.bin, self.count, self.keeping, self.efficient, strict=True)
            ],
            "edges": [float(edge) for edge in self.edges],
        }


def heat_of(frame: pd.DataFrame, columns: Sequence[str], shade: Measure) -> Heat:
    """Compute the heat map of a lattice by a measure."""
    value, keeps = frame[shade.key].to_numpy(float), frame["keeps"].to_numpy(bool)
    known = value[np.isfinite(value)]
    edges = np.linspace(known.min(), known.max(), BINS + 1) if len(known) else np.linspace(0, 1, BINS + 1)
    filled = np.where(np.isfinite(value), value, edges[-1])
    bins = np.clip(np.searchsorted(edges, filled, side="right") - 1, 0, BINS - 1)
    height = frame[list(columns)].to_numpy().sum(axis=1)
    field = height * BINS + bins
    loss = filled if shade.better == "lower" else -filled
    efficient = frame["efficient"].to_numpy(bool)
    order = np.lexsort([loss, ~efficient, ~keeps, field])
    first = np.flatnonzero(np.diff(field[order], prepend=-1))
    count = np.diff(np.append(first, len(order)))
    best = order[first]
    keeping = np.add.reduceat(keeps[order].astype(np.int64), first)
    return Heat(height[best], bins[best], count, keeping, best, efficient[best] & keeps[best], edges)
