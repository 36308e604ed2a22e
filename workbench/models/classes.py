"""Sizes, runs and sensitive histograms of many classes at once: all that a model sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.data.sensitive import Sensitive


@dataclass(frozen=True, eq=False, repr=False)
class Classes:
    """Arrays over classes; `low` and `high` are the codes of each class's run per quasi-identifier.

    While a method looks for classes their runs are not known yet, and left out.
    """

    sizes: np.ndarray
    histograms: dict[str, np.ndarray]
    sensitive: Mapping[str, Sensitive]
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    exact: bool = False  # quasi-identifiers are published as they are, beside the number of the class

    def __len__(self) -> int:
        return len(self.sizes)

    def distributions(self, name: str) -> np.ndarray:
        """P, the distribution of a sensitive column in each class."""
        return self.histograms[name] / self.sizes[:, None]

    def take(self, chosen: np.ndarray) -> Classes:
        """Some of the classes."""
        return replace(
            self,
            sizes=self.sizes[chosen],
            histograms={name: counts[chosen] for name, counts in self.histograms.items()},
            low=None if self.low is None else self.low[chosen],
            high=None if self.high is None else self.high[chosen],
        )

    def merged(self, number: np.ndarray) -> Classes:
        """Classes with the same number become one."""
        groups = int(number.max()) + 1
        added = {name: np.zeros((groups, h.shape[1]), h.dtype) for name, h in self.histograms.items()}
        for name, counts in self.histograms.items():
            np.add.at(added[name], number, counts)
        low = high = None
        if self.low is not None and self.high is not None:
            low = np.full((groups, self.low.shape[1]), np.iinfo(np.int32).max, np.int32)
            high = np.full_like(low, -1)
            np.minimum.at(low, number, self.low)
            np.maximum.at(high, number, self.high)
        sizes = np.bincount(number, weights=self.sizes, minlength=groups).astype(np.int64)
        return replace(self, sizes=sizes, histograms=added, low=low, high=high)
