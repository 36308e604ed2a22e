"""Miners as checkboxes: those of the catalog, those with settings in the study, and sets of miners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import BadInput, safe_repr
from workbench.miners import Miner
from workbench.miners.sets import display_name, miners, resolve_miners, sets

LABELS = {
    "three": "three common ones",
    "common": "six common ones",
    "categorical": "all for categories",
    "numeric": "all for numbers",
}


def rows(given: Any, numbers: bool) -> list[dict[str, Any]]:
    """Return a row for each miner; those that predict numbers only if ticked or if `numbers`."""
    ticked = {display_name(miner): miner for miner in resolve_miners(given)}
    every = {name: kind() for name, kind in miners().items()} | ticked
    return [
        {"name": name, "on": name in ticked, "kind": one.predicts, "about": one.describe()}
        for name, one in every.items()
        if numbers or name in ticked or one.predicts == "values"
    ]


def offers(numbers: bool) -> list[dict[str, str]]:
    """Return the sets that can be ticked with one click."""
    fit = [name for name, members in sets().items() if numbers or all(_of_values(one) for one in members)]
    return [{"name": name, "label": LABELS.get(name, name)} for name in fit]


def ticked(given: Any, names: Any) -> Any:
    """Return the setting for ticked boxes: the name of a set if they form one."""
    there = {display_name(miner): miner for miner in resolve_miners(given)}
    every: dict[str, Miner] = {name: kind() for name, kind in miners().items()} | there
    asked = list(names) if isinstance(names, (list, tuple)) else []
    unknown = [name for name in asked if not isinstance(name, str) or name not in every]
    if unknown:
        raise BadInput(f"no miner is called {safe_repr(unknown[0])}; reload the page")
    if not asked:
        raise BadInput("tick at least one miner")
    return in_short([every[name] for name in asked])


def in_short(several: Sequence[Miner]) -> Any:
    """Return the name of the set of these miners, or else the miners."""
    same = (name for name in sets() if set(resolve_miners(name)) == set(several))
    return next(same, None) or tuple(several)


def of_values(given: Any) -> Any:
    """Return the miners that predict values; by default the first of the usual miners."""
    return in_short(
        [one for one in resolve_miners(given) if one.predicts == "values"] or list(resolve_miners("naive bayes"))
    )


def _of_values(name: str) -> bool:
    return miners()[name].predicts == "values"
