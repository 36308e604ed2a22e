"""Raked buckets.

Beliefs are raked to all large populations (iterative proportional fitting, Deming & Stephan 1940), moved towards the
whole table's distribution until they satisfy the model, and clustered into buckets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.base.errors import Unsatisfiable
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods import Method, Spent
from workbench.methods.mondrian.mondrian import Mondrian
from workbench.methods.raking import noisy_truth
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.buckets import buckets, refuse_one_atom, refuse_roles
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.exchanged import (
    ASSIGNED,
    SWAPPED_AND_ASSIGNED,
    SWAPPED_CAUTION,
    Flat,
    as_one_file,
)
from workbench.releases.partition import Bucketized

PLAIN = Mondrian(publish="bucketized")
NOTICE = (
    "plain buckets (Mondrian, median cuts) are published in place of raked ones, which would lose more utility on this "
    "table; no sensitive value is exchanged between buckets"
)


def plain_buckets(table: Table, model: Model) -> list[Bucketized]:
    """Return plain buckets that satisfy the model; empty if there are none."""
    checkpoint("plain buckets, to compare with")
    try:
        plain = PLAIN(table, model)
    except Unsatisfiable:
        return []
    return [replace(cast("Bucketized", plain), about=replace(plain.about, notices=(NOTICE,)))]


def utility_loss(release: Bucketized, atoms: Atoms) -> float:
    """Return U_loss of a release of all records, computed from atoms in a fraction of the measure's time."""
    from scipy.sparse import csr_matrix  # not needed to list the methods when the workbench starts

    counted = release.counted if isinstance(release, Flat) else release
    group, cell, people = counted.weighted_entries
    of_group = csr_matrix((people, (atoms.of_cell[cell], group)), (len(atoms), len(counted.classes)))
    estimates = {}
    for name in release.table.sensitive:
        counts = counted.people_of_classes(name)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        estimates[name] = atoms.sums(of_group @ shares) / atoms.held
    return atoms.loss(estimates)


@dataclass(frozen=True)
class RakedBuckets(Method):
    publish: str = parameter(
        "exchanged", "exchanged: swap sensitive values between records, most accurate for large groups; dealt: every "
        "record keeps its own value", choices=("exchanged", "dealt"), named=True,
    )  # fmt: skip
    design_support: float = parameter(
        0.05,
        "minimum share of records of the populations to which buckets are fitted",
        low=0,
        high=1,
        above=True,
        optional=True,
    )
    clusters: int = parameter(200, "maximum number of buckets", low=1, high=10_000, optional=True)
    smallest: int | None = parameter(
        None,
        "minimum number of records per bucket; none: chosen by a short search",
        low=1,
        high=100_000,
        type=int,
        optional=True,
    )
    rho: float | None = parameter(
        None, "privacy budget for two people who swap sensitive values (zero-concentrated differential privacy); "
        "none: no noise, no guarantee", low=0, high=100, above=True, scale="log", type=float, optional=True,
    )  # fmt: skip
    files: str = parameter(
        "two",
        "two: records, and counts by bucket; flat: one file with the values assigned to records",
        choices=("two", "flat"),
        optional=True,
    )
    name = "raked buckets"
    title = "Raked buckets"
    summary = "satisfies a model such as t-closeness, as close to the truth about large populations as it allows"

    @property
    def draws(self) -> bool:  # type: ignore[override]
        return self.rho is not None

    @property
    def guarantee(self) -> str:
        return "" if self.rho is None else noisy_truth.promise(self.rho)

    @property
    def warning(self) -> str:
        swapped = self.publish == "exchanged"
        if self.files == "flat":
            return (SWAPPED_AND_ASSIGNED if swapped else ASSIGNED).warning
        return SWAPPED_CAUTION if swapped else ""

    def spent_budgets(self, table: Table) -> dict[str, Spent]:
        return {} if self.rho is None else noisy_truth.spent_budgets(table, self.rho, self.design_support)

    def refuse(self, table: Table, model: Model | None) -> None:
        refuse_roles(table, self.publish == "dealt", self.rho is not None)
        super().refuse(table, model)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            atoms = Atoms.from_table(table, self.design_support)
            refuse_one_atom(table, atoms, self.design_support)
            if self.rho is not None:
                atoms = noisy_truth.add_noise(table, atoms, self.rho, self.design_support)
            found = buckets(table, model, atoms, self.clusters, self.smallest, seed)
            made = [found.release(table, atoms, seed, self.publish == "dealt", self.guarantee)]
            if model is not None and self.rho is None:  # a comparison on exact counts would void the noise's guarantee
                made += plain_buckets(table, model)
            if self.files == "flat":
                made = [as_one_file(one, seed) for one in made]
            return min(made, key=lambda one: utility_loss(one, atoms)) if len(made) > 1 else made[0]
