"""Raked buckets.

Beliefs are raked to all large populations (iterative proportional fitting, Deming & Stephan 1940), moved towards the
whole table's distribution until they satisfy the model, and clustered into buckets.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.base.errors import Undefined, Unsatisfiable
from workbench.base.figures import format_guarantee
from workbench.base.parameters import canonical, parameter
from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods import ALONE, Method, Spent
from workbench.methods.mondrian.mondrian import Mondrian
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

# The truth about large populations with Gaussian noise by OpenDP, drawn once and reused by every release.
#
# Populations, quasi-identifiers and the totals of the sensitive columns are public. Two tables are neighbors if two
# people have swapped their sensitive values: the noise covers all counts that change then (zero-concentrated
# differential privacy, Bun & Steinke 2016).

DELTA = 1e-6  # epsilon is reported for this delta
MANY = 20_000  # atoms; beyond, pairs are not compared and an upper bound is used
PAIRS = 10_000_000  # of atoms compared at a time
WIDER = 1 + 1e-9  # factor by which the scale grows until OpenDP counts its loss as within the budget
NUDGES = 64


class DrawStore(Protocol):
    """A store of draws beyond the table."""

    def __call__(self, about: str, make: Callable[[], bytes], read: Callable[[bytes], np.ndarray]) -> np.ndarray:
        """Return the stored draw of this name, decoded by `read`; make and store it if there is none."""


_keep: ContextVar[DrawStore | None] = ContextVar("keep", default=None)


@contextmanager
def use_draw_store(keep: DrawStore | None) -> Iterator[None]:
    """Use this store for draws inside the block, in this thread; without one only the table caches them."""
    before = _keep.set(keep)
    try:
        yield
    finally:
        _keep.reset(before)


def noise_promise(rho: float) -> str:
    """Return the guarantee of such noise, as part of a sentence."""
    epsilon = rho + 2 * math.sqrt(rho * -math.log(DELTA))  # proposition 1.3 of Bun & Steinke
    return (
        f"rho = {rho:g} (zero-concentrated differential privacy; epsilon {format_guarantee(epsilon)} at delta = "
        f"{DELTA:g}) for two people who swap their sensitive values; quasi-identifiers and the totals of sensitive "
        f"columns are published unchanged, and are not protected; {ALONE}"
    )


def budgets_of_columns(table: Table, rho: float, min_support: float) -> dict[str, Spent]:
    """Return the budget that the draw of each sensitive column spends: an equal part."""
    part = rho / len(table.sensitive)
    return {name: Spent(_draw(name, part, min_support), "rho", lambda: part) for name in table.sensitive}


def add_noise(table: Table, atoms: Atoms, rho: float, min_support: float) -> Atoms:
    """Return the atoms with noisy counts of populations, within a total of `rho`."""
    part, spent = rho / len(table.sensitive), budgets_of_columns(table, rho, min_support)
    truth = {name: _counts(table, atoms, name, part, one.draw) for name, one in spent.items()}
    return replace(atoms, populations=replace(atoms.populations, truth=truth))


def _draw(name: str, rho: float, min_support: float) -> str:
    return canonical({"column": name, "gaussian": rho, "min_support": min_support})


def _counts(table: Table, atoms: Atoms, name: str, rho: float, draw: str) -> np.ndarray:
    """Return noisy counts per population and value, none below 0, scaled to the number of people."""
    true = atoms.populations.truth[name]
    order = np.array(sorted(range(true.shape[1]), key=table.sensitive[name].labels.__getitem__), np.int64)

    def drawn() -> np.ndarray:  # once per table, even before there is a store
        return table.remember(
            ("drawn", draw), lambda: _drawn(true[:, order], rho, lambda: max_changed_populations(atoms))
        )

    def read(kept: bytes) -> np.ndarray:
        return np.frombuffer(kept, np.int64).reshape(true.shape)

    keep, found = _keep.get(), np.empty(true.shape)
    if keep is None:
        found[:, order] = drawn()
    else:
        found[:, order] = keep(f"{draw} {_content(table, atoms, name, order)}", lambda: drawn().tobytes(), read)
    found = np.maximum(found, 0)
    people = found.sum(axis=1, keepdims=True)
    shares = np.where(people > 0, found / np.maximum(people, 1), table.sensitive[name].prior)
    return shares * atoms.populations.support[:, None]


def _content(table: Table, atoms: Atoms, name: str, order: np.ndarray) -> str:
    """Return a digest of the true counts, independent of the order of values in a hierarchy."""
    labels = table.sensitive[name].labels
    digest = hashlib.blake2b(repr([labels[code] for code in order]).encode(), digest_size=20)
    for counts in (atoms.populations.runs, atoms.populations.truth[name][:, order].astype(np.int64)):
        digest.update(np.ascontiguousarray(counts).data)
    return digest.hexdigest()


def _drawn(counts: np.ndarray, rho: float, changed: Callable[[], int]) -> np.ndarray:
    """Return the counts with noise from the operating system's randomness."""
    checkpoint("noise on the counts of large populations")
    many = changed()
    if not many:  # no swap changes any count
        return counts.astype(np.int64)
    distance = math.nextafter(math.sqrt(2 * many), math.inf)  # in each changed population one count rises and one falls
    scale = distance / math.sqrt(2 * rho)
    for _ in range(NUDGES):
        if (one := _measurement(scale)).map(distance) <= rho:
            return np.array(one(counts.ravel().astype(np.int64).tolist()), np.int64).reshape(counts.shape)
        scale *= WIDER
    raise Undefined(f"raked buckets: no scale of noise is within rho = {rho:g}")


