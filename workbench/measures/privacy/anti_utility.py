"""Anti-utility (Sramka et al. 2010, section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number, format_percent
from workbench.base.parameters import Columns, parameter
from workbench.data.column import Column
from workbench.measures import Measure, Measured, Publication
from workbench.measures.predictions import record_weights, weights_parameter
from workbench.miners import Miner
from workbench.miners.cross_fitting import cross_fit, published_numbers
from workbench.miners.fitting import sample_note
from workbench.miners.sets import display_name, miners_parameter, resolve_miners
from workbench.models.distribution_distances import variation
from workbench.releases.base import Release
from workbench.releases.shown import Shown

# Closer predictions (Sramka et al. 2010, section 2.4): predictions that are closer to the truth than the release.

TINY = 1e-300  # width of a node with one value in the data, since recipients do not know which value


def is_closer(predicted: Shown, shown: Shown, true: np.ndarray, c: float = 0.0, nodes: bool = False) -> np.ndarray:
    """Return whether each prediction is c % closer to the true code than the released value is: 0 is any amount, 100
    exact.

    With c = 100, predicted integers are rounded. No prediction is closer than an exactly published value. If regions
    are published as `nodes` of a hierarchy, none is exact.
    """
    if c == 100 and predicted.numbers is not None and predicted.column.values.dtype.kind == "i":
        predicted = predicted._replace(numbers=np.rint(predicted.numbers))
    far, now = distance(predicted, true, nodes), distance(shown, true, nodes)
    return (far < now) & (far <= (100 - c) / 100 * now)


def distance(shown: Shown, true: np.ndarray, nodes: bool = False) -> np.ndarray:
    """Return the distance of each record's released value from its true code.

    The width of an interval or set that contains the true code, infinite for one that does not; the absolute
    difference for a number or value.
    """
    if shown.numbers is not None:
        of_code = published_numbers(Shown(shown.column, codes=np.arange(shown.column.size)))
        away = np.abs(shown.numbers - of_code[true])
        return np.where(np.isnan(away), np.inf, away)
    if shown.codes is not None:
        return _value_distance(shown.column, shown.codes, true)
    assert shown.group is not None and shown.regions is not None
    regions = shown.regions
    if regions.held is not None or shown.column.kind == "text":
        wide = regions.sizes if regions.held is not None else shown.column.leaves(regions.low, regions.high)
        wide = wide - 1.0
    else:
        wide = shown.column.positions[regions.high] - shown.column.positions[regions.low]
    least = TINY if nodes else 0.0
    return np.where(shown.held(true), np.maximum(wide, least)[shown.group], np.inf)


def _value_distance(column: Column, codes: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return the distance of two values: the difference of numbers and dates; for text the number of other leaves in
    their smallest common node."""
    if column.kind != "text":
        return np.abs(column.positions[codes] - column.positions[true])
    away = np.full(len(codes), column.whole - 1.0)
    for level in range(len(column.released_at) - 1, -1, -1):
        node = column.released_at[level]
        low = np.flatnonzero(np.diff(node, prepend=-1))
        wide = column.leaves(low, np.append(low[1:], column.size) - 1, level) - 1.0 if level else np.zeros(len(low))
        away = np.where(node[codes] == node[true], wide[node[true]], away)
    return away


# The people for whom an attacker's miner predicts a value closer than it is published.

NONE = -1  # stands for a prediction that is not closer


class Hits(NamedTuple):
    """For each published record, whether it is hit, and an ID for the closer prediction, or NONE."""

    hit: np.ndarray
    predicted: np.ndarray


def protected_hits(release: Release, targets: Sequence[str], miners: Sequence[Miner], c: float) -> dict[Miner, Hits]:
    """Return the hits of each miner that can predict what the release shows of a target; one closer target is enough.

    A value that is published unchanged counts as a hit of every miner: the paper's releases contain none, and otherwise
    a release that publishes everything would seem the safest.
    """
    if not release.about.has_original:
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
        told = predictions.by_miner(miner)
        hit = is_closer(told, shown, true, c, nodes)
        found[miner] = Hits(hit | there, np.where(hit, _number(told), NONE))
    return found, Hits(there, np.full(len(there), NONE))


def _number(told: Shown) -> np.ndarray:
    return told.labels if told.numbers is None else np.rint(np.nan_to_num(told.numbers)).astype(np.int64)


def _either(one: Hits, other: Hits) -> Hits:
    both = np.unique(np.stack([one.predicted, other.predicted]), axis=1, return_inverse=True)[1].reshape(-1)
    return Hits(one.hit | other.hit, both)


# The completed release (Sramka et al. 2010, section 3): a release together with the closer predictions of a miner.


class Gains(NamedTuple):
    """A_acc and A_know of a sensitive column, from the release alone and from the completed release."""

    accuracy: tuple[float, float]
    knowledge: tuple[float, float]


def gains_by_column(release: Release, predicted: np.ndarray) -> dict[str, Gains]:
    """Return the gains of each published sensitive column; empty if the release has no classes of this kind."""
    shown = [name for name in release.table.sensitive if name not in release.unpublished_columns]
    try:
        return {name: gains(release, name, predicted) for name in shown}
    except Undefined:
        return {}


