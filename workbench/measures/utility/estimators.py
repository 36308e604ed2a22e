"""Estimators: what a researcher expects of a population, by each class alone, or learning from all of them together
(Li & Li 2009 name that as future work)."""

from __future__ import annotations

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import Undefined
from workbench.miners.learning import learnt
from workbench.releases.base import Release
from workbench.workloads.populations import Populations

ESTIMATORS = UNIFORM, LEARNED = ("uniform", "learned")


def expected(release: Release, populations: Populations, sensitive: str, estimator: str) -> np.ndarray:
    """People per population and value: as likely in one part of a class as in another, or as a model says that was
    learnt from all buckets."""
    if estimator == UNIFORM:
        return release.estimate(populations, sensitive)
    if not release.classes.exact or release.left_out:
        raise Undefined(
            "a researcher learns from the quasi-identifiers of everybody, and here they are not published unchanged; "
            "use estimator = uniform"
        )
    found = learnt(release, sensitive)
    units = np.arange(len(found.learning), dtype=np.int32)
    return cell_kernels.reach(
        populations.runs, found.quasi, found.people, units, np.ascontiguousarray(found.learning), populations.same
    )
