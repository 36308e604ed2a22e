"""A bucketized release as one flat file: one row per record, with sensitive values assigned at random inside its
bucket.

Counting rows is nearly as accurate for large groups as using the buckets. The operating system draws the assignment for
each file, which discloses nothing beyond the buckets.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench.base.randomness import operating_system_random
from workbench.queries.populations import Populations
from workbench.queries.workload import Workload
from workbench.releases import exchanged
from workbench.releases.exchanged import Exchanged
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.partition import Bucketized
from workbench.releases.side_information import number_combinations

DEALT = "no row can be relied on to show its person's value"
CAUTION = f"sensitive values were exchanged between records of the same bucket (data swapping): {DEALT}"


@dataclass(frozen=True, eq=False, repr=False)
class Flat(Bucketized):
    """Buckets in one flat file; estimates count the rows of one such file."""

    warning: str = CAUTION
    is_assigned_per_file: bool = True
    deal: int = 0  # the seed of the file that estimates use

    @property
    def files(self) -> tuple[str, ...]:
        """The name of the only file."""
        return ("release",)

    @property
    def layout(self) -> dict[str, Any]:  # type: ignore[override]
        return super().layout | {"kind": "one file"}

    def rows(self) -> dict[str, Rows]:
        """Return the records with the number of their bucket, and newly assigned values."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        seed = int(operating_system_random().integers(1 << 62))
        columns = [self._column(name, seed) for name in self.table.released if name not in self.unpublished_columns]
        return {"release": Rows.shuffled([*columns, CodedColumn(self._added[0], number, self.group_of_record)])}

    def _column(self, name: str, seed: int) -> CodedColumn:
        if name in self.table.sensitive:
            return CodedColumn(name, self.table.published(name), self.shown(name, seed).labels)
        return CodedColumn(name, self.table.published(name), self.table.codes[name])

    def frame(self) -> pd.DataFrame:
        """Return the rows as a frame."""
        return self.rows()["release"].frame()

    @cached_property
    def counted(self) -> Exchanged:
        """A release with people of identical quasi-identifiers as buckets, and the values that the rows of one file
        show of them."""
        alike, shown = number_combinations(self.table, self.table.quasi), dict[str, np.ndarray]()
        for name in self._published():
            values = len(self.table.sensitive[name])
            place = alike.astype(np.int64) * values + self.shown(name, self.deal).labels
            shown[name] = np.bincount(place, minlength=(int(alike.max()) + 1) * values).reshape(-1, values)
        return Exchanged.believed(self, alike, shown)

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Return the number of rows per population and value."""
        return self.counted.estimate(populations, sensitive)

    def count(self, workload: Workload) -> np.ndarray:
        """Return the answers by counting rows; people with identical quasi-identifiers share their values."""
        return self.counted.count(workload)


@dataclass(frozen=True, eq=False, repr=False)
class FlatExchanged(Flat, Exchanged):
    """A flat release whose sensitive values were also swapped between buckets."""

    warning: str = f"{exchanged.CAUTION}; inside a bucket they were assigned at random"


def as_one_file(release: Bucketized, seed: int) -> Flat:
    """Return the same buckets as one flat file; estimates use the file that is assigned by the seed."""
    kind, own = FlatExchanged if isinstance(release, Exchanged) else Flat, {"warning", "is_assigned_per_file"}
    return kind(**{one.name: getattr(release, one.name) for one in fields(release) if one.name not in own}, deal=seed)
