"""Random responses: what may be released for a value, how likely each result is, and the posterior of the true
value.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.convergence import Fit, report_fit
from workbench.base.errors import Undefined
from workbench.base.progress import checkpoint
from workbench.data.table import Table

# Maximum likelihood of mixture proportions: the distribution of true values that makes observed counts most likely.
#
# The likelihood is concave, so its maximum can be certified: with the proportions p, the mean log-likelihood of an
# observation is at most max(gradient) - 1 below the maximum. That is the residual. Expectation maximization, the usual
# algorithm, takes many thousand rounds where the components are similar; a primal-dual interior-point method takes 10
# to 40 (compare Kim, Carbonetto, Stephens & Anitescu 2020, who use sequential quadratic programming).

NAME = "maximum likelihood of the true values"
ROUNDS, TOLERANCE = 100, 1e-11
TO_BOUNDARY = 0.995  # share of the way to where a proportion or its multiplier would become 0
TINY = 1e-100
AT_ONCE = 8_000_000  # entries of the Hessian matrices that are in memory together
DENSE = 400  # components up to which all are fitted at once
NEW = 100  # components that join in one round beyond that

Newton = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # from weights, ridge and right side


class Mixture(NamedTuple):
    """Proportions for each row of counts, and how the fit ended."""

    proportions: np.ndarray
    fit: Fit


def fit_proportions(counts: np.ndarray, likelihood: np.ndarray) -> Mixture:
    """Fit the proportions of the components to each row of counts.

    Parameters
    ----------
    counts
        Rows x outcomes. A row without observations has proportions of 0.
    likelihood
        Components x outcomes: the probability of each outcome, up to a factor for each outcome.
    """
    total = counts.sum(axis=1)
    seen = np.flatnonzero(total > 0)
    found, rounds, residual = np.zeros((len(counts), len(likelihood))), 0, 0.0
    newton, size = _newton(likelihood)
    for some in np.array_split(seen, -(-len(seen) // size)) if len(seen) else ():
        part = counts[some] / total[some, None]
        if len(likelihood) > DENSE and len(counts) == 1:
            found[some], used = _solve_by_columns(part, likelihood)
        else:
            found[some], used = _solve(part, likelihood, newton)
        rounds = max(rounds, used)
        residual = max(residual, float(_residuals(found[some], part, likelihood).max()))
    return Mixture(found, Fit(NAME, rounds, residual, residual <= 10 * TOLERANCE))


def _residuals(found: np.ndarray, shares: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """Return how far each mean log-likelihood may be below the maximum."""
    return np.maximum(_gradient(found, shares, likelihood).max(axis=1) - 1, 0)


def _gradient(found: np.ndarray, shares: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    return (shares / np.maximum(found @ likelihood, TINY)) @ likelihood.T


def _solve(shares: np.ndarray, likelihood: np.ndarray, newton: Newton) -> tuple[np.ndarray, int]:
    """Solve all rows by a primal-dual interior-point method; also return the number of rounds.

    The sum of the proportions needs no constraint: sum(p) - sum(shares * log(p @ likelihood)) is minimal where it is 1.
    """
    found = np.full((len(shares), len(likelihood)), 1 / len(likelihood))
    multiplier, active, number = np.ones_like(found), np.arange(len(shares)), 0
    while len(active) and number < ROUNDS:
        checkpoint()
        number += 1
        p, z, s = found[active], multiplier[active], shares[active]
        mixed = np.maximum(p @ likelihood, TINY)
        excess = 1 - (s / mixed) @ likelihood.T - z
        target = 0.1 * np.minimum((p * z).mean(axis=1, keepdims=True), 1) ** 1.5
        change = newton(s / mixed**2, z / p, target / p - z - excess)
        change_of_z = (target - z * change) / p - z
        p, z = _inside(p, change), _inside(z, change_of_z)
        found[active], multiplier[active] = p, z
        active = active[_residuals(p / p.sum(axis=1, keepdims=True), s, likelihood) > TOLERANCE]
    return found / found.sum(axis=1, keepdims=True), number


def _newton(likelihood: np.ndarray) -> tuple[Newton, int]:
    """Return a solver of (likelihood @ diag(weights) @ likelihood.T + diag(ridge)) x = right, and its batch size in
    rows.

    If each value is kept or else drawn from one distribution, the matrix is a diagonal plus the same row for each
    component. The system is then solved in linear time.
    """
    components = len(likelihood)
    diagonal = np.arange(components)

    def dense(weights: np.ndarray, ridge: np.ndarray, right: np.ndarray) -> np.ndarray:
        hessian = (likelihood * weights[:, None, :]) @ likelihood.T
        hessian[:, diagonal, diagonal] += ridge
        return np.linalg.solve(hessian, right[:, :, None])[:, :, 0]

    def kept_or_drawn(weights: np.ndarray, ridge: np.ndarray, right: np.ndarray) -> np.ndarray:
        own = kept**2 * weights + ridge
        columns = np.stack([np.ones_like(own), kept * weights * row], axis=1)
        inner = np.einsum("rai,rbi->rab", columns / own[:, None, :], columns)
        inner[:, 0, 1] += 1
        inner[:, 1, 0] += 1
        inner[:, 1, 1] -= (weights * row**2).sum(axis=1)
        part = np.linalg.solve(inner, np.einsum("rai,ri->ra", columns, right / own)[:, :, None])[:, :, 0]
        return (right - np.einsum("ra,rai->ri", part, columns)) / own

    if likelihood.shape == (components, components) and components > 2:
        row = likelihood[np.roll(diagonal, 1), diagonal]  # none of them on the diagonal
        kept = likelihood[diagonal, diagonal] - row
        if (kept > 0).all() and np.allclose(likelihood, np.diag(kept) + row, rtol=1e-12, atol=1e-15):
            return kept_or_drawn, max(1, AT_ONCE // components)
    return dense, max(1, AT_ONCE // (components * max(likelihood.shape)))


def _inside(value: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Move each row as far as all its entries stay positive."""
    falls = change < 0
    limit = np.where(falls, -value / np.where(falls, change, -1), np.inf).min(axis=1, keepdims=True)
    return np.maximum(value + np.minimum(1, TO_BOUNDARY * limit) * change, TINY)


