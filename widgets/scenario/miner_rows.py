"""Miners as boxes to tick: all of the catalog, those that a study gives settings of their own, and sets of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import BadInput, said
from workbench.base.variants import about
from workbench.miners import Miner
from workbench.miners.sets import called, chosen, miners, sets

LABELS = {
    "three": "three common ones",
    "common": "six common ones",
    "categorical": "all of values",
    "numeric": "all of numbers",
}


def rows(given: Any, numbers: bool) -> list[dict[str, Any]]:
    """A row a miner: those that are ticked, and the others; of `numbers` as well where those can be asked."""
    ticked = {called(miner): miner for miner in chosen(given)}
    every = {name: kind() for name, kind in miners().items()} | ticked
    return [
        {"name": name, "on": name in ticked, "kind": one.predicts, "about": about(type(one))}
        for name, one in every.items()
        if numbers or name in ticked or one.predicts == "values"
    ]


def offers(numbers: bool) -> list[dict[str, str]]:
    """The sets that one click ticks."""
    fit = [name for name, members in sets().items() if numbers or all(_of_values(one) for one in members)]
    return [{"name": name, "label": LABELS.get(name, name)} for name in fit]


def ticked(given: Any, names: Any) -> Any:
    """What a measure is given when these boxes are ticked: the name of a set where they are one."""
    there = {called(miner): miner for miner in chosen(given)}
    every: dict[str, Miner] = {name: kind() for name, kind in miners().items()} | there
    asked = list(names) if isinstance(names, (list, tuple)) else []
    unknown = [name for name in asked if not isinstance(name, str) or name not in every]
    if unknown:
        raise BadInput(f"no miner is called {said(unknown[0])}; reload the page")
    if not asked:
        raise BadInput("tick at least one miner")
    return in_short([every[name] for name in asked])


def in_short(several: Sequence[Miner]) -> Any:
    """The name of the set that these are, else what a measure takes."""
    same = (name for name in sets() if set(chosen(name)) == set(several))
    return next(same, None) or tuple(several)


def of_values(given: Any) -> Any:
    """Those that predict values; the first of the usual ones where there is none."""
    return in_short([one for one in chosen(given) if one.predicts == "values"] or list(chosen("naive bayes")))


def _of_values(name: str) -> bool:
    return miners()[name].predicts == "values"
