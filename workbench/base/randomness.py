"""Randomness that protects: of the operating system alone, never from a published seed, never stored."""

from __future__ import annotations

import secrets

import numpy as np


def operating_system_random() -> np.random.Generator:
    """A generator that nobody can wind back."""
    return np.random.default_rng(secrets.randbits(256))