def _solve_by_columns(shares: np.ndarray, likelihood: np.ndarray) -> tuple[np.ndarray, int]:
    """Solve one row with many components: those with the largest gradient join until none would help."""
    chosen = np.unique(np.linspace(0, len(likelihood) - 1, NEW).astype(int))
    found, number, used = np.zeros((1, len(likelihood))), 0, 0
    while number < ROUNDS:
        number += 1
        part, rounds = _solve(shares, likelihood[chosen], _newton(likelihood[chosen])[0])
        used += rounds
        found[:] = 0
        found[:, chosen] = part
        gradient = _gradient(found, shares, likelihood)[0]
        if gradient.max() - 1 <= 10 * TOLERANCE:
            break
        best = np.array([b[gradient[b].argmax()] for b in np.array_split(np.arange(len(gradient)), NEW)])
        chosen = np.union1d(chosen[part[0] > TOLERANCE], best[gradient[best] > 1])
    return found, used


MAX_PAIRS = 50_000_000  # pairs of a true value and a released one
SINGULAR = 1e8  # condition number from which on a matrix is not inverted
STEPS = 20  # parts of the scale of noise that estimates distinguish


@dataclass(frozen=True, eq=False)
class Categorical:
    """A response that draws one of the column's own values by the row of the true one: true x released values."""

    chances: np.ndarray
    words: str = ""  # how the values are drawn, for the codebook
    listed: bool = False  # the codebook lists each probability, which cannot be computed
    keep: float | None = None  # the probability of the true value, if others follow a known distribution
    others: str = ""  # that distribution: of the "table", or "uniform"

    @property
    def layout(self) -> dict[str, Any]:
        """The settings from which a reader of the file can compute the probabilities."""
        return {"listed": True} if self.keep is None else {"keep": self.keep, "others": self.others}

    @cached_property
    def undone(self) -> np.ndarray | None:
        """The inverse, released x true values: the weights with which counts are unbiased; None if it is (nearly)
        singular."""
        singular = np.linalg.cond(self.chances) > SINGULAR
        return None if singular else np.linalg.inv(self.chances)

    @cached_property
    def epsilon(self) -> float:
        """The largest log ratio between the probabilities of a released value under two true values."""
        most, least = self.chances.max(axis=0), self.chances.min(axis=0)
        possible = most > 0
        if (least[possible] == 0).any():
            return math.inf
        return math.nextafter(float(np.log(most[possible] / least[possible]).max()), math.inf)

    def likelihood(self, values: np.ndarray) -> np.ndarray:
        """Return the probability of each released value for each true one: true x released."""
        return self.chances[:, values]

    def coarse(self, values: np.ndarray) -> np.ndarray:
        """Return the released values grouped for estimation (no grouping)."""
        return values

    @property
    def certain(self) -> bool:
        """True if every released value determines the true one."""
        return bool(((self.chances > 0).sum(axis=0) <= 1).all())


@dataclass(frozen=True, eq=False)
class Noise:
    """Laplace noise of a scale; `at` has the number of each code before, within the bounds."""

    scale: float
    at: np.ndarray
    low: float
    high: float
    epsilon: float

    undone = None
    certain = False

    @property
    def layout(self) -> dict[str, Any]:
        """The settings that a reader of the file needs about the noise."""
        return {"scale": self.scale, "low": self.low, "high": self.high}

    def likelihood(self, values: np.ndarray) -> np.ndarray:
        """Return the likelihood of each number for each code, up to a factor: codes x numbers."""
        if len(self.at) * len(values) > MAX_PAIRS:
            raise Undefined("too many pairs of a true and a released value to compute their likelihoods")
        far = np.abs(values[None, :] - self.at[:, None]) / self.scale
        return np.exp(far.min(axis=0, keepdims=True) - far)

    def coarse(self, values: np.ndarray) -> np.ndarray:
        """Return numbers rounded to a twentieth of the scale, which the noise hides anyway."""
        step = self.scale / STEPS
        return values if len(values) * len(self.at) <= MAX_PAIRS // 100 else np.round(values / step) * step


