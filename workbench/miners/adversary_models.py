"""Models of a sensitive value given the quasi-identifiers, fitted to beliefs about the population."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from workbench.base.convergence import Fit
from workbench.base.progress import checkpoint
from workbench.data.column import Column
from workbench.data.table import Table

LOGISTIC, BAYES = "logistic", "naive bayes"
PENALTY = 1.0  # equals a normal prior with deviation 1 for each coefficient
KINDS = 30_000  # kinds of people to fit a model to; of more a random sample
MOST = 100  # values or nodes of a column that the model distinguishes: the commonest
TINY = 1e-300  # lower limit for logarithms
SEEN = 1.0  # smoothing: the number of people added per value, distributed like the population


class Model(Protocol):
    """A model of kinds of people: those with identical quasi-identifiers."""

    kinds: int

    @classmethod
    def from_table(cls, table: Table, kind: np.ndarray, values: int) -> Model:
        """Create the model from the kind of each record and the number of sensitive values."""

    def beliefs(self) -> np.ndarray:
        """Return the distribution of the sensitive value for each kind."""

    def fit(self, counts: np.ndarray, steps: int) -> Fit:
        """Fit the model to counts of people by kind and value, starting from its present parameters."""


class Logistic:
    """A multinomial logistic model of a sensitive value given the quasi-identifiers."""

    def __init__(self, rows: np.ndarray, chosen: np.ndarray, values: int) -> None:
        self._rows, self._chosen, self.kinds = rows, chosen, len(rows)
        self._weights = np.zeros((rows.shape[1], values))

    @classmethod
    def from_table(cls, table: Table, kind: np.ndarray, values: int) -> Logistic:
        codes = _codes(table, kind)
        rows = np.hstack([_design_columns(table.columns[name], one) for name, one in codes.items()])
        chosen = np.arange(len(rows))
        if len(rows) > KINDS:
            chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:KINDS])
        return cls(np.hstack([rows, np.ones((len(rows), 1))]), chosen, values)

    def beliefs(self) -> np.ndarray:
        """Return the distribution of the sensitive value for each kind."""
        return _softmax(self._rows @ self._weights)[0]

    def fit(self, counts: np.ndarray, steps: int) -> Fit:
        """Fit the model to counts of people by kind and value, starting from its present parameters."""
        from scipy.optimize import minimize

        rows, wanted = self._rows[self._chosen], counts[self._chosen]
        people = wanted.sum(axis=1, keepdims=True)

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            checkpoint()
            weights = flat.reshape(self._weights.shape)
            shares, logarithms = _softmax(rows @ weights)
            slope = rows.T @ (people * shares - wanted) + PENALTY * weights
            value = PENALTY * (weights**2).sum() / 2 - (wanted * logarithms).sum()
            return value / people.sum(), slope.ravel() / people.sum()

        start = self._weights.ravel()
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
        self._weights = found.x.reshape(self._weights.shape)
        return Fit("logistic regression (L-BFGS)", int(found.nit), float(np.abs(found.jac).max()), bool(found.success))


class Bayes:
    """Naive Bayes: quasi-identifiers are independent of each other given the sensitive value."""

    def __init__(self, codes: list[np.ndarray], kinds: int, values: int) -> None:
        self._codes, self.kinds = codes, kinds
        self._scores = np.zeros((kinds, values))

    @classmethod
    def from_table(cls, table: Table, kind: np.ndarray, values: int) -> Bayes:
        codes = [*_codes(table, kind).values()]
        return cls(codes, len(codes[0]), values)

    def beliefs(self) -> np.ndarray:
        """Return the distribution of the sensitive value for each kind."""
        return _softmax(self._scores)[0]

    def fit(self, counts: np.ndarray, steps: int) -> Fit:
        """Fit the model to counts of people by kind and value, in one step."""
        everybody = counts.sum(axis=0)
        self._scores = np.tile(np.log(np.maximum(everybody, TINY)), (self.kinds, 1))
        for codes in self._codes:
            checkpoint()
            told = np.stack([np.bincount(codes, one) for one in counts.T], axis=1)
            spread = told.sum(axis=1, keepdims=True) / everybody.sum()
            self._scores += np.log(np.maximum((told + SEEN * spread) / (everybody + SEEN), TINY))[codes]
        return Fit(BAYES, 1, 0.0, True)


ADVERSARY_MODELS: dict[str, type[Model]] = {LOGISTIC: Logistic, BAYES: Bayes}


def _codes(table: Table, kind: np.ndarray) -> dict[str, np.ndarray]:
    """Return the codes of each kind of people, by quasi-identifier."""
    first = np.unique(kind, return_index=True)[1]
    return {name: table.codes[name][first] for name in table.quasi}


def _design_columns(column: Column, codes: np.ndarray) -> np.ndarray:
    """Return the model's inputs for a column: indicators of the commonest values and nodes, and the scaled number."""
    if column.size <= MOST:
        return np.eye(column.size)[codes]
    found = []
    for of_code in column.released_at[:-1]:
        common = np.argsort(-np.bincount(of_code, column.totals), kind="stable")[:MOST]
        found.append(of_code[codes][:, None] == np.sort(common))
    if column.kind != "text":
        at = column.positions[: len(column.values)]
        found.append(np.append((at - at.mean()) / (at.std() or 1.0), 0.0)[codes, None])
    return np.hstack(found).astype(float)


def _softmax(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares and their logarithms."""
    scores = scores - scores.max(axis=1, keepdims=True)
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return np.exp(logarithms), logarithms
