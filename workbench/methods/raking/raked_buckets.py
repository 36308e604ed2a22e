"""Raked buckets: made to satisfy a model such as t-closeness, as true of large populations as that allows.

Beliefs about everybody are raked to all large populations (iterative proportional fitting, Deming & Stephan 1940),
moved towards the whole table's distribution until the model holds, and clustered; each cluster is a bucket. Published
are exact quasi-identifiers, and how many of each sensitive value a bucket has: exchanged between records, or dealt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.base.errors import Unsatisfiable
from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.beliefs import raked
from workbench.methods.raking.dealing import Records, dealt
from workbench.methods.raking.grouping import grouped
from workbench.methods.raking.limits import Limit
from workbench.methods.raking.polish import polished
from workbench.methods.raking.seats import Seats, seated, together
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.exchanged import CAUTION, Exchanged
from workbench.releases.partition import Bucketized


@dataclass(frozen=True)
class RakedBuckets(Method):
    publish: str = parameter(
        "exchanged",
        "exchanged: sensitive values move between records (data swapping), which is nearest to the truth about many; "
        "dealt: every record keeps its own",
        choices=("exchanged", "dealt"),
        named=True,
    )
    design_support: float = parameter(
        0.05, "the smallest share of records of the populations that it is made for", low=0, high=1, above=True
    )
    clusters: int = parameter(200, "the most buckets", low=1, high=10_000)
    smallest: int = parameter(40, "the fewest records of a bucket", low=1, high=1_000_000)
    name = "raked buckets"

    @property
    def caution(self) -> str:
        return CAUTION if self.publish == "exchanged" else ""

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise where there is nothing to exchange, or no release keeps the model."""
        if not table.sensitive:
            raise Unsatisfiable("raked buckets need a sensitive column, and the table has none; name one")
        if self.publish == "dealt":
            table.engine.require_memory("dealt buckets take records one by one", "use publish = exchanged")
            if len(table.sensitive) > 1:
                raise Unsatisfiable(
                    f"dealt buckets are made for one sensitive column, and the table has {len(table.sensitive)}; use "
                    "publish = exchanged, or name one of them"
                )
        super().refuse(table, model)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            atoms = Atoms.of(table, self.design_support)
            group, seats = self._buckets(table, model, atoms, seed)
            if self.publish == "dealt":
                return _dealt(table, atoms, group, seats, seed)
        return Exchanged.of(table, group[atoms.of_cell], seats)

    def _buckets(self, table: Table, model: Model | None, atoms: Atoms, seed: int) -> tuple[np.ndarray, Seats]:
        """The bucket of each atom, and how many records each bucket has of each value."""
        limits = {name: Limit(model, seen) for name, seen in table.sensitive.items()}
        beliefs = {name: raked(atoms, limit) for name, limit in limits.items()}
        smallest = max(self.smallest, model.floor if model else 1)
        prior = np.concatenate([seen.prior for seen in table.sensitive.values()])
        group = grouped(np.hstack([*beliefs.values()]), prior, atoms.records, self.clusters, smallest, seed)
        sizes, shares = np.bincount(group, atoms.records).astype(np.int64), atoms.shares(group)
        seats = Seats()
        for name, limit in limits.items():
            counts = np.stack([np.bincount(group, atoms.records * one) for one in beliefs[name].T], axis=1)
            told = polished(counts / sizes[:, None], shares, atoms.truth[name], sizes, limit)
            seats[name] = seated(told * sizes[:, None], sizes, limit)
        return together(group, seats, limits)


def _dealt(table: Table, atoms: Atoms, group: np.ndarray, seats: Seats, seed: int) -> Bucketized:
    """Every record keeps its value: records with equal values may be in several buckets."""
    cells, ((name, counts),) = table.cells(), seats.items()
    rng = np.random.default_rng([seed, cells.digest])  # who knows the seed alone can replay nothing
    cell = np.repeat(np.arange(len(cells)), cells.weight)
    atom = atoms.of_cell[cell]
    bucket = dealt(Records(atom, cells.others[name][cell], group[atom]), counts, atoms, atoms.truth[name], rng)
    entry, count = np.unique(cell * len(counts) + bucket, return_counts=True)
    parts = (entry // len(counts)).astype(np.int32), count
    return Bucketized(table, cells, (entry % len(counts)).astype(np.int32), parts=parts)
