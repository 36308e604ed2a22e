"""Weighted tuple diversity (Loukides & Shao 2008, definition 3.1): Q- and S-diversity of each class as one number."""

import numpy as np

from workbench.data.settings import weights_of_quasi
from workbench.measures.diversity import contributions, release_q_diversity, s_diversity
from workbench.releases.base import Release


def weighted_tuple_diversity(
    release: Release, utility: float = 0.5, protection: float = 0.5, r: float = 0.5
) -> np.ndarray:
    """Return what clustering methods minimize, for each class; only the ratio of the two weights matters.

    Each mean is over columns, with quasi-identifiers weighted by importance.
    """
    table = release.table
    shares, _ = release_q_diversity(release)
    found = utility / (utility + protection) * np.average(shares, axis=1, weights=weights_of_quasi(table))
    if protection and table.sensitive:
        each = [s_diversity(release.posterior(name).beliefs, contributions(table, name, r)) for name in table.sensitive]
        found = found + protection / (utility + protection) * np.mean(each, axis=0)
    return np.asarray(found)
