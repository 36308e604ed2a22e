"""Beliefs about atoms, raked to the truth about large populations, and the limit that a model sets for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.convergence import Fit, report_fit
from workbench.base.progress import checkpoint
from workbench.data.sensitive import Sensitive
from workbench.methods.raking import raking_kernels
from workbench.methods.raking.atoms import Atoms
from workbench.models import Model
from workbench.models.classes import Classes

HALVINGS = 14  # of the way to the whole table's distribution
MANY = 1_000_000_000  # records of a group that is large enough for any model


class Limit(NamedTuple):
    """A model, applied to one sensitive column."""

    model: Model | None
    sensitive: Sensitive

    def holds(self, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return which groups satisfy the model."""
        if self.model is None:
            return np.ones(len(counts), bool)
        name = self.sensitive.name
        return self.model.holds(Classes(sizes, {name: counts}, {name: self.sensitive}, exact=True))

    def inside(self, beliefs: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
        """Move beliefs that violate the model along the line to the whole table's distribution until they satisfy it.

        `room` is a share of the way by which they move further, so that whole records satisfy the model too.
        """
        far, prior = ~self._allowed(beliefs), self.sensitive.prior
        kept, least, most = beliefs.copy(), np.zeros(int(far.sum())), np.ones(int(far.sum()))
        for _ in range(HALVINGS if far.any() else 0):
            middle = (least + most) / 2
            allowed = self._allowed(prior + (beliefs[far] - prior) * middle[:, None])
            least, most = np.where(allowed, middle, least), np.where(allowed, most, middle)
        if room is not None:
            least = least * (1 - room[far])
        kept[far] = prior + (beliefs[far] - prior) * least[:, None]
        return kept

    def _allowed(self, beliefs: np.ndarray) -> np.ndarray:
        sizes = np.full(len(beliefs), MANY)
        return self.holds(beliefs * MANY, sizes)


PASSES = 2  # over all populations
STILL = 1e-3  # change of a belief in the last pass that counts as converged


def rake_beliefs(atoms: Atoms, limit: Limit) -> np.ndarray:
    """Return beliefs about each atom, atoms x values."""
    name = limit.sensitive.name
    found, moved = np.repeat(limit.sensitive.prior[None, :], len(atoms), axis=0), 0.0
    for number in range(PASSES):
        before = found.copy()
        checkpoint(f"beliefs about {name}, {number + 1} of {PASSES}")
        raking_kernels.rake(found, atoms.people, atoms.start, atoms.members, atoms.truth[name])
        found = limit.inside(found)
        moved = float(np.abs(found - before).max(initial=0))
    report_fit(Fit("raking to large populations", PASSES, moved, moved <= STILL))
    return found