Response = Categorical | Noise


@dataclass(frozen=True, eq=False)
class Drawn:
    """The released column: its distinct values, and which of them each record has."""

    response: Response
    values: np.ndarray
    codes: np.ndarray

    @classmethod
    def from_released(cls, response: Response, released: np.ndarray) -> Drawn:
        """Build from the released value of each record."""
        values, codes = np.unique(released, return_inverse=True)
        return cls(response, values, codes.ravel())

    @property
    def released(self) -> np.ndarray:
        """The released value of each record."""
        return self.values[self.codes]

    @cached_property
    def coarse(self) -> Drawn:
        """The column grouped for estimation."""
        return Drawn.from_released(self.response, self.response.coarse(self.values)[self.codes])

    def posterior(self, prior: np.ndarray) -> np.ndarray:
        """Return the posterior of each true value for each released one (Bayes' rule): released x true values."""
        joint = prior[:, None] * self.response.likelihood(self.values)
        return (joint / joint.sum(axis=0)).T

    @property
    def likeliest(self) -> np.ndarray:
        """The maximum likelihood distribution of the true values."""
        report_fit(self._fitted.fit)
        return self._fitted.proportions[0]

    @cached_property
    def _fitted(self) -> Mixture:
        counts = np.bincount(self.codes, minlength=len(self.values)).astype(float)
        return fit_proportions(counts[None, :], self.response.likelihood(self.values))


# Randomly drawn values of a column as stored files, record by record, for the analyst only.
#
# They are stored in the order of the table's records and of their labels, independent of the order in a hierarchy.

HOW = b"response"  # key in the file's metadata


def content(table: Table, name: str, numbers: bool) -> str:
    """Return a digest of the input: a column's values record by record, as numbers or at the model level."""
    labels, codes = _numbers(table, name) if numbers else _values(table, name)
    order, place = _orders(labels)
    digest = hashlib.blake2b(repr([labels[code] for code in order]).encode(), digest_size=20)
    digest.update(place[codes].astype(np.int32).tobytes())
    return digest.hexdigest()


def written(table: Table, name: str, drawn: Drawn) -> bytes:
    """Return Parquet bytes of the released values and the response."""
    response, released = drawn.response, drawn.released
    if isinstance(response, Categorical):
        order, place = _orders(_values(table, name)[0])
        released, chances = place[released], response.chances[np.ix_(order, order)]
        described = {"chances": chances.tolist(), "words": response.words, "listed": response.listed}
        described |= {"keep": response.keep, "others": response.others}
    else:
        order, _ = _orders(_numbers(table, name)[0])
        described = {"scale": response.scale, "at": response.at[order].tolist()}
        described |= {"low": response.low, "high": response.high, "epsilon": response.epsilon}
    file, sink = pa.table({"released": released}), pa.BufferOutputStream()
    pq.write_table(file.replace_schema_metadata({HOW: json.dumps(described).encode()}), sink)
    return sink.getvalue().to_pybytes()


def read(table: Table, name: str, kept: bytes) -> Drawn:
    """Return the stored column; raise ValueError if it belongs to another table."""
    # Arrow's threads may release Python's bytes while the interpreter exits, which aborts the process.
    file = pq.ParquetFile(pa.BufferReader(kept)).read(use_threads=False)
    described, released = json.loads((file.schema.metadata or {})[HOW]), file["released"].to_numpy()
    listed = "chances" in described
    order, place = _orders((_values if listed else _numbers)(table, name)[0])
    if len(released) != table.records or len(described["chances" if listed else "at"]) != len(order):
        raise ValueError("it belongs to another table")
    if listed:
        chances = np.array(described["chances"], float)[np.ix_(place, place)]
        return Drawn.from_released(
            Categorical(
                chances, described["words"], described["listed"], described.get("keep"), described.get("others", "")
            ),
            order[released],
        )
    at = np.array(described["at"], float)[place]
    return Drawn.from_released(
        Noise(described["scale"], at, described["low"], described["high"], described["epsilon"]), released
    )


def _numbers(table: Table, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    return table.columns[name].value_labels(), table.codes[name]


def _values(table: Table, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return labels and codes at the model level."""
    if name not in table.sensitive:
        return _numbers(table, name)
    return table.sensitive[name].labels, table.model_view.codes[name]


def _orders(labels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes in the order of their labels, and the rank of each code."""
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
    return order, np.argsort(order)
