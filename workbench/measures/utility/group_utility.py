"""Group utility, UM (Loukides & Shao 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.data.settings import weights_of_quasi
from workbench.measures import Measure, Measured, Publication, disjoint_classes
from workbench.measures.diversity import release_q_diversity, weighting_parameter
from workbench.releases.base import Release


@dataclass(frozen=True)
class GroupUtility(Measure):
    """Definition 2.2: the mean over classes of the sum of Q-diversities, weighted by the importance of columns.

    A plain mean over classes flatters a release with many small classes and a few large ones; one over records does
    not.
    """

    weighting: str = weighting_parameter()
    floor: str = parameter(
        "kept",
        "cost of a single value of a discrete column: its share of the domain (as in the paper), or nothing",
        choices=("kept", "subtracted"),
    )
    name = "group utility"
    title = "Group utility, UM (Loukides & Shao 2008)"
    summary = "the average share of every quasi-identifier's domain that a class shows"
    symbol = "UM"
    side = "utility"
    unit = "Q-diversity, summed over quasi-identifiers and averaged over classes or records"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        disjoint_classes(release)
        table = release.table
        shares, sizes = release_q_diversity(release, above_floor=self.floor == "subtracted")
        counted = sizes if self.weighting == "records" else np.ones_like(sizes)
        means = np.average(shares, axis=0, weights=counted)
        per_attribute = dict(zip(table.quasi, means.tolist(), strict=True))
        spoken = ", ".join(f"{name} {format_percent(share)}" for name, share in per_attribute.items())
        value = float(means @ weights_of_quasi(table))
        return Measured(
            value, f"Average share of its domain that each column shows: {spoken}.", {"per_attribute": per_attribute}
        )
