"""Group protection (Loukides & Shao 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.base.parameters import parameter
from workbench.measures import Measure, Measured, Publication, attacker_parameter, disjoint_classes, require_sensitive
from workbench.measures.diversity import contributions, lacks_distances, s_diversity, weighting_parameter
from workbench.releases.base import OWN_CLASS, Release


@dataclass(frozen=True)
class GroupProtection(Measure):
    """Definition 2.5: the mean over classes of S-diversity, summed over the sensitive columns.

    The floor of a class of n records is 1/n, since each record contributes to its own estimate; subtracted, only pairs
    of different records count. A class of one record then counts 1.
    """

    r: float = parameter(0.5, "range for estimating a value, as a share of the column's range", low=0, high=1)
    weighting: str = weighting_parameter()
    floor: str = parameter(
        "kept", "whether a record contributes to its own estimate (as in the paper)", choices=("kept", "subtracted")
    )
    adversary: str = attacker_parameter()
    name = "group protection"
    title = "Group protection (Loukides & Shao 2008)"
    summary = "how well sensitive values can be estimated in a range, class by class"
    symbol = "S-div"
    side = "privacy"
    needs_sensitive = True
    unit = "S-diversity, summed over sensitive columns and averaged over classes or records"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        disjoint_classes(release)
        found = {name: self._one(release, name) for name in require_sensitive(release)}
        weak = [name for name in found if lacks_distances(release.table, name)]
        spoken = ", ".join(f"{name} {format_number(value)}" for name, value in found.items())
        warned = f" Without a hierarchy the values of {', '.join(weak)} are hardly distinguished." if weak else ""
        sentence = f"On average, a class reveals this much of a value within the range: {spoken}.{warned}"
        return Measured(float(sum(found.values())), sentence, {"per_attribute": found})

    def _one(self, release: Release, name: str) -> float:
        posterior = release.posterior(name, self.adversary)
        found, sizes = s_diversity(posterior.beliefs, contributions(release.table, name, self.r)), posterior.sizes
        if self.floor == "subtracted":
            if self.adversary != OWN_CLASS:
                raise Undefined(
                    "the floor is that of one class, and an attacker who combines classes has no single one"
                )
            found = np.where(sizes > 1, (found * sizes - 1) / np.maximum(sizes - 1, 1), 1.0)
        return float(np.average(found, weights=sizes if self.weighting == "records" else None))

    def rounding_step(self, release: Release, smallest: int) -> float:
        """One person changes the S-diversity of a class of n records by at most 2/n."""
        sizes = release.posterior(require_sensitive(release)[0], self.adversary).sizes
        least = release.table.records if self.weighting == "records" else len(sizes) * int(sizes.min())
        return 2 * smallest * len(release.table.sensitive) / least
