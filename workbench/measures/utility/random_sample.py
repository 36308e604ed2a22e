"""The random sample of the original records that is as accurate about large populations as a release."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.models.distribution_distances import distance
from workbench.queries.populations import large_populations
from workbench.redaction.controlled_rounding import may_list_groups, round_average

SHARES = 24  # shares for which the loss is computed, and between which it is interpolated
DRAWN = 60_000  # simulated counts for each share
FEW = 4  # the scale is not used for losses above 1/FEW of the largest
LARGEST = 99.0  # odds of the largest share


@dataclass(frozen=True, eq=False)
class SampleCurve:
    """The expected utility loss of a random sample, by its share of the records; it decreases with the share.

    `odds` are share / (1 - share), ascending. For large samples the loss decreases as their power `power`.
    """

    odds: np.ndarray
    losses: np.ndarray
    power: float

    def share(self, loss: float) -> float:
        """Return the share of the records with the same expected loss; that of a single record if all are better."""
        if not loss > 0:
            return 1.0
        if loss < self.losses[-1]:
            odds = self.odds[-1] * (self.losses[-1] / loss) ** (1 / self.power)
        else:
            odds = math.exp(np.interp(-math.log(loss), -np.log(self.losses), np.log(self.odds)))
        return float(odds / (1 + odds))

    def scale(self) -> tuple[float, float]:
        """Return a factor that describes the whole curve conservatively, and the largest loss for which it holds.

        The loss of a sample is at least the factor times odds ** -power.
        """
        limit = self.losses[0] / FEW
        held = (self.losses <= limit) & (self.losses > 0)
        return float(np.min((self.losses * self.odds**self.power)[held], initial=math.inf)), float(limit)


def sample_curve(table: Table, measure: UtilityLoss) -> SampleCurve:
    """Return the losses of samples of a table, computed once; raise Undefined as the measure does, and for weights."""
    if table.weight is not None:
        raise Undefined(
            "weighted records cannot be compared with a random sample, since they represent unequal numbers of people"
        )
    return table.remember(("random samples", measure), lambda: _compute_curve(table, measure))


def describe_sample(table: Table, measure: UtilityLoss, loss: float) -> str:
    """Describe the size of the sample that is as accurate as a release with this loss."""
    curve, about = sample_curve(table, measure), "About large populations it is"
    share = curve.share(loss)
    if share == 1:
        return f"{about} as accurate as the original records."
    if loss > curve.losses[0]:
        return f"{about} less accurate than any random sample of the records."
    sample_words = (
        f"{format_number(100 * share, 'higher')} % of the records ({int(share * table.records):,}), unchanged"
    )
    return f"{about} as accurate as a random {sample_words}."


def published_share(table: Table, measure: UtilityLoss, loss: float | None, smallest: int) -> float | None:
    """Return the share for publication with a published loss; None if it is not allowed or unknown.

    The only figure of the table that it uses is the factor, an average over large populations that is rounded once;
    everything else follows from the factor and the losses, however many releases are published.
    """
    if loss is None or table.weight is not None or not may_list_groups(table.records, smallest):
        return None
    scale, limit = sample_curve(table, measure).scale()
    if loss == 0:
        return 1.0
    if loss > limit or not math.isfinite(scale):
        return None
    scale = round_average(scale, better="higher", crowd=table.records / smallest if smallest > 1 else math.inf)
    odds = (scale / loss) ** (1 / _power(measure.distance))
    return round_average(float(odds / (1 + odds)), better="higher")


def _compute_curve(table: Table, measure: UtilityLoss) -> SampleCurve:
    populations = large_populations(table, measure.min_support)
    if not len(populations) or not table.sensitive:
        raise Undefined("there is no large population or no sensitive column, so there is no error to measure")
    odds = np.geomspace(1 / table.records, LARGEST, SHARES)
    order = np.argsort(populations.support, kind="stable")
    losses = np.zeros(SHARES)
    for name, seen in table.sensitive.items():
        # populations of all sizes, each equally often
        count = max(DRAWN // len(seen), 1)
        chosen = order[np.linspace(0, len(order) - 1, count).round().astype(int)] if count < len(order) else order
        counts = np.tile(populations.truth[name][chosen], (max(count // len(chosen), 1), 1))
        each = [_expected(counts, seen.prior, one / (1 + one), measure.distance, seen.levels) for one in odds]
        losses = np.maximum(losses, each)
    falling = np.maximum.accumulate(losses[::-1])[::-1]
    return SampleCurve(odds, falling, _power(measure.distance))


def _power(kind: str) -> float:
    """Return the power of the odds with which a distance decreases; a divergence is like the square of a difference."""
    return 1.0 if kind == "js" else 0.5


def _expected(counts: np.ndarray, prior: np.ndarray, share: float, kind: str, levels: tuple) -> float:
    """Return the mean loss if each record is sampled with this probability; the prior for a population without any."""
    drawn = np.random.default_rng(0).binomial(counts, share)
    totals = drawn.sum(axis=1, keepdims=True)
    estimated = np.where(totals > 0, drawn / np.maximum(totals, 1), prior)
    return float(distance(kind, counts / counts.sum(axis=1, keepdims=True), estimated, levels).mean())
