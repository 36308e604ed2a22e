"""Anti-utility (Sramka et al. 2010, section 2.4): of whom miners predict a value nearer than it is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import per_cent
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured
from workbench.measures.record_weights import record_weights, weights
from workbench.miners.completed import completed
from workbench.miners.fitting import taught
from workbench.miners.reached import reached
from workbench.miners.sets import called, chosen, several
from workbench.releases.base import Release


@dataclass(frozen=True)
class AntiUtility(Measure):
    """U_bad as a share of the people who are to be protected, by the miner that reaches most, or by all on average.

    Miners that cannot predict what the release shows of a column (values, or noisy numbers) are left out. Where several
    columns are predicted, one is enough. Whose value is published unchanged counts as well: nobody needs a miner then.
    """

    target: str | tuple[str, ...] | None = parameter(
        None, "the quasi-identifiers that are predicted; none: the first of them", columns=True
    )
    miners: Any = several("common", "the miners that an adversary tries: names of miners, or of sets such as common")
    c: float = parameter(0.0, "how much nearer a prediction must be, in per cent: 0 at all, 100 exact", low=0, high=100)
    of: str = parameter("worst", "the miner that reaches most, or all on average", choices=("worst", "average"))
    weights: Any = weights()
    name = "anti-utility"
    symbol = "U_bad"
    side = "privacy"
    unit = "share of the protected people"
    told = "as an average"
    by_default = False

    def measure(self, release: Release) -> Measured:
        targets = self._targets(release)
        if not targets:
            return Measured(0.0, "What is to be predicted is not published, so no miner learns to.")
        count = record_weights(release.table, self.weights)
        if not (people := count.sum()):
            raise Undefined("nobody is to be protected: all weights are 0")
        found = reached(release, targets, chosen(self.miners), self.c)
        shares = {miner: float(count[release.published_records] @ one.hit / people) for miner, one in found.items()}
        worst, average = max(shares, key=shares.__getitem__), float(np.mean(list(shares.values())))
        detail: dict[str, Any] = {"worst": shares[worst], "average": average, "miner": called(worst)} | {
            "miners": {called(miner): share for miner, share in shares.items()},
            "completed": completed(release, found[worst].predicted),
        }
        return Measured(detail[self.of], self._sentence(targets, detail) + taught(release.table.records), detail)

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.weights is not None:
            return None, f"{self.plain[:-1]}: not told, since it may be about few people."
        return super().publish(measured, release, smallest)

    def _targets(self, release: Release) -> list[str]:
        quasi = release.table.quasi
        if other := [name for name in self.target or () if name not in quasi]:
            raise BadInput(f"target = {other[0]!r} is not a quasi-identifier; there are {', '.join(quasi)}")
        return [name for name in self.target or quasi[:1] if name not in release.removed]

    def _sentence(self, targets: Sequence[str], detail: Mapping[str, Any]) -> str:
        what, how = " or ".join(targets), "exactly" if self.c == 100 else "nearer than it is published"
        how += f", by {self.c:g} % at least" if 0 < self.c < 100 else ""
        if not detail["worst"]:
            return f"No miner predicts the {what} of anybody {how}."
        share, average = (per_cent(detail[name], "lower") for name in ("worst", "average"))
        who = f"From the release alone, {detail['miner']} predicts the {what} of {share} of the protected people {how}"
        triple = f"({detail['average']:.4g}, {detail['worst']:.4g}, {detail['miner']})-privacy-losing"
        return f"{who}; all {len(detail['miners'])} miners of {average} on average: it is {triple}."
