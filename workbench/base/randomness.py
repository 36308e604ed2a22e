"""Randomness for protection: from the operating system, never from a published seed, never stored."""

from __future__ import annotations

import secrets

import numpy as np

PARTS = 2**53  # of a probability; floats represent them exactly


def operating_system_random() -> np.random.Generator:
    """Return a generator with an unpredictable seed."""
    return np.random.default_rng(secrets.randbits(256))


def exact_chances(chances: np.ndarray) -> np.ndarray:
    """Round rows of probabilities to exact fractions that add up to 1; the largest in each row absorbs the
    remainder."""
    parts = np.floor(np.asarray(chances, float) / np.sum(chances, axis=1, keepdims=True) * PARTS).astype(np.int64)
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += PARTS - parts.sum(axis=1)
    return parts / PARTS


def draw_columns(chances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Draw a column for each of `rows` with exactly these probabilities, by 53 fresh random bits each."""
    below = np.cumsum((chances * PARTS).astype(np.int64), axis=1)
    if (below[:, -1] != PARTS).any():
        raise ValueError("a row of probabilities does not add up to 1; see exact_chances")
    random = (np.frombuffer(secrets.token_bytes(8 * len(rows)), np.uint64) >> np.uint64(11)).astype(np.int64)
    found = np.empty(len(rows), np.int64)
    for row in np.unique(rows).tolist():
        is_row = rows == row
        found[is_row] = np.searchsorted(below[row], random[is_row], side="right")
    return found
