"""The classes that a query matches only in part, so that its answer has to be estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.queries.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


class PartialMatches(NamedTuple):
    """The numbers of the partially matched classes, and how many records each column's condition splits."""

    classes: np.ndarray
    by: dict[str, int]

    @property
    def main_column(self) -> str:
        """The column whose condition splits most records; empty if none does."""
        return max(self.by, key=lambda name: self.by[name]) if any(self.by.values()) else ""


def find_partial_matches(release: Release, workload: Workload, q: int) -> PartialMatches:
    """Return the classes that a query matches in part.

    For buckets, whose quasi-identifiers are published unchanged, these are the buckets with a record that meets the
    other conditions, of whose sensitive values only some meet theirs.
    """
    conditions = {name: met for name in workload.columns if (met := workload.condition(q, name)) is not None}
    parts = _of_buckets(release, conditions) if release.classes.exact else _of_regions(release, conditions)
    touched = np.logical_and.reduce([part > 0 for part in parts.values()], initial=True)
    touched = np.broadcast_to(touched, len(release.classes))
    if release.classes.exact:
        touched = touched & _holding(release, conditions)
    cut = {name: touched & (part > 0) & (part < 1) for name, part in parts.items()}
    either = np.logical_or.reduce([*cut.values(), np.zeros(len(release.classes), bool)])
    return PartialMatches(
        np.flatnonzero(either), {name: int(release.classes.sizes[one].sum()) for name, one in cut.items()}
    )


def _of_regions(release: Release, conditions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the share of the codes of each class's region that meets each condition on a quasi-identifier."""
    classes, found = release.classes, dict[str, np.ndarray]()
    assert classes.low is not None and classes.high is not None
    for a, name in enumerate(release.table.quasi):
        if name not in conditions or name in release.unpublished_columns:
            continue
        if a in classes.sets:
            found[name] = classes.sets[a] @ conditions[name].astype(float) / classes.sets[a].sum(axis=1)
            continue
        below = np.append(0, np.cumsum(conditions[name]))
        low, high = classes.low[:, a], classes.high[:, a]
        found[name] = (below[high + 1] - below[low]) / (high + 1 - low)
    return found


def _of_buckets(release: Release, conditions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the share of each bucket's records whose sensitive value meets each condition."""
    classes, found = release.classes, dict[str, np.ndarray]()
    for name, histogram in classes.histograms.items():
        if name in conditions and histogram.shape[1] == len(
            conditions[name]
        ):  # not if nodes of a hierarchy are published
            found[name] = histogram @ conditions[name].astype(float) / classes.sizes
    return found


def _holding(release: Release, conditions: dict[str, np.ndarray]) -> np.ndarray:
    """Return the buckets with a record that meets the conditions on quasi-identifiers."""
    names = [name for name in release.table.quasi if name in conditions]
    group, codes, _ = release.class_counts(names)
    met = np.logical_and.reduce([conditions[name][codes[name]] for name in names], initial=True)
    found = np.zeros(len(release.classes), bool)
    found[group[np.broadcast_to(met, len(group))]] = True
    return found
