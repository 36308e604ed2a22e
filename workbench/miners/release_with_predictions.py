"""The completed release (Sramka et al. 2010, section 3): a release together with the closer predictions of a miner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.models.distances import variation
from workbench.releases.base import Release


class Gains(NamedTuple):
    """A_acc and A_know of a sensitive column, from the release alone and from the completed release."""

    accuracy: tuple[float, float]
    knowledge: tuple[float, float]


def gains_by_column(release: Release, predicted: np.ndarray) -> dict[str, Gains]:
    """Return the gains of each published sensitive column; empty if the release has no classes of this kind."""
    shown = [name for name in release.table.sensitive if name not in release.unpublished_columns]
    try:
        return {name: gains(release, name, predicted) for name in shown}
    except Undefined:
        return {}


def gains(release: Release, sensitive: str, predicted: np.ndarray) -> Gains:
    """Return what an attacker gains who also distinguishes the records of a class by their predictions.

    `predicted` has a number for each prediction that is closer than the release, and -1 for the others. The groups
    refine the classes, so predictions cannot reduce a gain.
    """
    if release.classes.exact or release.own_classes is not release.classes:
        raise Undefined("completed releases are defined for classes that are distinguished by their regions alone")
    kept = release.published_records
    values, group = release.table.sensitive_codes(sensitive)[kept], release.group_of_record[kept]
    finer = np.unique(np.stack([group, predicted]), axis=1, return_inverse=True)[1].reshape(-1)
    prior, gone = release.table.sensitive[sensitive].prior, release.table.records - len(kept)
    found = [_gains(values, of, prior, gone) for of in (group, finer)]
    return Gains(*((before, after) for before, after in zip(*found, strict=True)))


def _gains(values: np.ndarray, group: np.ndarray, prior: np.ndarray, gone: int) -> tuple[float, float]:
    """Return A_acc and A_know of groups of records; nothing is learned about suppressed records."""
    counts = np.zeros((int(group.max()) + 1, len(prior)))
    np.add.at(counts, (group, values), 1)
    sizes = counts.sum(axis=1)
    there = sizes > 0
    counts, sizes = counts[there], sizes[there]
    right = counts.max(axis=1).sum() + gone * prior.max()
    moved = variation(counts / sizes[:, None], prior) @ sizes
    people = sizes.sum() + gone
    return float(right / people - prior.max()), float(moved / people)
