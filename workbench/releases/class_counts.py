"""The records of a release by class and by columns that are published unchanged, from which queries are answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data import weights
from workbench.data.cells import locate

if TYPE_CHECKING:
    from workbench.releases.base import Release
    from workbench.releases.partition import Partition


class ClassCounts(NamedTuple):
    """Combinations of a class and codes, with the number of records or of the people whom they represent."""

    group: np.ndarray
    codes: dict[str, np.ndarray]
    people: np.ndarray


def counts_from_histograms(release: Release, names: Sequence[str], original: bool = False) -> ClassCounts:
    """Count from the histograms of classes: by one sensitive column, or by none."""
    if original:
        raise Undefined("records of this release cannot be matched to original ones")
    if not names:
        people = release.people_of_classes()[:, 0]
        return ClassCounts(np.arange(len(people)), {}, people)
    if len(names) == 1 and names[0] not in release.table.sensitive:
        raise Undefined(f"this release has no records with values of {names[0]}; use other columns")
    if len(names) > 1:
        raise Undefined(
            f"this release does not show {', '.join(names)} jointly with the quasi-identifiers; use "
            "quasi-identifiers and one sensitive column at a time"
        )
    people = release.people_of_classes(names[0])
    group, value = np.nonzero(people)
    return ClassCounts(group, {names[0]: value}, people[group, value])


def counts_from_partition(release: Partition, names: Sequence[str], original: bool = False) -> ClassCounts:
    """Count the published records by class and some columns; with `original`, by values instead of published levels."""
    table = release.table
    if release.parts:
        return _by_record(release, names, original)
    levels = [name for name in names if original and table.levels.get(name, 0)]
    if not levels and set(names) <= {*table.quasi, *release.cells.others}:
        group, cell, people = release.weighted_entries
        axes = dict(zip(table.quasi, release.cells.quasi, strict=True)) | release.cells.others
        return ClassCounts(group, {name: axes[name][cell] for name in names}, people)
    cell, codes, people = table.remember(
        ("finer cells", release.others, tuple(names), original), lambda: _finer(release, names, original)
    )
    group = release.group_of_entry[cell]
    kept = group < len(release.classes)
    return ClassCounts(group[kept], {name: one[kept] for name, one in codes.items()}, people[kept])


def _finer(
    release: Partition, names: Sequence[str], original: bool
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return cells by more columns, each with the release's cell that contains it."""
    table, cells = release.table, release.cells
    known = [*table.quasi, *cells.others]
    every = [*dict.fromkeys([*known, *names, *([table.weight] if table.weight else [])])]
    found = table.engine.collapse(every, [])
    values = dict(zip(every, found.quasi, strict=True))
    seen = dict(values)
    for name, level in table.levels.items():
        if level and name in seen:
            seen[name] = table.columns[name].node(level - 1)[values[name]].astype(np.int32)
    cell = locate([*cells.quasi, *cells.others.values()], [seen[name] for name in known])
    people = found.weight * table.columns[table.weight].values[values[table.weight]] if table.weight else found.weight
    chosen = values if original else seen
    return cell, {name: chosen[name] for name in names}, people


def _by_record(release: Partition, names: Sequence[str], original: bool) -> ClassCounts:
    """Count record by record, for releases with split cells, whose records are in memory."""
    table = release.table
    codes = table.codes if original else table.model_view.codes
    kept = release.group_of_record < len(release.classes)
    people = weights.of_record(table) if table.weight else np.ones(table.records, np.int64)
    return ClassCounts(release.group_of_record[kept], {name: codes[name][kept] for name in names}, people[kept])
