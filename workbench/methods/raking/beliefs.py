"""Beliefs about atoms: of all that agree with what is true of large populations the least far from everybody's, and
none farther than the model allows."""

from __future__ import annotations

import numpy as np

from workbench.base import raking_kernels
from workbench.base.progress import step
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.limits import Limit

PASSES = 2  # over all populations


def raked(atoms: Atoms, limit: Limit) -> np.ndarray:
    """Atoms x values."""
    name = limit.sensitive.name
    found = np.repeat(limit.sensitive.prior[None, :], len(atoms), axis=0)
    for number in range(PASSES):
        step(f"beliefs about {name}, {number + 1} of {PASSES}")
        raking_kernels.rake(found, atoms.people, atoms.start, atoms.members, atoms.truth[name])
        found = limit.inside(found)
    return found
