"""Workload utility (Brickell & Shmatikov 2008, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_percent
from workbench.base.parameters import Column, parameter
from workbench.data.settings import released_columns
from workbench.measures import Measure, Measured, Publication
from workbench.measures.predictions import accuracy_interval
from workbench.measures.privacy.accuracy_gain import AccuracyGain
from workbench.miners import Miner
from workbench.miners.cross_fitting import original_release, predict_commonest, predict_target
from workbench.miners.fitting import sample_note
from workbench.miners.sets import TARGET_HELP, miners_parameter, resolve_miners, target_or_default
from workbench.releases.base import Release


@dataclass(frozen=True)
class WorkloadUtility(Measure):
    """U_san - U_base: a miner's accuracy on the release minus the better of those on two trivial sanitizations, one
    without all quasi-identifiers and one without all sensitive columns. U_max is the accuracy on the original.

    With several miners, each accuracy is that of the best one.
    """

    target: str | None = parameter(None, TARGET_HELP, kind=Column)
    miner: Any = miners_parameter(
        "decision tree", "miner that predicts it, or several, of which the best counts", "values"
    )
    name = "workload utility"
    title = "Workload utility (Brickell & Shmatikov 2008, section 5)"
    summary = "prediction accuracy beyond that of trivial sanitizations"
    symbol = "U_gain"
    side = "utility"
    unit = "share of records predicted correctly, beyond trivial sanitization"
    better = "higher"
    best = 1.0
    published_as = Publication.AVERAGE
    by_default = False

    def measure(self, release: Release) -> Measured:
        table, target = release.table, target_or_default(release.table, self.target)
        if target in table.quasi and not release.classes.exact:
            raise Undefined(f"{target!r} is generalized; a workload predicts a sensitive or a neutral column")
        miners, before = resolve_miners(self.miner), original_release(table)
        trivial = {
            "without quasi-identifiers": self._best(before, target, miners, [*table.quasi]),
            "without sensitive columns": self._best(before, target, miners, [*table.sensitive]),
        }
        most, found = self._best(before, target, miners, []), self._best(release, target, miners, [])
        base = max(trivial, key=lambda name: trivial[name].mean())
        value = float(found.mean() - trivial[base].mean())
        paired = len(found) == table.records
        right, usual, best = (format_percent(float(one.mean())) for one in (found, trivial[base], most))
        sentence = (
            f"{target} is predicted correctly for {right} of the records; {usual} {base}, and {best} with the original."
            f"{sample_note(table.records)}"
        )
        known = {"U_san": float(found.mean()), "U_base": float(trivial[base].mean()), "U_max": float(most.mean())}
        known |= {name: float(right.mean()) for name, right in trivial.items()}
        return Measured(
            value, sentence, known | self._attacker(release), accuracy_interval(found, trivial[base], paired)
        )

    def _best(self, release: Release, target: str, miners: tuple[Miner, ...], unavailable: list[str]) -> np.ndarray:
        """Return which records the best of the miners predicts correctly without some columns; all predict the
        commonest value if the target itself is among them."""
        if target in unavailable:
            one = predict_commonest(release.table, target)
            return one.predicted == one.true
        given = [name for name in released_columns(release.table) if name not in unavailable] if unavailable else None
        rights = [
            one.predicted == one.true for one in (predict_target(release, target, m, given=given) for m in miners)
        ]
        return max(rights, key=lambda right: right.mean())

    def _attacker(self, release: Release) -> dict[str, float]:
        """Return what the release adds to an attacker's accuracy, for comparison."""
        try:
            return {"A_acc": AccuracyGain()(release).value}
        except Undefined:
            return {}
