"""Sets of miners: by name, one by one, or as a study says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import BadInput, meant, said
from workbench.base.variants import catalog, from_dict
from workbench.miners import Miner

SETS = {"three": ("naive bayes", "decision tree", "random forest")}


def chosen(given: Any) -> tuple[Miner, ...]:
    """The miners that are meant, each once: a miner, a name, the name of a set, a mapping, or several of these."""
    several = given if isinstance(given, (list, tuple)) else [given]
    found = dict.fromkeys(miner for one in several for miner in _meant(one))
    if not found:
        raise BadInput("no miner was given; name at least one, or a set such as 'three'")
    return tuple(found)


def _meant(given: Any) -> tuple[Miner, ...]:
    if isinstance(given, Miner):
        return (given,)
    there = miners()
    if isinstance(given, Mapping):
        return (from_dict(there, dict(given)),)
    if isinstance(given, str) and given in there:
        return (there[given](),)
    if isinstance(given, str) and given in sets():
        return tuple(there[name]() for name in sets()[given])
    known = [*there, *sets()]
    raise BadInput(f"{said(given)} is no miner and no set of miners; {meant(given, known)}")


def miners() -> dict[str, type[Miner]]:
    """Every miner, by name."""
    return catalog("workbench.miners", Miner)


def sets() -> dict[str, tuple[str, ...]]:
    """The sets that have a name."""
    kinds = miners()
    numeric = tuple(name for name, kind in kinds.items() if kind.predicts == "numbers")
    return {**SETS, "categorical": tuple(name for name in kinds if name not in numeric), "numeric": numeric}
