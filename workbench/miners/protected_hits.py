"""The people for whom an attacker's miner predicts a value closer than it is published."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.miners import Miner
from workbench.miners.cross_fitting import cross_fit
from workbench.miners.prediction_gain import distance, is_closer
from workbench.releases.base import Release
from workbench.releases.shown import Shown

NONE = -1  # stands for a prediction that is not closer


class Hits(NamedTuple):
    """For each published record whether it is hit, and a number for the closer prediction, or NONE."""

    hit: np.ndarray
    predicted: np.ndarray


def protected_hits(release: Release, targets: Sequence[str], miners: Sequence[Miner], c: float) -> dict[Miner, Hits]:
    """Return the hits of each miner that can predict what the release shows of a target; one closer target is enough.

    A value that is published unchanged counts as a hit of every miner: the paper's releases contain none, and otherwise
    a release that publishes everything would seem the safest.
    """
    if not release.has_original:
        raise Undefined("the original is unknown, so predictions cannot be compared with it")
    each, found = [_of_one(release, target, miners, c) for target in targets], dict[Miner, Hits]()
    for miner in dict.fromkeys(miner for one, _ in each for miner in one):  # each predicts what it can
        found[miner] = reduce(_either, (one.get(miner, without) for one, without in each))
    return found


def _of_one(release: Release, target: str, miners: Sequence[Miner], c: float) -> tuple[dict[Miner, Hits], Hits]:
    """Return the hits of each miner that can predict one target, and the hits without a miner."""
    shown, true = release.shown(target), release.table.codes[target][release.published_records]
    able = [miner for miner in miners if (miner.predicts == "numbers") == (shown.numbers is not None)]
    if not able:
        kind, one = ("values", "naive bayes") if shown.numbers is None else ("noisy numbers", "linear regression")
        raise Undefined(f"the release publishes {kind} of {target!r}, which none of the miners predicts; add {one}")
    nodes = bool(np.any(np.asarray(release.label_level(target) or 0) > 0))
    predictions, found, there = cross_fit(release, target, able), {}, distance(shown, true, nodes) == 0
    for miner in able:
        told = predictions.of(miner)
        hit = is_closer(told, shown, true, c, nodes)
        found[miner] = Hits(hit | there, np.where(hit, _number(told), NONE))
    return found, Hits(there, np.full(len(there), NONE))


def _number(told: Shown) -> np.ndarray:
    return told.labels if told.numbers is None else np.rint(np.nan_to_num(told.numbers)).astype(np.int64)


def _either(one: Hits, other: Hits) -> Hits:
    both = np.unique(np.stack([one.predicted, other.predicted]), axis=1, return_inverse=True)[1].reshape(-1)
    return Hits(one.hit | other.hit, both)
