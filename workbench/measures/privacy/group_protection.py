"""Group protection (Loukides & Shao 2008): how well sensitive values can be estimated in a range, class by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured, adversary, apart, sensitive_of
from workbench.measures.privacy.s_diversity import contributions, s_diversity, tells_nothing_apart
from workbench.releases.base import OWN_CLASS, Release


@dataclass(frozen=True)
class GroupProtection(Measure):
    """Definition 2.5: the mean over classes of S-diversity, added up over the sensitive columns.

    The floor of a class of n records is 1/n, since each contributes to itself; subtracted, pairs of different records
    alone count. A class of one record then counts 1.
    """

    r: float = parameter(0.5, "the range in which a value is estimated, as a share of the column's", low=0, high=1)
    weighting: str = parameter(
        "groups",
        "each class counts once, as in the paper, or as often as it has records",
        choices=("groups", "records"),
    )
    floor: str = parameter(
        "kept", "a record contributes to its own estimate, as in the paper, or not", choices=("kept", "subtracted")
    )
    adversary: str = adversary()
    name = "group protection"
    symbol = "S-div"
    side = "privacy"
    unit = "S-diversity, added up over sensitive columns and averaged over classes or records"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        apart(release)
        found = {name: self._one(release, name) for name in sensitive_of(release)}
        weak = [name for name in found if tells_nothing_apart(release.table, name)]
        spoken = ", ".join(f"{name} {figures(value, 'lower')}" for name, value in found.items())
        warned = f" Without a hierarchy its values are hardly told apart: {', '.join(weak)}." if weak else ""
        sentence = f"Of what can be known of a value within a range, a class tells on average: {spoken}.{warned}"
        return Measured(float(sum(found.values())), sentence, {"per_attribute": found})

    def _one(self, release: Release, name: str) -> float:
        posterior = release.posterior(name, self.adversary)
        found, sizes = s_diversity(posterior.beliefs, contributions(release.table, name, self.r)), posterior.sizes
        if self.floor == "subtracted":
            if self.adversary != OWN_CLASS:
                raise Undefined("the floor is that of a class, and who pools several classes has no single one")
            found = np.where(sizes > 1, (found * sizes - 1) / np.maximum(sizes - 1, 1), 1.0)
        return float(np.average(found, weights=sizes if self.weighting == "records" else None))

    def step(self, release: Release, smallest: int) -> float:
        """One person moves the S-diversity of a class of n records by 2/n at most."""
        sizes = release.posterior(sensitive_of(release)[0], self.adversary).sizes
        least = release.table.records if self.weighting == "records" else len(sizes) * int(sizes.min())
        return 2 * smallest * len(release.table.sensitive) / least
