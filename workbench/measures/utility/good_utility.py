"""Good utility (Sramka et al. 2010, section 2.3): what miners predict less well from a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import per_cent
from workbench.base.variants import Own, parameter
from workbench.measures import Measure, Measured
from workbench.measures.record_weights import record_weights, weights
from workbench.measures.utility.declines import decline
from workbench.measures.utility.prediction_errors import ERRORS, OF_NUMBERS, WORTH, costs, worth
from workbench.miners import Miner
from workbench.miners.fitting import taught
from workbench.miners.judging import judged, original
from workbench.miners.sets import called, chosen, several
from workbench.miners.targets import PREDICTED, target_of
from workbench.releases.base import Release


@dataclass(frozen=True)
class GoodUtility(Measure):
    """The decline delta: with it a release is (1 - delta, L)-utility-preserving for the set L of miners.

    The utility of a miner is what its predictions are worth on (weighted) average; the decline is the largest of any.
    """

    target: str | None = parameter(None, PREDICTED, column=True)
    miners: Any = several("naive bayes", "who predicts it: names of miners, or of sets such as three")
    error: str | Callable[[Any, Any], float] = parameter("accuracy", WORTH, choices=ERRORS, own=True)
    tolerance: float = parameter(1.0, "how far a number that is near enough may be away", low=0, optional=True)
    costs: Any = costs()
    weights: Any = weights()
    name = "good utility"
    symbol = "U_good"
    side = "utility"
    unit = "share of the original's utility that is lost"
    told = "as an average"
    by_default = False

    def measure(self, release: Release) -> Measured:
        target = target_of(release.table, self.target)
        found = {miner: self._decline(release, target, miner) for miner in chosen(self.miners)}
        worst = max(found, key=lambda miner: found[miner].value)
        delta, names = found[worst].value, ", ".join(map(called, found))
        before, after = (found[worst].detail[name] for name in ("original", "release"))
        sentence = (
            f"Predictions of {target} lose {per_cent(delta, 'lower')} of their utility with {called(worst)}: "
            f"{after:.4g}, with the original {before:.4g}; it is ({1 - delta:.4g}, L)-utility-preserving for "
            f"L = {{{names}}}.{taught(release.table.records)}"
        )
        utilities = {called(miner): dict(one.detail) for miner, one in found.items()}
        return Measured(delta, sentence, {"worst": called(worst), "miners": utilities}, found[worst].interval)

    def _decline(self, release: Release, target: str, miner: Miner) -> Measured:
        numbers = self.error in OF_NUMBERS or (isinstance(self.error, Own) and miner.predicts == "numbers")
        then, now = (judged(one, target, miner, numbers) for one in (original(release.table), release))
        if now.records is None and self.weights is not None:
            raise Undefined("nobody knows whose records are in the file, so they have no weights")
        before, after = (worth(one, self.error, self.costs, self.tolerance) for one in (then, now))
        known = record_weights(release.table, self.weights)
        weight = known if now.records is not None else np.ones(len(after))
        value, means, interval = decline(before, known, after, weight, now.records is not None)
        return Measured(value, "", {"original": means[0], "release": means[1], "decline": value}, interval)

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.weights is not None or self.error != "accuracy":
            return None, f"{self.plain[:-1]}: not told, since its settings may be about few people."
        return super().publish(measured, release, smallest)
