"""A bucketized release whose sensitive values were swapped between records of different buckets (data swapping).

The values that a bucket publishes are not those of its members. Quasi-identifiers and totals are true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench.base.errors import Undefined
from workbench.base.randomness import operating_system_random
from workbench.data.cells import cell_of_record
from workbench.data.records import published_values
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.queries.populations import Populations
from workbench.queries.workload import Workload
from workbench.releases.base import About, Release
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.partition import Bucketized, published_sensitive
from workbench.releases.shown import ClassCounts, counts_from_histograms
from workbench.releases.side_information import number_combinations

SWAPPED_CAUTION = (
    "sensitive values were exchanged between records of different buckets (data swapping): the counts of a bucket are "
    "not those of its members, and no row can be relied on to show its person's value"
)

SWAPPED = About(warning=SWAPPED_CAUTION, is_truthful=False)


@dataclass(frozen=True, eq=False, repr=False)
class Exchanged(Bucketized):
    """Buckets with `seats`: how often each bucket has each value of each sensitive column, instead of its records'
    values."""

    seats: Mapping[str, np.ndarray] = field(default_factory=dict)
    about: About = SWAPPED

    @classmethod
    def from_cells(cls, table: Table, group: np.ndarray, seats: Mapping[str, np.ndarray]) -> Exchanged:
        """Build from the bucket of each of the table's cells."""
        return cls(table, table.cells(), group, seats=seats)

    @classmethod
    def believed(cls, release: Release, unit: np.ndarray, expected: Mapping[str, np.ndarray]) -> Exchanged:
        """Return finer buckets, the `unit` of each record, with the expected counts of values; never published."""
        assert isinstance(release, Bucketized)
        parts, table, classes = release.parts, release.table, len(release.classes)
        cell = np.arange(len(release.cells)) if parts is None else parts[0]
        of_record = cell_of_record(table, release.others).astype(np.int64) * classes + release.group_of_record
        known, first = np.unique(of_record, return_index=True)
        entry = np.searchsorted(known, cell.astype(np.int64) * classes + release.group_of_entry)
        unpublished_columns = release.unpublished_columns | {name for name in table.sensitive if name not in expected}
        group = unit[first[entry]].astype(np.int32)
        return cls(table, release.cells, group, unpublished_columns, release.others, parts, seats=expected)

    @cached_property
    def classes(self) -> Classes:
        """The buckets with their published values."""
        return replace(self._regions, histograms={name: self.seats[name] for name in published_sensitive(self)})

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """Return the people of each bucket, one column per value: the bucket's weight is spread over its published
        values."""
        people = super().people_of_classes()
        return people if sensitive is None else people * self.classes.distributions(sensitive)

    def class_counts(self, names: Sequence[str], original: bool = False) -> ClassCounts:
        """Count the published records by bucket and by columns that are published for each record unchanged."""
        if not original and any(name in published_sensitive(self) for name in names):
            return counts_from_histograms(self, names)
        return super().class_counts(names, original)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Return certain bounds on the queries; raise Undefined if a query has a condition on a swapped column."""
        if names := [name for name in workload.columns if name in published_sensitive(self)]:
            raise Undefined(
                f"the values of {', '.join(names)} were swapped between buckets, so they do not bound true "
                "answers; use queries without conditions on sensitive columns"
            )
        return super().bounds(workload)

    def without(self, removed: np.ndarray) -> Exchanged:
        """Raise Undefined: the values of a bucket belong to people in other buckets, too."""
        raise Undefined("its values were swapped between buckets, so no bucket can be suppressed")


# A bucketized release as one flat file: one row per record, with sensitive values assigned at random inside its bucket.
#
# Counting rows is nearly as accurate for large groups as using the buckets. The operating system draws the assignment
# for each file, which discloses nothing beyond the buckets.

DEALT = "no row can be relied on to show its person's value"
FLAT_CAUTION = f"sensitive values were exchanged between records of the same bucket (data swapping): {DEALT}"
ASSIGNED = About(warning=FLAT_CAUTION)
SWAPPED_AND_ASSIGNED = replace(SWAPPED, warning=f"{SWAPPED_CAUTION}; inside a bucket they were assigned at random")


@dataclass(frozen=True, eq=False, repr=False)
class Flat(Bucketized):
    """Buckets in one flat file; estimates count the rows of one such file."""

    about: About = ASSIGNED
    deal: int = 0  # the seed of the file that estimates use

    @property
    def layout(self) -> dict[str, Any]:  # type: ignore[override]
        return super().layout | {"kind": "one file"}

    def rows(self) -> dict[str, Rows]:
        """Return the records with their bucket's index, and newly assigned values."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        seed = int(operating_system_random().integers(1 << 62))
        columns = [
            self._column(name, seed) for name in released_columns(self.table) if name not in self.unpublished_columns
        ]
        return {"release": Rows.shuffled([*columns, CodedColumn(self._added[0], number, self.group_of_record)])}

    def _column(self, name: str, seed: int) -> CodedColumn:
        if name in self.table.sensitive:
            return CodedColumn(name, published_values(self.table, name), self.shown(name, seed).labels)
        return CodedColumn(name, published_values(self.table, name), self.table.codes[name])

    def frame(self) -> pd.DataFrame:
        """Return the rows as a frame."""
        return self.rows()["release"].frame()

    @cached_property
    def counted(self) -> Exchanged:
        """A release with people of identical quasi-identifiers as buckets, and the values that the rows of one file
        show of them."""
        alike, shown = number_combinations(self.table, self.table.quasi), dict[str, np.ndarray]()
        for name in published_sensitive(self):
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

    about: About = SWAPPED_AND_ASSIGNED


def as_one_file(release: Bucketized, seed: int) -> Flat:
    """Return the same buckets as one flat file; estimates use the file that is assigned by the seed."""
    kind = FlatExchanged if isinstance(release, Exchanged) else Flat
    about = replace(release.about, warning=kind.about.warning)
    own = {one.name: getattr(release, one.name) for one in fields(release)}
    return kind(**own | {"about": about}, deal=seed)


def is_one_file(release: Release) -> bool:
    """Return whether estimates count the rows of one file, whose values are assigned again for each file."""
    return isinstance(release, Flat)
