"""Weights of quasi-identifiers in losses and searches: 1 each by default."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

from workbench.base.errors import BadInput, prefix_path, safe_repr, suggest_column


def weight(name: str, given: object) -> float:
    """Return a column's weight. Raise BadInput if it is not a number above 0."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 < float(given) < math.inf:
        raise BadInput(
            f"importance of column {name!r}: must be a number above 0, got {safe_repr(given)}; for example 2 for a "
            "column that counts twice"
        )
    return float(given)


def checked(quasi: Sequence[str], given: Mapping[str, object]) -> dict[str, float]:
    """Return the weights that differ from 1. Raise BadInput if one is not of a quasi-identifier."""
    found = {}
    for name, one in given.items():
        with prefix_path(name):
            if name not in quasi:
                near = suggest_column(name, quasi)
                raise BadInput(f"importance: {name!r} is not a quasi-identifier, so it has no loss to weight; {near}")
            found[name] = weight(name, one)
    return {name: one for name, one in found.items() if one != 1}


def keep_valid(roles: Mapping[str, str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of columns that are still quasi-identifiers."""
    return {name: one for name, one in weights.items() if roles.get(name) == "quasi"}
