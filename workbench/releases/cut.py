"""Which classes a query cuts: those of which it asks for a part alone, so that its answer has to be guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


class Cut(NamedTuple):
    """The numbers of the classes, and the records of those that each column's condition cuts."""

    classes: np.ndarray
    by: dict[str, int]

    @property
    def most(self) -> str:
        """The column whose condition cuts most; empty where none cuts any."""
        return max(self.by, key=lambda name: self.by[name]) if any(self.by.values()) else ""


def cut_by(release: Release, workload: Workload, q: int) -> Cut:
    """The classes that a query cuts. Of a bucket, whose quasi-identifiers are published unchanged, it is the sensitive
    values that are cut, where one of its records meets the other conditions."""
    asked = {name: met for name in workload.columns if (met := workload.condition(q, name)) is not None}
    parts = _of_buckets(release, asked) if release.classes.exact else _of_regions(release, asked)
    touched = np.logical_and.reduce([part > 0 for part in parts.values()], initial=True)
    touched = np.broadcast_to(touched, len(release.classes))
    if release.classes.exact:
        touched = touched & _holding(release, asked)
    cut = {name: touched & (part > 0) & (part < 1) for name, part in parts.items()}
    either = np.logical_or.reduce([*cut.values(), np.zeros(len(release.classes), bool)])
    return Cut(np.flatnonzero(either), {name: int(release.classes.sizes[one].sum()) for name, one in cut.items()})


def _of_regions(release: Release, asked: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of each class's region of a quasi-identifier the share of the codes that meet the condition."""
    classes, found = release.classes, dict[str, np.ndarray]()
    assert classes.low is not None and classes.high is not None
    for a, name in enumerate(release.table.quasi):
        if name not in asked or name in release.removed:
            continue
        if a in classes.sets:
            found[name] = classes.sets[a] @ asked[name].astype(float) / classes.sets[a].sum(axis=1)
            continue
        below = np.append(0, np.cumsum(asked[name]))
        low, high = classes.low[:, a], classes.high[:, a]
        found[name] = (below[high + 1] - below[low]) / (high + 1 - low)
    return found


def _of_buckets(release: Release, asked: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of the records of each bucket the share that has a sensitive value which meets the condition."""
    classes, found = release.classes, dict[str, np.ndarray]()
    for name, histogram in classes.histograms.items():
        if name in asked and histogram.shape[1] == len(asked[name]):  # not where nodes of a hierarchy are published
            found[name] = histogram @ asked[name].astype(float) / classes.sizes
    return found


def _holding(release: Release, asked: dict[str, np.ndarray]) -> np.ndarray:
    """The buckets with a record that meets the conditions on quasi-identifiers."""
    names = [name for name in release.table.quasi if name in asked]
    group, codes, _ = release.joint(names)
    met = np.logical_and.reduce([asked[name][codes[name]] for name in names], initial=True)
    found = np.zeros(len(release.classes), bool)
    found[group[np.broadcast_to(met, len(group))]] = True
    return found
