"""Random responses: what may be released for a value, how likely each result is, and the posterior of the true
value.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.convergence import report_fit
from workbench.base.errors import Undefined
from workbench.base.mixtures import Mixture, fit_proportions
from workbench.data.table import Table

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
