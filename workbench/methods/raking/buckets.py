"""Buckets: which atoms share one, and how many records it has of each sensitive value, so that the model holds."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Unsatisfiable
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


def refuse_one_atom(table: Table, atoms: Atoms, support: float) -> None:
    """Raise where no large population tells anybody apart: all would be one bucket, which tells nothing."""
    if len(atoms) == 1 and np.ptp(table.cells().quasi, axis=1).any():
        raise Unsatisfiable(
            f"raked buckets are made for populations of at least {100 * support:g} % of the records, and there is none "
            "but everybody: give a quasi-identifier a hierarchy, or lower design_support"
        )


def refuse_roles(table: Table, dealt: bool, noise: bool) -> None:
    """Raise where there is nothing to exchange, or it cannot be dealt, or no noise covers it."""
    if not table.sensitive:
        raise Unsatisfiable("raked buckets need a sensitive column, and the table has none; name one")
    if noise and dealt:
        raise Unsatisfiable("dealt buckets hold true values, which no noise protects; use publish = exchanged")
    if noise and table.weight is not None:
        raise Unsatisfiable(
            "the noise of rho is for records that count alike, and these have weights; leave rho or the weight out"
        )
    if dealt:
        table.engine.require_memory("dealt buckets take records one by one", "use publish = exchanged")
    if dealt and len(table.sensitive) > 1:
        raise Unsatisfiable(
            f"dealt buckets are made for one sensitive column, and the table has {len(table.sensitive)}; use "
            "publish = exchanged, or name one of them"
        )
