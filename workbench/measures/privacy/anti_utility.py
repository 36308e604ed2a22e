"""Anti-utility (Sramka et al. 2010, section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number, format_percent
from workbench.base.parameters import Columns, parameter
from workbench.measures import Measure, Measured, Publication
from workbench.measures.record_weights import record_weights, weights_parameter
from workbench.miners.fitting import sample_note
from workbench.miners.protected_hits import protected_hits
from workbench.miners.release_with_predictions import gains_by_column
from workbench.miners.sets import display_name, miners_parameter, resolve_miners
from workbench.releases.base import Release


@dataclass(frozen=True)
class AntiUtility(Measure):
    """U_bad as a share of the people to protect, for the most successful miner or averaged over all.

    Miners that cannot predict what the release shows of a column (values, or noisy numbers) do not take part. If
    several columns are predicted, one hit is enough. A value that is published unchanged counts as a hit, since no
    miner is needed.
    """

    target: str | tuple[str, ...] | None = parameter(
        None, "quasi-identifiers to predict; none: the first of them", kind=Columns
    )
    miners: Any = miners_parameter("common", "the attacker's miners: names of miners, or of sets such as common")
    c: float = parameter(
        0.0, "how much closer a prediction must be, in per cent: 0 any amount, 100 exact", low=0, high=100
    )
    of: str = parameter("worst", "the most successful miner, or the average of all", choices=("worst", "average"))
    weights: Any = weights_parameter()
    name = "anti-utility"
    title = "Anti-utility (Sramka et al. 2010, section 2.4)"
    summary = "the share of people of whom miners predict a value more closely than it is published"
    symbol = "U_bad"
    side = "privacy"
    unit = "share of the protected people"
    published_as = Publication.AVERAGE
    by_default = False

    def measure(self, release: Release) -> Measured:
        targets = self._targets(release)
        if not targets:
            return Measured(0.0, "The target is not published, so no miner can learn to predict it.")
        count = record_weights(release.table, self.weights)
        if not (people := count.sum()):
            raise Undefined("there is nobody to protect: all weights are 0")
        found = protected_hits(release, targets, resolve_miners(self.miners), self.c)
        shares = {miner: float(count[release.published_records] @ one.hit / people) for miner, one in found.items()}
        worst, average = max(shares, key=shares.__getitem__), float(np.mean(list(shares.values())))
        detail: dict[str, Any] = {"worst": shares[worst], "average": average, "miner": display_name(worst)} | {
            "miners": {display_name(miner): share for miner, share in shares.items()},
            "completed": gains_by_column(release, found[worst].predicted),
        }
        return Measured(detail[self.of], self._sentence(targets, detail) + sample_note(release.table.records), detail)

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.weights is not None:
            return None, f"{self.description[:-1]}: not published, since weights may single out a few people."
        return super().publish(measured, release, smallest)

    def _targets(self, release: Release) -> list[str]:
        quasi = release.table.quasi
        if other := [name for name in self.target or () if name not in quasi]:
            raise BadInput(f"target = {other[0]!r} is not a quasi-identifier; there are {', '.join(quasi)}")
        return [name for name in self.target or quasi[:1] if name not in release.unpublished_columns]

    def _sentence(self, targets: Sequence[str], detail: Mapping[str, Any]) -> str:
        what, how = " or ".join(targets), "exactly" if self.c == 100 else "more closely than it is published"
        how += f", by at least {self.c:g} %" if 0 < self.c < 100 else ""
        if not detail["worst"]:
            return f"No miner predicts anybody's {what} {how}."
        share, average = (format_percent(detail[name]) for name in ("worst", "average"))
        who = f"From the release alone, {detail['miner']} predicts the {what} of {share} of the protected people {how}"
        ends = ", ".join(format_number(detail[name], "lower") for name in ("average", "worst"))
        triple = f"({ends}, {detail['miner']})-privacy-losing"
        return f"{who}; the average of all {len(detail['miners'])} miners is {average}: the release is {triple}."
