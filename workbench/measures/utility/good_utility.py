"""Good utility (Sramka et al. 2010, section 2.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number, format_percent
from workbench.base.parameters import ChoiceOrFunction, Column, PythonFunction, parameter
from workbench.measures import Measure, Measured, Publication
from workbench.measures.predictions import (
    ERRORS,
    NUMBER_ERRORS,
    WORTH,
    costs_parameter,
    prediction_worth,
    record_weights,
    utility_decline,
    weights_parameter,
)
from workbench.miners import Miner
from workbench.miners.cross_fitting import original_release, predict_target
from workbench.miners.fitting import sample_note
from workbench.miners.sets import TARGET_HELP, display_name, miners_parameter, resolve_miners, target_or_default
from workbench.releases.base import Release


@dataclass(frozen=True)
class GoodUtility(Measure):
    """The decline delta, for which a release is (1 - delta, L)-utility-preserving for the set L of miners.

    The utility of a miner is the (weighted) average worth of its predictions; the measure is the largest decline of
    any.
    """

    target: str | None = parameter(None, TARGET_HELP, kind=Column)
    miners: Any = miners_parameter("naive bayes", "miners that predict it: names of miners, or of sets such as three")
    error: str | Callable[[Any, Any], float] = parameter("accuracy", WORTH, choices=ERRORS, kind=ChoiceOrFunction)
    tolerance: float = parameter(1.0, "largest error of a number that counts as right", low=0, optional=True)
    costs: Any = costs_parameter()
    weights: Any = weights_parameter()
    name = "good utility"
    title = "Good utility (Sramka et al. 2010, section 2.3)"
    summary = "how much less accurately miners predict from a release"
    symbol = "U_good"
    side = "utility"
    unit = "share of the original's utility that is lost"
    published_as = Publication.AVERAGE
    by_default = False

    def measure(self, release: Release) -> Measured:
        target = target_or_default(release.table, self.target)
        found = {miner: self._decline(release, target, miner) for miner in resolve_miners(self.miners)}
        worst = max(found, key=lambda miner: found[miner].value)
        delta, names = found[worst].value, ", ".join(map(display_name, found))
        before, after = (found[worst].detail[name] for name in ("original", "release"))
        sentence = (
            f"Predictions of {target} lose {format_percent(delta)} of their utility with {display_name(worst)}: "
            f"{format_number(after)}, with the original {format_number(before)}; "
            f"it is ({format_number(1 - delta, 'higher')}, L)-utility-preserving for "
            f"L = {{{names}}}.{sample_note(release.table.records)}"
        )
        utilities = {display_name(miner): dict(one.detail) for miner, one in found.items()}
        return Measured(delta, sentence, {"worst": display_name(worst), "miners": utilities}, found[worst].interval)

    def _decline(self, release: Release, target: str, miner: Miner) -> Measured:
        numbers = self.error in NUMBER_ERRORS or (
            isinstance(self.error, PythonFunction) and miner.predicts == "numbers"
        )
        then, now = (predict_target(one, target, miner, numbers) for one in (original_release(release.table), release))
        if now.records is None and self.weights is not None:
            raise Undefined("it is unknown whose records are in the file, so they have no weights")
        before, after = (prediction_worth(one, self.error, self.costs, self.tolerance) for one in (then, now))
        known = record_weights(release.table, self.weights)
        weight = known if now.records is not None else np.ones(len(after))
        value, means, interval = utility_decline(before, known, after, weight, now.records is not None)
        return Measured(value, "", {"original": means[0], "release": means[1], "decline": value}, interval)

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.weights is not None or self.error != "accuracy":
            return None, f"{self.description[:-1]}: not published, since its settings may single out a few people."
        return super().publish(measured, release, smallest)
