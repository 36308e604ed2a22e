"""A bucketized release whose sensitive values were exchanged between records of different buckets (data swapping).

What a bucket publishes of a sensitive column is no count of its members. Quasi-identifiers and totals are true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.base import Release
from workbench.releases.joint import Joint, of_histograms
from workbench.releases.partition import Bucketized
from workbench.workloads.workload import Workload

CAUTION = (
    "sensitive values were exchanged between records of different buckets (data swapping): what a bucket publishes is "
    "no count of its members, and no row can be relied on to show what its person has"
)


@dataclass(frozen=True, eq=False, repr=False)
class Exchanged(Bucketized):
    """`seats` says how often each bucket has each value of each sensitive column, in place of its records' values."""

    seats: Mapping[str, np.ndarray] = field(default_factory=dict)
    truthful: bool = False
    caution: str = CAUTION

    @classmethod
    def of(cls, table: Table, group: np.ndarray, seats: Mapping[str, np.ndarray], guarantee: str = "") -> Exchanged:
        """By the bucket of each of the table's cells."""
        return cls(table, table.cells(), group, seats=seats, guarantee=guarantee)

    @classmethod
    def believed(cls, release: Release, unit: np.ndarray, expected: Mapping[str, np.ndarray]) -> Exchanged:
        """A bucketized release with finer buckets, the unit of each record, of which so many are expected to have each
        value; nothing is published of it."""
        assert isinstance(release, Bucketized)
        parts, table, classes = release.parts, release.table, len(release.classes)
        cell = np.arange(len(release.cells)) if parts is None else parts[0]
        of_record = table.cell_of_record(release.others).astype(np.int64) * classes + release.group_of_record
        known, first = np.unique(of_record, return_index=True)
        entry = np.searchsorted(known, cell.astype(np.int64) * classes + release.group_of_entry)
        removed = release.removed | {name for name in table.sensitive if name not in expected}
        group = unit[first[entry]].astype(np.int32)
        return cls(table, release.cells, group, removed, release.others, parts, seats=expected)

    @cached_property
    def classes(self) -> Classes:
        """The buckets, with what they publish."""
        return replace(self._regions, histograms={name: self.seats[name] for name in self._published()})

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """The people of each bucket, one column a value: whoever they are, they count alike for each value."""
        people = super().people_of_classes()
        return people if sensitive is None else people * self.classes.distributions(sensitive)

    def joint(self, names: Sequence[str], original: bool = False) -> Joint:
        """The published records by bucket and by columns that are told of each record unchanged."""
        if not original and any(name in self._published() for name in names):
            return of_histograms(self, names)
        return super().joint(names, original)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most that the truth may be; Undefined where a query asks about what was exchanged."""
        if asked := [name for name in workload.columns if name in self._published()]:
            raise Undefined(
                f"the values of {', '.join(asked)} were exchanged between buckets, so what is published bounds no true "
                "answer; ask without conditions on sensitive columns"
            )
        return super().bounds(workload)

    def without(self, gone: np.ndarray) -> Exchanged:
        """Nobody can be left out: the values of a bucket are of people in other buckets, too."""
        raise Undefined("its values were exchanged between buckets, so no bucket can be left out")

    def _sensitive_of_records(self, name: str) -> np.ndarray:
        return self.shown(name).labels
