"""What is true of large populations, with Gaussian noise by OpenDP: drawn once, whatever is made of it afterwards.

Populations, quasi-identifiers and the totals of the sensitive columns are public. Two tables are neighbours where two
people have exchanged their sensitive values: the noise covers all counts that change then (zero-concentrated
differential privacy, Bun & Steinke 2016).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.progress import step
from workbench.base.variants import canonical
from workbench.data.table import Table
from workbench.methods import ALONE, Spent
from workbench.methods.raking.atoms import Atoms

DELTA = 1e-6  # epsilon is said for this
MANY = 20_000  # atoms: of more it is not looked which two are held by the least equal populations
PAIRS = 10_000_000  # of atoms that are compared at a time
WIDER = 1 + 1e-9  # a scale whose loss, as OpenDP counts it, is within the budget
NUDGES = 64


class Keep(Protocol):
    """Where a draw is kept beyond the table."""

    def __call__(self, about: str, make: Callable[[], bytes], read: Callable[[bytes], np.ndarray]) -> np.ndarray:
        """What is read of the one draw that goes by this name; it is made where there is none."""


_keep: ContextVar[Keep | None] = ContextVar("keep", default=None)


@contextmanager
def kept_by(keep: Keep | None) -> Iterator[None]:
    """What is drawn in here, in this thread, is looked for there, and kept; by default the table alone has it."""
    before = _keep.set(keep)
    try:
        yield
    finally:
        _keep.reset(before)


def promise(rho: float) -> str:
    """What such noise promises, as part of a sentence."""
    epsilon = rho + 2 * math.sqrt(rho * -math.log(DELTA))  # proposition 1.3 of Bun & Steinke
    return (
        f"rho = {rho:g} (zero-concentrated differential privacy; epsilon = {figures(epsilon, 'lower')} at delta = "
        f"{DELTA:g}) for two people who exchange their sensitive values; quasi-identifiers and the totals of sensitive "
        f"columns are published unchanged, and are not protected; {ALONE}"
    )


def spends(table: Table, rho: float, min_support: float) -> dict[str, Spent]:
    """What is drawn of each sensitive column: an equal part."""
    part = rho / len(table.sensitive)
    return {name: Spent(_draw(name, part, min_support), "rho", lambda: part) for name in table.sensitive}


def noisy(table: Table, atoms: Atoms, rho: float, min_support: float) -> Atoms:
    """The same atoms with counts of populations that keep rho in all."""
    part, spent = rho / len(table.sensitive), spends(table, rho, min_support)
    truth = {name: _counts(table, atoms, name, part, one.draw) for name, one in spent.items()}
    return replace(atoms, populations=replace(atoms.populations, truth=truth))


def _draw(name: str, rho: float, min_support: float) -> str:
    return canonical({"column": name, "gaussian": rho, "min_support": min_support})


def _counts(table: Table, atoms: Atoms, name: str, rho: float, draw: str) -> np.ndarray:
    """Of each population how many have each value, as the noise tells: none below 0, and as many as it has people."""
    true = atoms.populations.truth[name]
    order = np.array(sorted(range(true.shape[1]), key=table.sensitive[name].labels.__getitem__), np.int64)

    def drawn() -> np.ndarray:  # once a table, also before there is a store
        return table.remember(("drawn", draw), lambda: _drawn(true[:, order], rho, lambda: farthest(atoms)))

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
    """A digest of what the noise is put on, in whichever order a hierarchy gives the values."""
    labels = table.sensitive[name].labels
    digest = hashlib.blake2b(repr([labels[code] for code in order]).encode(), digest_size=20)
    for counts in (atoms.populations.runs, atoms.populations.truth[name][:, order].astype(np.int64)):
        digest.update(np.ascontiguousarray(counts).data)
    return digest.hexdigest()


def _drawn(counts: np.ndarray, rho: float, changed: Callable[[], int]) -> np.ndarray:
    """The counts with noise of the operating system's randomness."""
    step("noise on the counts of large populations")
    many = changed()
    if not many:  # whoever exchanges values, all counts stay
        return counts.astype(np.int64)
    distance = math.nextafter(math.sqrt(2 * many), math.inf)  # each of these has one more, and one fewer
    scale = distance / math.sqrt(2 * rho)
    for _ in range(NUDGES):
        if (one := _measurement(scale)).map(distance) <= rho:
            return np.array(one(counts.ravel().astype(np.int64).tolist()), np.int64).reshape(counts.shape)
        scale *= WIDER
    raise Undefined(f"raked buckets: no scale of noise is within rho = {rho:g}")


def _measurement(scale: float) -> Any:
    """OpenDP's discrete Gaussian noise on a list of counts."""
    import opendp.prelude as dp  # takes a second or two

    dp.enable_features("contrib")
    return dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), scale=scale)


def farthest(atoms: Atoms) -> int:
    """The most populations that hold one of two people and not the other: whose counts change where they exchange
    their values. Of very many atoms never fewer than that."""
    held = np.bincount(atoms.members, minlength=len(atoms))
    order = np.argsort(-held)
    if len(atoms) > MANY:
        return min(len(atoms.populations), int(held[order[:2]].sum()))
    block, most = max(PAIRS // len(atoms), 1), 0
    for first in range(0, len(atoms), block):
        some = order[first : first + block]
        if held[some[0]] + held[order[0]] <= most:  # nobody else is in as many
            break
        step("which people share the fewest populations")
        most = max(most, int((held[some, None] + held - 2 * atoms.shared(some)).max()))
    return most
