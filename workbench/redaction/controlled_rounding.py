"""Controlled rounding: counts become multiples of the threshold that still add up.

Each count is rounded to the nearest multiple below it or above it (a multiple may stay), and the rounded parts of a
total add up to the rounded total. A secret decides which counts are rounded up: it derives a pseudo-random number from
the name of each count. These numbers are the same in each publication, so publishing a table twice discloses nothing
more, and they do not depend on the data. So the exact count is less than the threshold below the published count, or at
most the threshold above it: a published 0, if somebody is known to be counted, means at most the threshold. Only the
total is rounded to the nearest multiple.

References: Cox, A constructive procedure for unbiased controlled rounding, JASA 82 (1987); Rosén, On sampling with
probability proportional to size, J. Statist. Plann. Inference 62 (1997), for the choice by ranked random numbers.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

FAR = 1e6  # cost of using a multiple that is not adjacent; ranks cost at most a few hundred
SECRET = secrets.token_bytes(32)  # for tables that this process publishes without a store


class Decided(NamedTuple):
    """The rounded counts of a part of a table: its records, and those of each value by column."""

    records: int
    counts: Mapping[str, Mapping[str, int]]


class Parts(Protocol):
    """A table that contains another table."""

    def decided(self, secret: bytes, threshold: int) -> Decided:
        """Return the counts of the part, rounded jointly with those of the other parts."""


@dataclass(frozen=True, eq=False)
class Rounding:
    """The rounding of a table's counts: the secret, and the table that it is a part of."""

    secret: bytes = b""
    threshold: int = 0  # the study's
    part_of: Parts | None = None

    def with_secret(self, secret: bytes) -> Rounding:
        """Return the same rounding with another secret."""
        return replace(self, secret=secret)

    @cached_property
    def _decided(self) -> Decided | None:
        return None if self.part_of is None else self.part_of.decided(self.secret, self.threshold)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with the decided counts, without the table that this one is a part of."""
        return {**self.__dict__, "_decided": self._decided}

    def total(self, exact: int, threshold: int) -> int:
        """Return the published number of records."""
        if self._decided is not None and threshold == self.threshold:
            return self._decided.records
        return rounded_total(exact, threshold)

    def counts(self, name: str, labels: Sequence[str], exact: np.ndarray, threshold: int) -> np.ndarray:
        """Return the published numbers of records of each value of a column, or of each group of a partition."""
        if threshold <= 1:
            return np.asarray(exact)
        if self._decided is not None and threshold == self.threshold and name in self._decided.counts:
            known = self._decided.counts[name]
            return np.array([known.get(label, 0) for label in labels], np.int64)
        total = self.total(round(float(np.sum(exact))), threshold)
        return round_parts(exact, threshold, total, self.draws(name, labels))

    def draws(self, name: str, labels: Iterable[str]) -> np.ndarray:
        """Return a reproducible number between 0 and 1 for each count."""
        key = self.secret or SECRET
        return np.array([_uniform(key, f"{name}\0{label}") for label in labels])


BY_ITSELF = Rounding()  # for a table that is published without a study


def _uniform(key: bytes, words: str) -> float:
    found = hashlib.blake2b(words.encode(), key=key[:64], digest_size=8).digest()
    return (int.from_bytes(found, "big") + 0.5) / 2**64


def rounded_total(exact: int, threshold: int) -> int:
    """Return the nearest multiple of the threshold; for a positive count at least the threshold."""
    step = max(threshold, 1)
    return max(step * ((2 * exact + step) // (2 * step)), step) if exact > 0 else 0


def round_parts(exact: np.ndarray, threshold: int, total: int, draws: np.ndarray) -> np.ndarray:
    """Return multiples of the threshold that add up to `total`, each adjacent to its exact count.

    A count that is r above the multiple below it is rounded up with a probability of about r / `threshold`. If no
    rounding to adjacent multiples adds up (because other parts decide the total), some counts move further.
    """
    steps, part = _steps(np.asarray(exact, float), threshold)
    order = np.argsort(_rank(part, draws, threshold), kind="stable")
    order = order[part[order] > 0]
    missing = total // threshold - int(steps.sum())
    up = order[: max(missing, 0)]
    steps[up] += 1
    return threshold * _further(steps, missing - len(up), order)


def _steps(exact: np.ndarray, threshold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the multiples strictly below positive counts, in thresholds, and the remaining parts of a threshold."""
    steps = np.maximum(np.ceil(exact / threshold - 1e-9) - 1, 0).astype(np.int64)
    return steps, np.clip(exact / threshold - steps, 0, 1)


def _rank(part: np.ndarray, draws: np.ndarray, threshold: int) -> np.ndarray:
    """Return the logarithm of Rosén's ranking variable (Pareto sampling): the smallest are chosen.

    A multiple is not certain to be rounded up either; otherwise no count would be published as 0.
    """
    part = np.minimum(part, 1 - 1 / (2 * threshold))
    with np.errstate(divide="ignore"):
        return np.log(draws / (1 - draws)) - np.log(part / np.maximum(1 - part, 1e-12))


def _further(steps: np.ndarray, missing: int, order: np.ndarray) -> np.ndarray:
    """Move steps one by one in the order of the draws, until they add up."""
    while missing and len(order):
        for i in order if missing > 0 else order[::-1]:
            if missing > 0 or steps[i] > 0:
                move = int(math.copysign(1, missing))
                steps[i] += move
                missing -= move
            if not missing:
                break
    return steps


def round_table(
    exact: np.ndarray, threshold: int, rows: np.ndarray, columns: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """A table of counts in multiples of the threshold whose rows and columns add up to rounded totals.

    A transport problem: each count is at a neighboring multiple where the totals allow it, and as many steps away as
    they need where not. Its constraints are totally unimodular, so the linear program has a solution in whole steps.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    exact = np.asarray(exact, np.int64)
    many, wide = exact.shape
    steps, part = _steps(exact, threshold)
    between = (part > 0).ravel()
    prices = np.where(between, np.clip(_rank(part, draws, threshold).ravel(), -300, 300), 0.0)
    cells = np.arange(many * wide)
    used = np.concatenate([cells[between], cells, cells])  # to the multiple above; further up; down
    sign = np.concatenate([np.ones(int(between.sum())), np.ones(len(cells)), -np.ones(len(cells))])
    high = np.concatenate([np.ones(int(between.sum())), np.full(len(cells), np.inf), steps.ravel().astype(float)])
    empty = exact.ravel() == 0
    further = FAR * np.where(empty, 100.0, 1.0)
    cost = np.concatenate([prices[between], further, further])
    which = np.arange(len(used))
    sums = csr_array(
        (np.tile(sign, 2), (np.concatenate([used // wide, many + used % wide]), np.tile(which, 2))),
        shape=(many + wide, len(used)),
    )
    missing = np.concatenate([rows // threshold - steps.sum(axis=1), columns // threshold - steps.sum(axis=0)])
    bounds = np.column_stack([np.zeros(len(used)), high])
    found = linprog(cost, A_eq=sums, b_eq=missing, bounds=bounds, method="highs-ds")
    if not found.success:
        raise RuntimeError(f"the linear program of controlled rounding failed: {found.message}")
    moved = np.bincount(used, sign * np.round(found.x), minlength=len(cells)).astype(np.int64)
    return threshold * (steps + moved.reshape(many, wide))
