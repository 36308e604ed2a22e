"""Learners of a sensitive value by the quasi-identifiers, which are fitted to what is believed of everybody."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from workbench.base.progress import step
from workbench.data.column import Column
from workbench.data.table import Table

LOGISTIC, BAYES = "logistic", "naive bayes"
PENALTY = 1.0  # as if each coefficient had been drawn with deviation 1
KINDS = 30_000  # people alike in all quasi-identifiers, that a model is fitted to: of more some are drawn
MOST = 100  # values or nodes of a column that the model tells apart: the commonest
TINY = 1e-300  # above it logarithms are taken
SEEN = 1.0  # as if so many people with each value were spread over a column as everybody is


class Model(Protocol):
    """A model of kinds of people, who are alike in all quasi-identifiers."""

    kinds: int

    @classmethod
    def of(cls, table: Table, kind: np.ndarray, values: int) -> Model:
        """By the kind of each record; so many values may be told."""

    def beliefs(self) -> np.ndarray:
        """Of each kind of people."""

    def fit(self, counts: np.ndarray, steps: int) -> None:
        """To so many people of each kind and value, from where it is."""


class Logistic:
    """A multinomial logistic model of a sensitive value by the quasi-identifiers."""

    def __init__(self, rows: np.ndarray, chosen: np.ndarray, values: int) -> None:
        self._rows, self._chosen, self.kinds = rows, chosen, len(rows)
        self._weights = np.zeros((rows.shape[1], values))

    @classmethod
    def of(cls, table: Table, kind: np.ndarray, values: int) -> Logistic:
        codes = _codes(table, kind)
        rows = np.hstack([_told(table.columns[name], one) for name, one in codes.items()])
        chosen = np.arange(len(rows))
        if len(rows) > KINDS:
            chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:KINDS])
        return cls(np.hstack([rows, np.ones((len(rows), 1))]), chosen, values)

    def beliefs(self) -> np.ndarray:
        """Of each kind of people."""
        return _shares(self._rows @ self._weights)[0]

    def fit(self, counts: np.ndarray, steps: int) -> None:
        """To so many people of each kind and value, from where it is."""
        from scipy.optimize import minimize

        rows, wanted = self._rows[self._chosen], counts[self._chosen]
        people = wanted.sum(axis=1, keepdims=True)

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            step()
            weights = flat.reshape(self._weights.shape)
            shares, logarithms = _shares(rows @ weights)
            slope = rows.T @ (people * shares - wanted) + PENALTY * weights
            value = PENALTY * (weights**2).sum() / 2 - (wanted * logarithms).sum()
            return value / people.sum(), slope.ravel() / people.sum()

        start = self._weights.ravel()
        self._weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x.reshape(
            self._weights.shape
        )


class Bayes:
    """Naive Bayes: among the people with one value, what one quasi-identifier is says nothing of another."""

    def __init__(self, codes: list[np.ndarray], kinds: int, values: int) -> None:
        self._codes, self.kinds = codes, kinds
        self._scores = np.zeros((kinds, values))

    @classmethod
    def of(cls, table: Table, kind: np.ndarray, values: int) -> Bayes:
        codes = [*_codes(table, kind).values()]
        return cls(codes, len(codes[0]), values)

    def beliefs(self) -> np.ndarray:
        """Of each kind of people."""
        return _shares(self._scores)[0]

    def fit(self, counts: np.ndarray, steps: int) -> None:
        """To so many people of each kind and value; it takes one step."""
        everybody = counts.sum(axis=0)
        self._scores = np.tile(np.log(np.maximum(everybody, TINY)), (self.kinds, 1))
        for codes in self._codes:
            step()
            told = np.stack([np.bincount(codes, one) for one in counts.T], axis=1)
            spread = told.sum(axis=1, keepdims=True) / everybody.sum()
            self._scores += np.log(np.maximum((told + SEEN * spread) / (everybody + SEEN), TINY))[codes]


LEARNERS: dict[str, type[Model]] = {LOGISTIC: Logistic, BAYES: Bayes}


def _codes(table: Table, kind: np.ndarray) -> dict[str, np.ndarray]:
    """What each kind of people is in each quasi-identifier."""
    first = np.unique(kind, return_index=True)[1]
    return {name: table.codes[name][first] for name in table.quasi}


def _told(column: Column, codes: np.ndarray) -> np.ndarray:
    """What the model is told of a column: which of the commonest values it is, the number, and the nodes above."""
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


def _shares(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """And their logarithms."""
    scores = scores - scores.max(axis=1, keepdims=True)
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return np.exp(logarithms), logarithms
