"""Rounding of the counts of a part of a study's data, consistent with the other parts.

A report on each ward and one on all wards may be published, in any order. So the counts of all parts are rounded
jointly: in a table of parts and values whose sums are the published counts of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.parameters import canonical
from workbench.data.hierarchies.hierarchy import key, keys
from workbench.data.table import Table
from workbench.redaction.controlled_rounding import Decided, Rounding, round_parts, round_table, small_limit

if TYPE_CHECKING:
    from workbench.studies.study import Study


def rounding_of(study: Study, base: Table) -> Rounding:
    """Return the rounding of a study's table; for a part of the data, such that all parts add up to the whole."""
    only = dict(study.data.get("only") or {})
    if not only or "sample" in study.data:
        return Rounding(threshold=study.smallest)
    column, label = only.popitem()
    data = {name: one for name, one in study.data.items() if name != "only"} | ({"only": only} if only else {})
    part = PartOf(study.with_(data=data), base, column, str(label))
    return Rounding(threshold=study.smallest, part_of=part)


@dataclass(frozen=True, eq=False)
class PartOf:
    """The records of a study that have a label in a column."""

    whole: Study
    base: Table
    column: str
    label: str

    def decided(self, secret: bytes, threshold: int) -> Decided:
        whole, column = self.whole, self.base.columns[self.column]
        named = canonical([whole.data, whole.quasi, whole.sensitive, whole.levels, whole.hierarchies, column.name])
        parts = self.base.remember(
            ("rounded parts", named, secret, threshold),
            lambda: _rounded_parts(whole, self.base, column.name, secret, threshold),
        )
        row = parts.row[key(self.label, column.kind)]
        counts = {
            name: dict(zip(parts.labels[name], found[row].tolist(), strict=True))
            for name, found in parts.counts.items()
        }
        return Decided(int(parts.records[row]), counts)


class RoundedParts(NamedTuple):
    """The rounded counts of all parts of a table by one column: each part's row, and the counts of the rows."""

    row: Mapping[str | int | float, int]
    records: np.ndarray
    labels: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, np.ndarray]  # by sensitive column: rows x values


def _rounded_parts(whole: Study, base: Table, column: str, secret: bytes, threshold: int) -> RoundedParts:
    """Return rounded counts of parts x values, by sensitive column. Parts too small for a report share one row."""
    table = whole.table(base)
    rounding = table.settings.rounding.with_secret(secret)
    exact = _by_part(whole, base, column)
    sizes = exact.pop("")[:, 0]
    small = sizes < small_limit(threshold)
    row = np.where(small, int((~small).sum()), np.cumsum(~small) - 1)
    sizes = np.bincount(row, sizes).astype(np.int64)
    draws = rounding.draws(f"parts by {column}", map(str, range(len(sizes))))
    total = rounding.total(table.records, threshold)
    records, counts, labels = round_parts(sizes, threshold, total, draws), {}, {}
    for name, of_part in exact.items():
        joined = np.zeros((len(sizes), of_part.shape[1]), np.int64)
        np.add.at(joined, row, of_part)
        draws = rounding.draws(f"{name} by {column}", map(str, range(joined.size))).reshape(joined.shape)
        seen = replace(table.sensitive[name], rounding=rounding)
        counts[name] = round_table(joined, threshold, records, seen.published(threshold), draws)
        labels[name] = seen.labels
    known = dict(zip(keys(base.columns[column]), row.tolist(), strict=False))
    return RoundedParts(known, records, labels, counts)


def _by_part(whole: Study, base: Table, column: str) -> dict[str, np.ndarray]:
    """Return the counts of parts x values for each sensitive column of the study, and under "" the sizes of the
    parts.
    """
    seen = whole.with_(
        quasi=(column,), population={}, released_levels={}, importance={}, workloads={}, weight=(),
        identifiers=[name for name in whole.identifiers if name != column],
        dropped=[name for name in whole.dropped if name != column],
        sensitive=[name for name in whole.sensitive if name != column],
        hierarchies={name: one for name, one in whole.hierarchies.items() if name in whole.sensitive},
    )  # fmt: skip
    table = seen.table(base)
    cells = table.cells()
    parts = base.columns[column].size
    at = {one: code for code, one in enumerate(keys(base.columns[column]))}
    codes = [at[one] for one in keys(table.columns[column])]
    place = np.append(codes, parts - 1).astype(np.int64)[cells.quasi[0]]  # missing values have the last code
    found = {"": np.bincount(place, cells.weight, parts)[:, None].astype(np.int64)}
    for name, one in table.sensitive.items():
        joint = np.bincount(place * len(one) + cells.others[name], cells.weight, parts * len(one))
        found[name] = joint.reshape(parts, len(one)).astype(np.int64)
    return found
