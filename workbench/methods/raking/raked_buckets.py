"""Raked buckets: made to satisfy a model such as t-closeness, as true of large populations as that allows.

Beliefs about everybody are raked to all large populations (iterative proportional fitting, Deming & Stephan 1940),
moved towards the whole table's distribution until the model holds, and clustered; each cluster is a bucket. Published
are exact quasi-identifiers, and how many of each sensitive value a bucket has: exchanged between records, or dealt.
"""

from __future__ import annotations

from dataclasses import dataclass

from threadpoolctl import threadpool_limits

from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods import Method, Spent
from workbench.methods.raking import noisy_truth
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.buckets import buckets, refuse_one_atom, refuse_roles
from workbench.methods.raking.dealing import into_buckets
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.exchanged import CAUTION, Exchanged
from workbench.releases.flat import Flat, FlatExchanged, as_one_file


@dataclass(frozen=True)
class RakedBuckets(Method):
    publish: str = parameter(
        "exchanged", "exchanged: sensitive values move between records (data swapping), which is nearest to the truth "
        "about many; dealt: every record keeps its own", choices=("exchanged", "dealt"), named=True,
    )  # fmt: skip
    design_support: float = parameter(
        0.05, "the smallest share of records of the populations that it is made for", low=0, high=1, above=True,
        optional=True,
    )  # fmt: skip
    clusters: int = parameter(200, "the most buckets", low=1, high=10_000, optional=True)
    smallest: int = parameter(40, "the fewest records of a bucket", low=1, high=100_000, optional=True)
    rho: float | None = parameter(
        None, "the budget of noise on what is true of large populations, for two people who exchange their sensitive "
        "values (zero-concentrated differential privacy); none: no noise, and no guarantee",
        low=0, high=100, above=True, scale="log", number=float, optional=True,
    )  # fmt: skip
    files: str = parameter(
        "two", "two: records, and how often each bucket has each value; flat: one row a record, its value dealt in its "
        "bucket", choices=("two", "flat"), optional=True,
    )  # fmt: skip
    name = "raked buckets"

    @property
    def draws(self) -> bool:  # type: ignore[override]
        return self.rho is not None

    @property
    def guarantee(self) -> str:
        return "" if self.rho is None else noisy_truth.promise(self.rho)

    @property
    def caution(self) -> str:
        two, flat = (CAUTION, FlatExchanged.caution) if self.publish == "exchanged" else ("", Flat.caution)
        return flat if self.files == "flat" else two

    def spends(self, table: Table) -> dict[str, Spent]:
        return {} if self.rho is None else noisy_truth.spends(table, self.rho, self.design_support)

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise where there is nothing to exchange, or no release keeps the model."""
        refuse_roles(table, self.publish == "dealt", self.rho is not None)
        super().refuse(table, model)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            atoms = Atoms.of(table, self.design_support)
            refuse_one_atom(table, atoms, self.design_support)
            if self.rho is not None:
                atoms = noisy_truth.noisy(table, atoms, self.rho, self.design_support)
            group, seats = buckets(table, model, atoms, self.clusters, self.smallest, seed)
            exchanged = Exchanged.of(table, group[atoms.of_cell], seats, self.guarantee)
            found = into_buckets(table, atoms, group, seats, seed) if self.publish == "dealt" else exchanged
        return as_one_file(found, seed) if self.files == "flat" else found
