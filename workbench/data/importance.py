"""How much quasi-identifiers count wherever a loss is put together or made small: 1 each, unless a study says more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

from workbench.base.errors import BadInput, at, columns_meant, said


def weight(name: str, given: object) -> float:
    """A column's weight; BadInput for what is none."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 < float(given) < math.inf:
        raise BadInput(
            f"importance: column {name!r} cannot count {said(given)} times: give a number above 0, as 2 for a column "
            "that counts for two"
        )
    return float(given)


def checked(quasi: Sequence[str], given: Mapping[str, object]) -> dict[str, float]:
    """The weights that are not 1, each of a quasi-identifier; BadInput says which is not."""
    found = {}
    for name, one in given.items():
        with at(name):
            if name not in quasi:
                near = columns_meant(name, quasi)
                raise BadInput(f"importance: {name!r} is no quasi-identifier, so nothing of it is lost; {near}")
            found[name] = weight(name, one)
    return {name: one for name, one in found.items() if one != 1}


def kept(roles: Mapping[str, str], weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of columns that are quasi-identifiers still."""
    return {name: one for name, one in weights.items() if roles.get(name) == "quasi"}
