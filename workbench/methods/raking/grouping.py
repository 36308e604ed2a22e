"""Atoms of like beliefs as buckets, none smaller than it may be."""

from __future__ import annotations

import numpy as np

DIGITS = 9  # of beliefs that differ


def grouped(
    beliefs: np.ndarray, prior: np.ndarray, records: np.ndarray, most: int, smallest: int, seed: int
) -> np.ndarray:
    """The bucket of each atom: k-means by the chi-square distance; small ones are merged into the nearest."""
    seen = np.round(beliefs / np.sqrt(np.maximum(prior, np.finfo(float).tiny)), DIGITS)
    kinds, kind = np.unique(seen, axis=0, return_inverse=True)
    group = kind.reshape(-1) if len(kinds) <= most else _means(seen, records, most, seed)
    return _merged(group, seen, records, smallest)


def _means(seen: np.ndarray, records: np.ndarray, most: int, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans  # loads for a second

    means = KMeans(most, init="random", n_init=1, max_iter=8, random_state=seed)
    found: np.ndarray = means.fit(seen, sample_weight=records).labels_
    return found


def _merged(group: np.ndarray, seen: np.ndarray, records: np.ndarray, smallest: int) -> np.ndarray:
    """The smallest bucket goes into the nearest, until none is too small."""
    size = np.bincount(group, records)
    centre = np.stack([np.bincount(group, records * one) for one in seen.T], axis=1)
    into = np.arange(len(size))
    while (there := np.flatnonzero(size)).size > 1 and size[there].min() < smallest:
        least = there[size[there].argmin()]
        others = there[there != least]
        means = centre[others] / size[others, None]
        nearest = others[((means - centre[least] / size[least]) ** 2).sum(axis=1).argmin()]
        for one in (size, centre):
            one[nearest] += one[least]
            one[least] = 0
        into[into == least] = nearest
    return np.unique(into[group], return_inverse=True)[1].astype(np.int32)