def _measurement(scale: float) -> Any:
    """Return OpenDP's discrete Gaussian noise on a list of counts."""
    import opendp.prelude as dp  # takes a second or two

    dp.enable_features("contrib")
    return dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), scale=scale)


def max_changed_populations(atoms: Atoms) -> int:
    """Return the largest number of populations whose counts change if two people swap their values.

    These are the populations that contain one of the two and not the other. With very many atoms the result is an upper
    bound.
    """
    held = np.bincount(atoms.members, minlength=len(atoms))
    order = np.argsort(-held)
    if len(atoms) > MANY:
        return min(len(atoms.populations), int(held[order[:2]].sum()))
    block, most = max(PAIRS // len(atoms), 1), 0
    for first in range(0, len(atoms), block):
        some = order[first : first + block]
        if held[some[0]] + held[order[0]] <= most:  # no further pair can exceed the maximum
            break
        checkpoint("searching for the people who share the fewest populations")
        most = max(most, int((held[some, None] + held - 2 * atoms.shared(some)).max()))
    return most


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
        return "" if self.rho is None else noise_promise(self.rho)

    @property
    def warning(self) -> str:
        swapped = self.publish == "exchanged"
        if self.files == "flat":
            return (SWAPPED_AND_ASSIGNED if swapped else ASSIGNED).warning
        return SWAPPED_CAUTION if swapped else ""

    def spent_budgets(self, table: Table) -> dict[str, Spent]:
        return {} if self.rho is None else budgets_of_columns(table, self.rho, self.design_support)

    def refuse(self, table: Table, model: Model | None) -> None:
        refuse_roles(table, self.publish == "dealt", self.rho is not None)
        super().refuse(table, model)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            atoms = Atoms.from_table(table, self.design_support)
            refuse_one_atom(table, atoms, self.design_support)
            if self.rho is not None:
                atoms = add_noise(table, atoms, self.rho, self.design_support)
            found = buckets(table, model, atoms, self.clusters, self.smallest, seed)
            made = [found.release(table, atoms, seed, self.publish == "dealt", self.guarantee)]
            if model is not None and self.rho is None:  # a comparison on exact counts would void the noise's guarantee
                made += plain_buckets(table, model)
            if self.files == "flat":
                made = [as_one_file(one, seed) for one in made]
            return min(made, key=lambda one: utility_loss(one, atoms)) if len(made) > 1 else made[0]
