"""A bucketized release as one flat file: a row a record, with sensitive values dealt among the records of its bucket.

Who counts its rows plainly is nearly as right about many as by the buckets. Which row has which value is drawn by the
operating system for each file, and tells nothing that the numbers of the buckets do not.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pandas as pd

from workbench.base.randomness import operating_system_random
from workbench.releases import exchanged
from workbench.releases.exchanged import Exchanged
from workbench.releases.export import Coded, Rows
from workbench.releases.giveaways import known_by
from workbench.releases.partition import Bucketized
from workbench.workloads.populations import Populations
from workbench.workloads.workload import Workload

DEALT = "no row can be relied on to show what its person has"
CAUTION = f"sensitive values were exchanged between records of the same bucket (data swapping): {DEALT}"


@dataclass(frozen=True, eq=False, repr=False)
class Flat(Bucketized):
    """Buckets whose values are those of their people; whoever estimates counts rows, of one such file."""

    caution: str = CAUTION
    in_rows: bool = True
    deal: int = 0  # the seed of the file that estimates are of

    @property
    def files(self) -> tuple[str, ...]:
        """One."""
        return ("release",)

    def rows(self) -> dict[str, Rows]:
        """The records with the number of their bucket, and values that are dealt anew."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        seed = int(operating_system_random().integers(1 << 62))
        columns = [self._column(name, seed) for name in self.table.released if name not in self.removed]
        return {"release": Rows.shuffled([*columns, Coded(self._added[0], number, self.group_of_record)])}

    def _column(self, name: str, seed: int) -> Coded:
        if name in self.table.sensitive:
            return Coded(name, self.table.published(name), self.shown(name, seed).labels)
        return Coded(name, self.table.published(name), self.table.codes[name])

    def frame(self) -> pd.DataFrame:
        """The same as a frame."""
        return self.rows()["release"].frame()

    @cached_property
    def _counted(self) -> Exchanged:
        """People who are alike in all quasi-identifiers as buckets, of what the rows of one file show of them."""
        alike, shown = known_by(self.table, self.table.quasi), dict[str, np.ndarray]()
        for name in self._published():
            values = len(self.table.sensitive[name])
            place = alike.astype(np.int64) * values + self.shown(name, self.deal).labels
            shown[name] = np.bincount(place, minlength=(int(alike.max()) + 1) * values).reshape(-1, values)
        return Exchanged.believed(self, alike, shown)

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """The rows of each population, and of each value."""
        return self._counted.estimate(populations, sensitive)

    def count(self, workload: Workload) -> np.ndarray:
        """The rows that each query asks for; who is alike in all quasi-identifiers shares values with those alike."""
        return self._counted.count(workload)


@dataclass(frozen=True, eq=False, repr=False)
class FlatExchanged(Flat, Exchanged):
    """The same of values that were exchanged between buckets before."""

    caution: str = f"{exchanged.CAUTION}; inside a bucket they were dealt at random"


def as_one_file(release: Bucketized, seed: int) -> Flat:
    """The same buckets as one file; estimates are of one that is dealt by the seed."""
    kind, own = FlatExchanged if isinstance(release, Exchanged) else Flat, {"caution", "in_rows"}
    return kind(**{one.name: getattr(release, one.name) for one in fields(release) if one.name not in own}, deal=seed)
