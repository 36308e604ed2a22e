"""Examples of what a distance from the prior allows: the largest share of a group that may have one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.figures import format_whole_percent
from workbench.data.sensitive import Sensitive
from workbench.data.wording import Wording
from workbench.models import Model
from workbench.models.distribution_distances import DISTANCES, distance, jensen_shannon
from workbench.releases.published_classes import (
    disclosure_costs,
    max_distance_for_share,
    prior_bounds,
    with_published_totals,
)

NEAR = 1e-9  # tolerance for equal distances


class Scale(NamedTuple):
    """An example: a value, its prior share, and the minimum distance for each share of a group that has it."""

    column: str
    value: str
    share: float
    costs: Sequence[float]  # minimum distance of a group in which 0, 1, ... 100 % have the value
    dearest: float  # maximum distance of a group in which all have the same value

    def max_share(self, far: float) -> float:
        """Return the largest share of a group that may have the value at this distance from the prior."""
        return _first_share(self.costs, far)

    def allows(self, far: float, wording: Wording) -> str:
        """Describe what this distance allows."""
        have = f"have {wording.having(self.column, self.value)}"
        usual, most = f"(of {wording.everybody}: {format_whole_percent(self.share)})", self.max_share(far)
        if most == 1:
            return f"even all of a group may {have} {usual}"
        return f"for example, at most {format_whole_percent(most)} of a group {have} {usual}"


def scale(every: Iterable[Sensitive], kind: str, smallest: int) -> Scale | None:
    """Return the example for a set of columns; None if few people have its value.

    The column is the one whose full disclosure costs most, and the value its most common one that may harm
    (`Sensitive.may_harm`). Among these values it is the cheapest to disclose, so no other comes nearer to certainty.
    """
    columns = list(every)
    seen = costliest_column(columns, kind, smallest)
    if seen is None:
        return None
    common = np.where(seen.may_harm(smallest), with_published_totals(seen, smallest).totals, -1)
    found = scale_of(seen, int(common.argmax()), kind, smallest)
    return found and found._replace(dearest=disclosure_costs(columns, kind, smallest)[1])


def costliest_column(every: Iterable[Sensitive], kind: str, smallest: int) -> Sensitive | None:
    """Return the column whose cheapest full disclosure costs most."""
    return max(every, key=lambda one: _cheapest(one, kind, smallest), default=None)


def scale_of(seen: Sensitive, v: int, kind: str, smallest: int) -> Scale | None:
    """Return the example of one value; None if few people have it."""
    if not seen.may_name(smallest)[v]:
        return None
    blunt = with_published_totals(seen, smallest)
    most = float(prior_bounds(seen, smallest).high[v])
    costs = [round(cost, 6) for cost in _costs(blunt, kind, v, most)]
    return Scale(
        seen.name,
        seen.labels[v],
        round(float(blunt.prior[v]), 4),
        tuple(costs),
        disclosure_costs([seen], kind, smallest)[1],
    )


def allowed_shares(seen: Sensitive, kind: str, far: float, smallest: int) -> np.ndarray:
    """Return the largest share of a group that may have each value at this distance from the prior."""
    blunt, most = with_published_totals(seen, smallest), prior_bounds(seen, smallest).high
    return np.array([_first_share(_costs(blunt, kind, v, float(most[v])), far) for v in range(len(seen))])


def guaranteed_shares(model: Model | None, seen: Sensitive, smallest: int) -> np.ndarray:
    """Return the largest share of a group that may have each value if the group satisfies the model."""
    most = np.ones(len(seen))
    for part in model.parts if model else ():
        most = np.minimum(most, part.max_value_share)
        if part.max_distance_from_prior:
            most = np.minimum(most, allowed_shares(seen, *part.max_distance_from_prior, smallest))
    return most


def max_allowed_distance(model: Model, every: Iterable[Sensitive], kind: str, smallest: int) -> float | None:
    """Return the maximum distance from the prior of a group that satisfies a model; None if there is no maximum."""
    if model.max_distance_from_prior and DISTANCES[model.max_distance_from_prior[0]] is DISTANCES[kind]:
        return model.max_distance_from_prior[1]
    return max_distance_for_share(every, kind, model.max_value_share, smallest) if model.max_value_share < 1 else None


def _first_share(costs: Sequence[float] | np.ndarray, far: float) -> float:
    """Return the first share (in steps of 1 %) that costs at least this distance."""
    return next((n for n, cost in enumerate(costs) if cost >= far - NEAR and cost > 0), 100) / 100


def _cheapest(seen: Sensitive, kind: str, smallest: int) -> float:
    """Return the distance of the cheapest full disclosure of a column."""
    return disclosure_costs([seen], kind, smallest)[0]


def _costs(seen: Sensitive, kind: str, v: int, usual: float) -> np.ndarray:
    """Return the minimum distance from the prior, in which a share `usual` has value v, of a group in which 0 to 100 %
    have it."""
    shares = np.maximum(np.arange(101) / 100, usual)
    if kind == "js":  # minimal if the other values keep their proportions
        return jensen_shannon(np.stack([shares, 1 - shares], axis=1), np.array([usual, 1 - usual]))
    each = np.eye(len(seen))
    far = np.delete(distance(kind, each, each[v], seen.levels), v)
    others = np.delete(seen.totals, v) * (1 - usual) / max(np.delete(seen.totals, v).sum(), 1)
    nearest = np.argsort(far, kind="stable")  # these values become v at the lowest cost
    moved, cost = np.cumsum(others[nearest]), np.cumsum((others * far)[nearest])
    return np.interp(shares - usual, np.append(0, moved), np.append(0, cost))
