"""Utility in words: the random sample of the original records that is as accurate about large populations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.small_counts import averaged, may_list_groups
from workbench.data.table import Table
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.models.distances import distance
from workbench.workloads.populations import large_populations

SHARES = 24  # of which the loss is found; between them it is interpolated
DRAWN = 60_000  # numbers of records that are drawn for each of them
FEW = 4  # of samples that lose more than this part of the most the scale says nothing
LARGEST = 99.0  # odds of the largest such share


@dataclass(frozen=True, eq=False)
class SampleCurve:
    """The utility loss that is expected of a random sample, by its share of the records; it falls as that grows.

    `odds` are share / (1 - share), ascending. A loss falls with them, and from many records on as their power `power`.
    """

    odds: np.ndarray
    losses: np.ndarray
    power: float

    def share(self, loss: float) -> float:
        """The share of the records that is as accurate, on average; a single record where all are better."""
        if not loss > 0:
            return 1.0
        if loss < self.losses[-1]:
            odds = self.odds[-1] * (self.losses[-1] / loss) ** (1 / self.power)
        else:
            odds = math.exp(np.interp(-math.log(loss), -np.log(self.losses), np.log(self.odds)))
        return float(odds / (1 + odds))

    def scale(self) -> tuple[float, float]:
        """One number that says as much of the whole curve and never flatters, and up to which loss it holds.

        A sample loses at least so much times odds ** -power.
        """
        limit = self.losses[0] / FEW
        held = (self.losses <= limit) & (self.losses > 0)
        return float(np.min((self.losses * self.odds**self.power)[held], initial=math.inf)), float(limit)


def sample_curve(table: Table, measure: UtilityLoss) -> SampleCurve:
    """What samples of a table lose, found once; Undefined where the measure is, and of records that have weights."""
    if table.weight is not None:
        raise Undefined("records that stand for different numbers of people have no random sample to compare with")
    return table.remember(("random samples", measure), lambda: _found(table, measure))


def in_words(table: Table, measure: UtilityLoss, loss: float) -> str:
    """How large the sample is that is as accurate as a release of so much loss, in a sentence."""
    curve, about = sample_curve(table, measure), "About large populations it is"
    share = curve.share(loss)
    if share == 1:
        return f"{about} as accurate as the original records."
    if loss > curve.losses[0]:
        return f"{about} less accurate than any random sample of the records."
    of = f"{figures(100 * share, 'higher')} % of the records ({int(share * table.records):,}), unchanged"
    return f"{about} as accurate as a random {of}."


def told_share(table: Table, measure: UtilityLoss, loss: float | None, smallest: int) -> float | None:
    """The share as it may be told beside a loss that is told; None where it may not, or is not known.

    Of the table it takes one figure, an average over large populations that is rounded once; all else follows from
    that and from the losses, however many releases are told.
    """
    if loss is None or table.weight is not None or not may_list_groups(table.records, smallest):
        return None
    scale, limit = sample_curve(table, measure).scale()
    if loss == 0:
        return 1.0
    if loss > limit or not math.isfinite(scale):
        return None
    scale = averaged(scale, better="higher", crowd=table.records / smallest if smallest > 1 else math.inf)
    odds = (scale / loss) ** (1 / _power(measure.distance))
    return averaged(float(odds / (1 + odds)), better="higher")


def _found(table: Table, measure: UtilityLoss) -> SampleCurve:
    populations = large_populations(table, measure.min_support)
    if not len(populations) or not table.sensitive:
        raise Undefined("there is no large population or no sensitive column, so there is nothing to be wrong about")
    odds = np.geomspace(1 / table.records, LARGEST, SHARES)
    order = np.argsort(populations.support, kind="stable")
    losses = np.zeros(SHARES)
    for name, seen in table.sensitive.items():
        # populations of all sizes, each as often as the others
        count = max(DRAWN // len(seen), 1)
        chosen = order[np.linspace(0, len(order) - 1, count).round().astype(int)] if count < len(order) else order
        counts = np.tile(populations.truth[name][chosen], (max(count // len(chosen), 1), 1))
        each = [_expected(counts, seen.prior, one / (1 + one), measure.distance, seen.levels) for one in odds]
        losses = np.maximum(losses, each)
    falling = np.maximum.accumulate(losses[::-1])[::-1]
    return SampleCurve(odds, falling, _power(measure.distance))


def _power(kind: str) -> float:
    """With which power of the odds a distance falls: a divergence as the square of a difference does."""
    return 1.0 if kind == "js" else 0.5


def _expected(counts: np.ndarray, prior: np.ndarray, share: float, kind: str, levels: tuple) -> float:
    """The mean loss where each record is drawn with this chance; of a population without one Q is taken."""
    drawn = np.random.default_rng(0).binomial(counts, share)
    of = drawn.sum(axis=1, keepdims=True)
    told = np.where(of > 0, drawn / np.maximum(of, 1), prior)
    return float(distance(kind, counts / counts.sum(axis=1, keepdims=True), told, levels).mean())
