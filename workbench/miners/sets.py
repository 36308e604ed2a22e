"""Sets of miners: by name, one by one, or as a study says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.base.errors import BadInput, meant, said
from workbench.base.variants import Plain, catalog, from_dict, parameter
from workbench.miners import Miner

if TYPE_CHECKING:
    from workbench.data.table import Table

COMMON = ("naive bayes", "decision tree", "random forest")
SETS = {"three": COMMON, "common": (*COMMON, "mean", "linear regression", "regression tree")}


def several(default: Any, help: str, predicting: str | None = None) -> Any:
    """A parameter that names miners; all of them predict values, or numbers, where it says so."""

    def check(given: Any, table: Table | None) -> None:
        wrong = next((one for one in chosen(given) if predicting and one.predicts != predicting), None)
        if wrong is not None:
            raise BadInput(f"{called(wrong)} predicts {wrong.predicts}; choose miners that predict {predicting}")

    return parameter(default, help, miners=True, check=check)


def chosen(given: Any) -> tuple[Miner, ...]:
    """The miners that are meant, each once: a miner, a name, the name of a set, a mapping, or several of these."""
    given = given.data if isinstance(given, Plain) else given
    several = given if isinstance(given, (list, tuple)) else [given]
    found = dict.fromkeys(miner for one in several for miner in _meant(one))
    if not found:
        raise BadInput("no miner was given; name at least one, or a set such as 'three'")
    return tuple(found)


def called(miner: Miner) -> str:
    """A miner as people read it: with its settings where they are its own."""
    return miner.name if miner == type(miner)() else str(miner)


def _meant(given: Any) -> tuple[Miner, ...]:
    if isinstance(given, Miner):
        return (given,)
    there = miners()
    if isinstance(given, Mapping):
        return (from_dict("miner", there, dict(given)),)
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
