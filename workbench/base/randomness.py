"""Randomness that protects: of the operating system alone, never from a published seed, never stored."""

from __future__ import annotations

import secrets

import numpy as np

PARTS = 2**53  # a chance is a whole number of these parts, which a float holds exactly


def operating_system_random() -> np.random.Generator:
    """A generator that nobody can wind back."""
    return np.random.default_rng(secrets.randbits(256))


def exact_chances(chances: np.ndarray) -> np.ndarray:
    """Rows of chances in whole parts that add up to 1 exactly: what rounding takes goes to the largest of a row."""
    parts = np.floor(np.asarray(chances, float) / np.sum(chances, axis=1, keepdims=True) * PARTS).astype(np.int64)
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += PARTS - parts.sum(axis=1)
    return parts / PARTS


def drawn(chances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """For each of `rows` a column, with exactly the chance that stands there: each from 53 fresh bits of its own."""
    below = np.cumsum((chances * PARTS).astype(np.int64), axis=1)
    if (below[:, -1] != PARTS).any():
        raise ValueError("a row of chances does not add up to 1; see exact_chances")
    random = (np.frombuffer(secrets.token_bytes(8 * len(rows)), np.uint64) >> np.uint64(11)).astype(np.int64)
    found = np.empty(len(rows), np.int64)
    for row in np.unique(rows).tolist():
        those = rows == row
        found[those] = np.searchsorted(below[row], random[those], side="right")
    return found
