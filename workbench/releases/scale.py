"""Scale: what a distance from everybody's mix allows, as the largest share of a group that may have one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.figures import about_per_cent
from workbench.base.small_counts import named
from workbench.data.sensitive import Sensitive
from workbench.data.wording import Wording
from workbench.models import Model
from workbench.models.distances import DISTANCES, distance, jensen_shannon
from workbench.releases.published_classes import disclosures, everybodys, farthest_of, told_values

NEAR = 1e-9  # distances as far apart are one


class Scale(NamedTuple):
    """An example: a value, the share of everybody who has it, and from which distance on how many of a group may."""

    column: str
    value: str
    share: float
    costs: Sequence[float]  # the least distance of a group of which 0, 1, ... 100 % have the value
    dearest: float  # of a group of which all have one value, whichever, at most

    def most(self, far: float) -> float:
        """The largest share of a group that may have the value, where its mix is so far from everybody's."""
        return _most(self.costs, far)

    def allows(self, far: float, wording: Wording) -> str:
        """The same in words."""
        have = f"have the {wording.column(self.column)} {self.value}"
        usual, most = f"(of {wording.everybody}: {about_per_cent(self.share)})", self.most(far)
        if most == 1:
            return f"even all of a group may {have} {usual}"
        return f"for example, at most {about_per_cent(most)} of a group {have} {usual}"


def scale(every: Iterable[Sensitive], kind: str, smallest: int) -> Scale | None:
    """The example: the commonest value of the column of which a full disclosure costs most; None if few have it.

    Of that column it is the value that is the cheapest to disclose, so no other comes nearer to certainty. A column in
    which nearly all have one value would say nothing: that a group is certain to have it is hardly news.
    """
    columns = list(every)
    seen = dearest(columns, kind, smallest)
    found = scale_of(seen, int(told_values(seen, smallest).totals.argmax()), kind, smallest) if seen else None
    return found and found._replace(dearest=disclosures(columns, kind, smallest)[1])


def dearest(every: Iterable[Sensitive], kind: str, smallest: int) -> Sensitive | None:
    """The column of which the cheapest full disclosure costs most."""
    return max(every, key=lambda one: _cheapest(one, kind, smallest), default=None)


def scale_of(seen: Sensitive, v: int, kind: str, smallest: int) -> Scale | None:
    """The example of one value; None if few have it."""
    if not named(seen.totals, smallest)[v]:
        return None
    blunt = told_values(seen, smallest)
    most = float(everybodys(seen.totals, smallest).high[v])
    costs = [round(cost, 6) for cost in _costs(blunt, kind, v, most)]
    return Scale(
        seen.name, seen.labels[v], round(float(blunt.prior[v]), 4), tuple(costs), disclosures([seen], kind, smallest)[1]
    )


def allowed(seen: Sensitive, kind: str, far: float, smallest: int) -> np.ndarray:
    """The largest share of a group that may have each value, where its mix is so far from everybody's."""
    blunt, most = told_values(seen, smallest), everybodys(seen.totals, smallest).high
    return np.array([_most(_costs(blunt, kind, v, float(most[v])), far) for v in range(len(seen))])


def promised(model: Model | None, seen: Sensitive, smallest: int) -> np.ndarray:
    """The largest share of a group that may have each value, where the group keeps a model."""
    most = np.ones(len(seen))
    for part in model.parts if model else ():
        most = np.minimum(most, part.most)
        if part.far:
            most = np.minimum(most, allowed(seen, *part.far, smallest))
    return most


def farthest_allowed(model: Model, every: Iterable[Sensitive], kind: str, smallest: int) -> float | None:
    """How far from everybody a group that keeps a model may be, by a kind of distance; None where it allows all."""
    if model.far and DISTANCES[model.far[0]] is DISTANCES[kind]:
        return model.far[1]
    return farthest_of(every, kind, model.most, smallest) if model.most < 1 else None


def _most(costs: Sequence[float] | np.ndarray, far: float) -> float:
    return next((n for n, cost in enumerate(costs) if cost >= far - NEAR), 100) / 100


def _cheapest(seen: Sensitive, kind: str, smallest: int) -> float:
    """What the cheapest full disclosure of a column costs."""
    return disclosures([seen], kind, smallest)[0]


def _costs(seen: Sensitive, kind: str, v: int, usual: float) -> np.ndarray:
    """The least distance from everybody, of whom `usual` have value v, of a group of which 0 to 100 % have it."""
    shares = np.maximum(np.arange(101) / 100, usual)
    if kind == "js":  # the least where the others keep their proportions
        return jensen_shannon(np.stack([shares, 1 - shares], axis=1), np.array([usual, 1 - usual]))
    each = np.eye(len(seen))
    far = np.delete(distance(kind, each, each[v], seen.levels), v)
    others = np.delete(seen.totals, v) * (1 - usual) / max(np.delete(seen.totals, v).sum(), 1)
    nearest = np.argsort(far, kind="stable")  # they become v at the least cost
    moved, cost = np.cumsum(others[nearest]), np.cumsum((others * far)[nearest])
    return np.interp(shares - usual, np.append(0, moved), np.append(0, cost))
