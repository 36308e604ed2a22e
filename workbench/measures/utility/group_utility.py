"""Group utility, UM (Loukides & Shao 2008): how much of every quasi-identifier's domain a class shows, on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import per_cent
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured, apart
from workbench.measures.utility.q_diversity import of_release
from workbench.releases.base import Release


@dataclass(frozen=True)
class GroupUtility(Measure):
    """Definition 2.2: the mean over classes of the sum of Q-diversities, each as often as its column's importance.

    A plain mean over classes flatters a release with many small ones beside a few large ones; one over records
    does not.
    """

    weighting: str = parameter(
        "groups",
        "each class counts once, as in the paper, or as often as it has records",
        choices=("groups", "records"),
    )
    floor: str = parameter(
        "kept",
        "a single value of a discrete column costs its share of the domain, as in the paper, or nothing",
        choices=("kept", "subtracted"),
    )
    name = "group utility"
    symbol = "UM"
    side = "utility"
    unit = "Q-diversity, added up over quasi-identifiers and averaged over classes or records"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        apart(release)
        table = release.table
        shares, sizes = of_release(release, above_floor=self.floor == "subtracted")
        counted = sizes if self.weighting == "records" else np.ones_like(sizes)
        means = np.average(shares, axis=0, weights=counted)
        per_attribute = dict(zip(table.quasi, means.tolist(), strict=True))
        spoken = ", ".join(f"{name} {per_cent(share)}" for name, share in per_attribute.items())
        value = float(means @ table.weights_of_quasi)
        return Measured(value, f"Of its domain a column shows, on average: {spoken}.", {"per_attribute": per_attribute})
