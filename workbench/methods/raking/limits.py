"""What a model allows of distributions: beliefs are moved towards everybody's until it holds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.data.sensitive import Sensitive
from workbench.models import Model
from workbench.models.classes import Classes

HALVINGS = 14  # of the way to everybody's distribution
MANY = 1_000_000_000  # records of a group whose size is no matter


class Limit(NamedTuple):
    """A model, as far as it is about one sensitive column."""

    model: Model | None
    sensitive: Sensitive

    def holds(self, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Whether each group keeps the model."""
        if self.model is None:
            return np.ones(len(counts), bool)
        name = self.sensitive.name
        return self.model.holds(Classes(sizes, {name: counts}, {name: self.sensitive}, exact=True))

    def inside(self, beliefs: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
        """Beliefs moved along the line to everybody's, where the model does not hold, until it does; and by `room`,
        a share of the way, nearer, so that it holds for whole records too."""
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
