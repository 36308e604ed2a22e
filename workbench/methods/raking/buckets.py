"""Buckets: which atoms share one, and how many records it has of each sensitive value, so that the model holds."""

from __future__ import annotations

import numpy as np

from workbench.data.table import Table
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.beliefs import raked
from workbench.methods.raking.grouping import grouped
from workbench.methods.raking.limits import Limit
from workbench.methods.raking.polish import polished
from workbench.methods.raking.seats import Seats, seated, together
from workbench.models import Model


def buckets(
    table: Table, model: Model | None, atoms: Atoms, most: int, smallest: int, seed: int
) -> tuple[np.ndarray, Seats]:
    """The bucket of each atom, and the seats of each bucket: at most so many buckets, none with fewer records."""
    limits = {name: Limit(model, seen) for name, seen in table.sensitive.items()}
    beliefs = {name: raked(atoms, limit) for name, limit in limits.items()}
    prior = np.concatenate([seen.prior for seen in table.sensitive.values()])
    floor = max(smallest, model.floor if model else 1)
    group = grouped(np.hstack([*beliefs.values()]), prior, atoms.records, most, floor, seed)
    sizes, shares, seats = np.bincount(group, atoms.records).astype(np.int64), atoms.shares(group), Seats()
    for name, limit in limits.items():
        counts = np.stack([np.bincount(group, atoms.records * one) for one in beliefs[name].T], axis=1)
        told = polished(counts / sizes[:, None], shares, atoms.truth[name], sizes, limit)
        seats[name] = seated(told * sizes[:, None], sizes, limit)
    return together(group, seats, limits)
