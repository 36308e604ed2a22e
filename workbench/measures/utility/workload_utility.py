"""Workload utility (Brickell & Shmatikov 2008, section 5): what a release lets predict beyond what trivial ones do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import per_cent
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured
from workbench.measures.privacy.accuracy_gain import AccuracyGain
from workbench.measures.utility.declines import interval
from workbench.miners import Miner
from workbench.miners.fitting import taught
from workbench.miners.judging import guessed, judged, original
from workbench.miners.sets import chosen, several
from workbench.miners.targets import PREDICTED, target_of
from workbench.releases.base import Release


@dataclass(frozen=True)
class WorkloadUtility(Measure):
    """U_san - U_base: a miner's accuracy on the release, less the better of those on two trivial sanitisations, one
    without all quasi-identifiers and one without all sensitive columns. U_max is the accuracy on the original.

    Where several miners are named, each of these is that of the best one.
    """

    target: str | None = parameter(None, PREDICTED, column=True)
    miner: Any = several("decision tree", "who predicts it: a miner, or several; the best counts", "values")
    name = "workload utility"
    symbol = "U_gain"
    side = "utility"
    unit = "share of records predicted right, beyond trivial sanitisation"
    better = "higher"
    best = 1.0
    told = "as an average"
    by_default = False

    def measure(self, release: Release) -> Measured:
        table, target = release.table, target_of(release.table, self.target)
        if target in table.quasi and not release.classes.exact:
            raise Undefined(f"{target!r} is generalized; a workload predicts a sensitive or a neutral column")
        asked, before = chosen(self.miner), original(table)
        trivial = {
            "without quasi-identifiers": self._best(before, target, asked, [*table.quasi]),
            "without sensitive columns": self._best(before, target, asked, [*table.sensitive]),
        }
        most, found = self._best(before, target, asked, []), self._best(release, target, asked, [])
        base = max(trivial, key=lambda name: trivial[name].mean())
        value = float(found.mean() - trivial[base].mean())
        paired = len(found) == table.records
        right, usual, best = (per_cent(float(one.mean())) for one in (found, trivial[base], most))
        sentence = (
            f"{target} is predicted right for {right} of the records; {usual} {base}, and {best} with the original."
            f"{taught(table.records)}"
        )
        known = {"U_san": float(found.mean()), "U_base": float(trivial[base].mean()), "U_max": float(most.mean())}
        known |= {name: float(right.mean()) for name, right in trivial.items()}
        return Measured(value, sentence, known | self._attacker(release), interval(found, trivial[base], paired))

    def _best(self, release: Release, target: str, asked: tuple[Miner, ...], gone: list[str]) -> np.ndarray:
        """Which records the best of the miners predicts right, without some columns; all guess alike where the target
        itself is gone."""
        if target in gone:
            one = guessed(release.table, target)
            return one.predicted == one.true
        given = [name for name in release.table.released if name not in gone] if gone else None
        rights = [one.predicted == one.true for one in (judged(release, target, m, given=given) for m in asked)]
        return max(rights, key=lambda right: right.mean())

    def _attacker(self, release: Release) -> dict[str, float]:
        """What the release adds to an adversary's accuracy, to stand beside it."""
        try:
            return {"A_acc": AccuracyGain()(release).value}
        except Undefined:
            return {}
