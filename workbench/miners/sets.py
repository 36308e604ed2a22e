"""Sets of miners, and how a parameter names miners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import BadInput, Undefined, safe_repr, suggest
from workbench.base.parameters import Miners, Plain, parameter
from workbench.base.variants import catalog, from_dict
from workbench.data.table import Table
from workbench.miners import Miner

COMMON = ("naive bayes", "decision tree", "random forest")
SETS = {"three": COMMON, "common": (*COMMON, "mean", "linear regression", "regression tree")}


def miners_parameter(default: Any, help: str, predicting: str | None = None) -> Any:
    """Declare a parameter that names miners, which all predict values or numbers if `predicting` requires it."""

    def check(given: Any, table: Table | None) -> None:
        wrong = next((one for one in resolve_miners(given) if predicting and one.predicts != predicting), None)
        if wrong is not None:
            raise BadInput(f"{display_name(wrong)} predicts {wrong.predicts}; choose miners that predict {predicting}")

    return parameter(default, help, kind=Miners, validate=check)


def resolve_miners(given: Any) -> tuple[Miner, ...]:
    """Return the distinct miners for a miner, a name, the name of a set, a mapping, or several of these."""
    given = given.data if isinstance(given, Plain) else given
    miners_parameter = given if isinstance(given, (list, tuple)) else [given]
    found = dict.fromkeys(miner for one in miners_parameter for miner in _resolve(one))
    if not found:
        raise BadInput("no miner given; name at least one, or a set such as 'three'")
    return tuple(found)


def display_name(miner: Miner) -> str:
    """Return the name of a miner, with its settings if they are not the defaults."""
    return miner.name if miner == type(miner)() else str(miner)


def _resolve(given: Any) -> tuple[Miner, ...]:
    if isinstance(given, Miner):
        return (given,)
    available = miners()
    if isinstance(given, Mapping):
        return (from_dict("miner", available, dict(given)),)
    if isinstance(given, str) and given in available:
        return (available[given](),)
    if isinstance(given, str) and given in sets():
        return tuple(available[name]() for name in sets()[given])
    known = [*available, *sets()]
    raise BadInput(f"{safe_repr(given)} is not a miner or a set of miners; {suggest(given, known)}")


def miners() -> dict[str, type[Miner]]:
    """Return every miner, by name."""
    return catalog("workbench.miners", Miner)


def sets() -> dict[str, tuple[str, ...]]:
    """Return the named sets."""
    kinds = miners()
    numeric = tuple(name for name, kind in kinds.items() if kind.predicts == "numbers")
    return {**SETS, "categorical": tuple(name for name in kinds if name not in numeric), "numeric": numeric}


# The column that miners predict.

TARGET_HELP = "the column to predict; none: the first sensitive one"


def target_or_default(table: Table, given: str | None) -> str:
    """Return the given column, or the first sensitive one."""
    if given is not None:
        return given
    if not table.sensitive:
        raise Undefined("the table has no sensitive column; name the column to predict: target")
    return next(iter(table.sensitive))
