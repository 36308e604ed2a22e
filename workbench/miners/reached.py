"""Whom each miner of an adversary reaches: whose value it predicts nearer than it is published."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.miners import Miner
from workbench.miners.cross_fitting import cross_fitted
from workbench.miners.nearer import distance, nearer
from workbench.releases.base import Release
from workbench.releases.shown import Shown

NONE = -1  # in place of a prediction that is not nearer


class Reached(NamedTuple):
    """Of each published record whether it is reached, and a number for what is predicted nearer of it, or NONE."""

    hit: np.ndarray
    predicted: np.ndarray


def reached(release: Release, targets: Sequence[str], miners: Sequence[Miner], c: float) -> dict[Miner, Reached]:
    """By those miners that can predict what the release shows of a target; one target that is nearer is enough.

    Whose value is published unchanged is reached by anybody: the paper's releases have nobody of that kind, and without
    them a release that keeps everything would seem the safest.
    """
    if not release.original:
        raise Undefined("the original is not known, so nobody can say which predictions are nearer to it")
    each, found = [_of_one(release, target, miners, c) for target in targets], dict[Miner, Reached]()
    for miner in dict.fromkeys(miner for one, _ in each for miner in one):  # each predicts what it can
        found[miner] = reduce(_either, (one.get(miner, without) for one, without in each))
    return found


def _of_one(release: Release, target: str, miners: Sequence[Miner], c: float) -> tuple[dict[Miner, Reached], Reached]:
    """By each miner that can predict it, and without any."""
    shown, true = release.shown(target), release.table.codes[target][release.published_records]
    able = [miner for miner in miners if (miner.predicts == "numbers") == (shown.numbers is not None)]
    if not able:
        kind, one = ("values", "naive bayes") if shown.numbers is None else ("noisy numbers", "linear regression")
        raise Undefined(f"the release shows {kind} of {target!r}, which none of the miners predicts; add {one}")
    nodes = bool(np.any(np.asarray(release.label_level(target) or 0) > 0))
    predictions, found, there = cross_fitted(release, target, able), {}, distance(shown, true, nodes) == 0
    for miner in able:
        told = predictions.of(miner)
        hit = nearer(told, shown, true, c, nodes)
        found[miner] = Reached(hit | there, np.where(hit, _number(told), NONE))
    return found, Reached(there, np.full(len(there), NONE))


def _number(told: Shown) -> np.ndarray:
    return told.labels if told.numbers is None else np.rint(np.nan_to_num(told.numbers)).astype(np.int64)


def _either(one: Reached, other: Reached) -> Reached:
    both = np.unique(np.stack([one.predicted, other.predicted]), axis=1, return_inverse=True)[1].reshape(-1)
    return Reached(one.hit | other.hit, both)