def gains(release: Release, sensitive: str, predicted: np.ndarray) -> Gains:
    """Return the gains of an attacker who also distinguishes the records of a class by their predictions.

    `predicted` has an ID for each prediction that is closer than the release, and -1 for the others. The groups
    refine the classes, so predictions cannot reduce a gain.
    """
    if release.classes.exact or release.own_classes is not release.classes:
        raise Undefined("completed releases are defined for classes that are distinguished by their regions alone")
    kept = release.published_records
    values, group = release.table.model_view.codes[sensitive][kept], release.group_of_record[kept]
    finer = np.unique(np.stack([group, predicted]), axis=1, return_inverse=True)[1].reshape(-1)
    prior, gone = release.table.sensitive[sensitive].prior, release.table.records - len(kept)
    found = [_gains(values, of, prior, gone) for of in (group, finer)]
    return Gains(*((before, after) for before, after in zip(*found, strict=True)))


def _gains(values: np.ndarray, group: np.ndarray, prior: np.ndarray, gone: int) -> tuple[float, float]:
    """Return A_acc and A_know of groups of records; nothing is learned about suppressed records."""
    counts = np.zeros((int(group.max()) + 1, len(prior)))
    np.add.at(counts, (group, values), 1)
    sizes = counts.sum(axis=1)
    there = sizes > 0
    counts, sizes = counts[there], sizes[there]
    right = counts.max(axis=1).sum() + gone * prior.max()
    moved = variation(counts / sizes[:, None], prior) @ sizes
    people = sizes.sum() + gone
    return float(right / people - prior.max()), float(moved / people)


@dataclass(frozen=True)
class AntiUtility(Measure):
    """U_bad as a share of the people to protect, for the most successful miner or averaged over all.

    Miners that cannot predict what the release shows of a column (values, or noisy numbers) do not take part. If
    several columns are predicted, one hit is enough. A value that is published unchanged counts as a hit, since no
    miner is needed.
    """

    target: str | tuple[str, ...] | None = parameter(
        None, "quasi-identifiers to predict; none: the first of them", kind=Columns
    )
    miners: Any = miners_parameter("common", "the attacker's miners: names of miners, or of sets such as common")
    c: float = parameter(
        0.0, "how much closer a prediction must be, in per cent: 0 any amount, 100 exact", low=0, high=100
    )
    of: str = parameter("worst", "the most successful miner, or the average of all", choices=("worst", "average"))
    weights: Any = weights_parameter()
    name = "anti-utility"
    title = "Anti-utility (Sramka et al. 2010, section 2.4)"
    summary = "the share of people of whom miners predict a value more closely than it is published"
    symbol = "U_bad"
    side = "privacy"
    unit = "share of the protected people"
    published_as = Publication.AVERAGE
    by_default = False

    def measure(self, release: Release) -> Measured:
        targets = self._targets(release)
        if not targets:
            return Measured(0.0, "The target is not published, so no miner can learn to predict it.")
        count = record_weights(release.table, self.weights)
        if not (people := count.sum()):
            raise Undefined("there is nobody to protect: all weights are 0")
        found = protected_hits(release, targets, resolve_miners(self.miners), self.c)
        shares = {miner: float(count[release.published_records] @ one.hit / people) for miner, one in found.items()}
        worst, average = max(shares, key=shares.__getitem__), float(np.mean(list(shares.values())))
        detail: dict[str, Any] = {"worst": shares[worst], "average": average, "miner": display_name(worst)} | {
            "miners": {display_name(miner): share for miner, share in shares.items()},
            "completed": gains_by_column(release, found[worst].predicted),
        }
        return Measured(detail[self.of], self._sentence(targets, detail) + sample_note(release.table.records), detail)

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.weights is not None:
            return None, f"{self.description[:-1]}: not published, since weights may single out a few people."
        return super().publish(measured, release, smallest)

    def _targets(self, release: Release) -> list[str]:
        quasi = release.table.quasi
        if other := [name for name in self.target or () if name not in quasi]:
            raise BadInput(f"target = {other[0]!r} is not a quasi-identifier; choose from {', '.join(quasi)}")
        return [name for name in self.target or quasi[:1] if name not in release.unpublished_columns]

    def _sentence(self, targets: Sequence[str], detail: Mapping[str, Any]) -> str:
        what, how = " or ".join(targets), "exactly" if self.c == 100 else "more closely than it is published"
        how += f", by at least {self.c:g} %" if 0 < self.c < 100 else ""
        if not detail["worst"]:
            return f"No miner predicts anybody's {what} {how}."
        share, average = (format_percent(detail[name]) for name in ("worst", "average"))
        who = f"From the release alone, {detail['miner']} predicts the {what} of {share} of the protected people {how}"
        ends = ", ".join(format_number(detail[name], "lower") for name in ("average", "worst"))
        triple = f"({ends}, {detail['miner']})-privacy-losing"
        return f"{who}; the average of all {len(detail['miners'])} miners is {average}: the release is {triple}."
