"""A bucketized release whose sensitive values were swapped between records of different buckets (data swapping).

The values that a bucket publishes are not those of its members. Quasi-identifiers and totals are true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.queries.workload import Workload
from workbench.releases.base import Release
from workbench.releases.class_counts import ClassCounts, counts_from_histograms
from workbench.releases.partition import Bucketized

CAUTION = (
    "sensitive values were exchanged between records of different buckets (data swapping): the counts of a bucket are "
    "not those of its members, and no row can be relied on to show its person's value"
)


@dataclass(frozen=True, eq=False, repr=False)
class Exchanged(Bucketized):
    """Buckets with `seats`: how often each bucket has each value of each sensitive column, instead of its records'
    values."""

    seats: Mapping[str, np.ndarray] = field(default_factory=dict)
    is_truthful: bool = False
    warning: str = CAUTION

    @classmethod
    def from_cells(
        cls, table: Table, group: np.ndarray, seats: Mapping[str, np.ndarray], guarantee: str = ""
    ) -> Exchanged:
        """Build from the bucket of each of the table's cells."""
        return cls(table, table.cells(), group, seats=seats, guarantee=guarantee)

    @classmethod
    def believed(cls, release: Release, unit: np.ndarray, expected: Mapping[str, np.ndarray]) -> Exchanged:
        """Return finer buckets, the `unit` of each record, with the expected counts of values; never published."""
        assert isinstance(release, Bucketized)
        parts, table, classes = release.parts, release.table, len(release.classes)
        cell = np.arange(len(release.cells)) if parts is None else parts[0]
        of_record = table.cell_of_record(release.others).astype(np.int64) * classes + release.group_of_record
        known, first = np.unique(of_record, return_index=True)
        entry = np.searchsorted(known, cell.astype(np.int64) * classes + release.group_of_entry)
        unpublished_columns = release.unpublished_columns | {name for name in table.sensitive if name not in expected}
        group = unit[first[entry]].astype(np.int32)
        return cls(table, release.cells, group, unpublished_columns, release.others, parts, seats=expected)

    @cached_property
    def classes(self) -> Classes:
        """The buckets with their published values."""
        return replace(self._regions, histograms={name: self.seats[name] for name in self._published()})

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """Return the people of each bucket, one column per value: the bucket's weight is spread over its published
        values."""
        people = super().people_of_classes()
        return people if sensitive is None else people * self.classes.distributions(sensitive)

    def class_counts(self, names: Sequence[str], original: bool = False) -> ClassCounts:
        """Count the published records by bucket and by columns that are published for each record unchanged."""
        if not original and any(name in self._published() for name in names):
            return counts_from_histograms(self, names)
        return super().class_counts(names, original)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Return certain bounds on the queries; raise Undefined if a query has a condition on a swapped column."""
        if names := [name for name in workload.columns if name in self._published()]:
            raise Undefined(
                f"the values of {', '.join(names)} were swapped between buckets, so they do not bound true "
                "answers; use queries without conditions on sensitive columns"
            )
        return super().bounds(workload)

    def without(self, removed: np.ndarray) -> Exchanged:
        """Raise Undefined: the values of a bucket belong to people in other buckets, too."""
        raise Undefined("its values were swapped between buckets, so no bucket can be suppressed")

    def _sensitive_of_records(self, name: str) -> np.ndarray:
        return self.shown(name).labels
