"""Redaction of classes for publication: counts are rounded outwards to the threshold, so that everything derived from
them (a loss, a quotient, the most exposed value) is identical for many tables, and never below the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.base.figures import format_whole_percent, with_article
from workbench.data.sensitive import Sensitive
from workbench.data.wording import PLAIN, Wording
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.models.distribution_distances import DISTANCES, Bounds, distance, jensen_shannon, max_distance
from workbench.redaction.controlled_rounding import (
    BY_ITSELF,
    QUARTERS,
    Rounding,
    describe_range,
    describe_usual_share,
    may_list_groups,
    round_to_step,
    share_resolution,
    small_limit,
)

FINEST = 20  # steps of a published loss per full disclosure
COST = 0.0001  # step of the published cost of a full disclosure
NOTHING = 1e-9  # smaller losses are rounding errors
NEARLY_ALL = 0.995  # a share below 1, published as "over 99 %"
ODDS = 1e-6  # shares nearer to 0 or 1 are treated as this one
HIDDEN = "its values are not published"


def round_counts(counts: np.ndarray, smallest: int) -> np.ndarray:
    """Round many numbers of people, each as `round_count` does."""
    step = max(smallest, 1)
    return np.where(counts > 0, np.maximum(step * ((2 * counts + step) // (2 * step)), step), 0).astype(np.int64)


def with_published_totals(sensitive: Sensitive, smallest: int) -> Sensitive:
    """Return a sensitive column with the published number of people for each value."""
    return replace(sensitive, totals=sensitive.published(smallest))


def disclosure_costs(every: Iterable[Sensitive], kind: str, smallest: int) -> tuple[float, float]:
    """Return the published distances of the cheapest and the most expensive full disclosure; no class loses more."""
    cheapest, dearest = [], []
    for seen in every:
        blunt = with_published_totals(seen, smallest)
        cheapest.append(distance(kind, np.eye(len(seen)), blunt.prior, seen.levels)[seen.totals > 0].min())
        dearest.append(_dearest(seen, kind, smallest))
    return round_to_step(float(min(cheapest)), COST), round_to_step(max(dearest), COST)


def redact_max_loss(
    classes: Classes, every: Iterable[Sensitive], kind: str, smallest: int, records: int
) -> tuple[float, float]:
    """Return the published maximum loss of a class among so many records, and the distance of the cheapest
    disclosure."""
    cheapest, dearest = disclosure_costs(every, kind, smallest)
    most = float(redact_classes(classes, kind, smallest).loss.max())
    if not may_list_groups(records, smallest):
        return min(round_to_quarters(most, dearest), dearest), cheapest
    return min(round_to_step(round_to_step(most, cheapest / FINEST), COST), dearest), cheapest


def round_to_quarters(loss: float, dearest: float) -> float:
    """Round a loss of a small table up, to quarters of the distance of the dearest disclosure."""
    return round_to_step(round_to_step(loss, dearest / QUARTERS), COST)


def max_distance_for_share(every: Iterable[Sensitive], kind: str, most: float, smallest: int) -> float:
    """Return the maximum distance from the prior of a class in which no value has more than this share."""
    found = []
    for seen in every:
        shares = Bounds(np.zeros(len(seen)), np.where(seen.totals > 0, most, 0.0))
        found.append(float(max_distance(kind, shares, prior_bounds(seen, smallest), seen.levels)))
    return round_to_step(max(found), COST)


def _dearest(seen: Sensitive, kind: str, smallest: int) -> float:
    """Return the maximum distance of a full disclosure."""
    certain = np.eye(len(seen))[seen.totals > 0]
    return float(max_distance(kind, Bounds(certain, certain), prior_bounds(seen, smallest), seen.levels).max())


def prior_bounds(seen: Sensitive, smallest: int) -> Bounds:
    """Return bounds on the prior shares, over all counts that round to the published ones."""
    published, above = seen.published(smallest), smallest if smallest > 1 else 0
    total, below, present = int(published.sum()), max(above - 1, 0), seen.totals > 0
    low = np.where(present, np.maximum(published - below, 1), 0)
    high = np.where(present, published + above, 0)
    most = np.minimum(total + above, low + high.sum() - high)  # number of records, if a value has as few as possible
    least = np.maximum(max(total - below, 1), high + low.sum() - low)
    return Bounds(np.minimum(low / np.maximum(most, 1), 1), np.minimum(high / least, 1))


def class_share_bounds(counts: np.ndarray, totals: np.ndarray, smallest: int) -> Bounds:
    """Return bounds on the shares of classes x values, over all counts that publication does not distinguish.

    These are small counts, counts of all but few people, and otherwise counts within a quarter of the threshold.
    """
    step = max(smallest, 1)
    quarter, size = math.ceil(step / 4), counts.sum(axis=1, keepdims=True)
    least, most = size - size % quarter, size - size % quarter + quarter - 1
    small, nearly = counts < step, size - counts < step
    low = np.where(small, 0, np.where(nearly, np.maximum(least - step + 1, 0), counts - counts % quarter))
    high = np.where(small, step - 1, np.where(nearly, most, counts - counts % quarter + quarter - 1))
    high = np.where(totals > 0, high, 0)
    least, most = (np.maximum(least, low.sum(axis=1, keepdims=True)), np.minimum(most, high.sum(axis=1, keepdims=True)))
    return Bounds(low / most, np.minimum(high / np.maximum(least, 1), 1))


def published_sizes(classes: Classes, smallest: int, rounding: Rounding | None = None, gone: int = 0) -> np.ndarray:
    """The records of each class as they are published: rounded together with those that are suppressed (`gone`)."""
    for seen in classes.sensitive.values():
        rounding, gone = seen.rounding, int(seen.totals.sum() - classes.sizes.sum())
    every = np.append(classes.sizes, max(gone, 0))
    return (rounding or BY_ITSELF).counts("classes", list(map(str, range(len(every)))), every, smallest)[:-1]


def round_classes(classes: Classes, smallest: int) -> Classes:
    """Return the classes with their counts rounded away from the prior, and their sizes rounded down.

    A class of everybody gets the prior itself; rounding it separately would show what the prior hides.
    """
    seen = {name: with_published_totals(one, smallest) for name, one in classes.sensitive.items()}
    blunt = {name: _outwards(classes.histograms[name], one.prior, smallest) for name, one in seen.items()}
    for name, one in classes.sensitive.items():
        blunt[name][classes.sizes == one.totals.sum()] = seen[name].totals
    step = max(smallest, 1)
    low = np.where(classes.sizes < small_limit(smallest), 1, np.ceil(round_counts(classes.sizes, smallest) - step / 2))
    return replace(classes, sizes=low.astype(int), histograms=blunt, sensitive=seen)


def _outwards(counts: np.ndarray, prior: np.ndarray, smallest: int) -> np.ndarray:
    """Round counts of classes x values so that no small count is distinguished from another.

    A count that is not small is rounded to a quarter of the threshold, up if its share is above the prior. A small
    count above the prior becomes the threshold; those below share the remaining records in proportion to the prior.
    Nothing remains in a class of few people, or if few people have another value than the most common one.
    """
    step = max(smallest, 1)
    if step == 1:
        return counts.astype(float)
    quarter, size = math.ceil(step / 4), counts.sum(axis=1, keepdims=True)
    above = (counts >= size * prior) & (counts > 0)
    up, down = -(-counts // quarter) * quarter, np.where(counts < step, 0, counts - counts % quarter)
    blunt = np.where(size < small_limit(smallest), above, np.where(above, np.maximum(up, step), down)).astype(float)
    left = np.maximum(-(-size // quarter) * quarter - blunt.sum(axis=1, keepdims=True), 0)
    left[(size < small_limit(smallest)) | (size - counts.max(axis=1, keepdims=True) < step)] = 0
    shared = (~above & (counts < step)) * prior
    return blunt + left * shared / np.maximum(shared.sum(axis=1, keepdims=True), 1e-300)


def distributions(rounded: Classes, name: str) -> np.ndarray:
    """Return the distribution of a sensitive column in each rounded class."""
    return rounded.histograms[name] / rounded.histograms[name].sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class RedactedClasses:
    """Classes as they may be published: the loss of each on its most exposed sensitive column, and the most exposed
    value."""

    classes: Classes  # with exact counts, for descriptions
    people: np.ndarray  # published sizes
    names: tuple[str, ...]
    column: np.ndarray  # number of the most exposed sensitive column
    value: np.ndarray  # number of the most exposed value
    loss: np.ndarray
    smallest: int
    wording: Wording
    limits: Mapping[str, np.ndarray]  # for each value: its largest share in any class, if guaranteed
    is_truthful: bool = True  # published values are the people's own
    hidden: np.ndarray | None = None  # classes whose values the audit drops

    @cached_property
    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """The first of each set of classes with identical published figures, and the index of each class's set."""
        from workbench.data.cells import distinct_rows  # loads DuckDB, which no page needs

        count = np.zeros(len(self.loss), np.int64)
        for i, name in enumerate(self.names):
            rows = np.flatnonzero(self.column == i)
            count[rows] = self.classes.histograms[name][rows, self.value[rows]]
        figures = [self.column, self.value, count, self.classes.sizes, self.people, self.loss <= NOTHING]
        return distinct_rows(np.stack(figures, axis=1))

    @cached_property
    def _tiny(self) -> list[bool]:
        """True for each class that `is_tiny`."""
        tiny = (self.people < 2 * self.smallest) & (self.smallest > 1)
        return (tiny if self.hidden is None else tiny | self.hidden).tolist()

    @cached_property
    def _named(self) -> dict[str, np.ndarray]:
        """Masks of the values of each column that may be named."""
        return {name: self.classes.sensitive[name].may_name(self.smallest) for name in self.names}

    @cached_property
    def _prior_bounds(self) -> dict[str, Bounds]:
        """Bounds on the prior shares of each column's values."""
        return {name: prior_bounds(self.classes.sensitive[name], self.smallest) for name in self.names}

    @cached_property
    def _prior(self) -> dict[str, np.ndarray]:
        """The published prior of each column."""
        return {name: with_published_totals(self.classes.sensitive[name], self.smallest).prior for name in self.names}

    def exposed_value(self, row: int) -> tuple[Sensitive, str | None, int, int]:
        """Return the column, the value if it may be named, the number of the class's records with the value, and its
        size."""
        name, v = self.names[self.column[row]], int(self.value[row])
        seen = self.classes.sensitive[name]
        known = bool(self._named[name][v]) and not self.is_tiny(row)
        label = seen.labels[v] if known else None
        return seen, label, int(self.classes.histograms[name][row, v]), int(self.classes.sizes[row])

    def is_tiny(self, row: int) -> bool:
        """Return whether a class has too few people to publish anything about their values."""
        return self._tiny[row]

    def share_bounds(self, row: int) -> tuple[float, float]:
        """Return the minimum and maximum share of a class that may have the value, given what is published."""
        _, label, count, total = self.exposed_value(row)
        if self.is_tiny(row):
            return 0.0, 1.0
        n, fewest = share_resolution(self.people[row], self.smallest), max(int(self.people[row]) - self.smallest + 1, 1)
        if label is None:  # fewer than twice the threshold have it, or it would be named
            low, high = 0.0, (2 * self.smallest - 1) / fewest
        elif n <= QUARTERS:
            low, high = (count * n // total) / n, (count * n // total + 1) / n
        elif count < small_limit(self.smallest):
            low, high = 0.0, (small_limit(self.smallest) - 1) / fewest
        elif 0 < total - count < small_limit(self.smallest):
            low, high = 1 - (small_limit(self.smallest) - 1) / fewest, 1.0
        else:
            rounded = round(n * count / total) / n
            low, high = rounded - 1 / (2 * n), rounded + 1 / (2 * n)
        high = min(high, 1.0, self.limit(row))
        return min(max(low, 0.0), high), high

    def limit(self, row: int) -> float:
        """Return the largest share of any class that may have the value, given the guarantees for all classes."""
        known = self.limits.get(self.names[self.column[row]])
        return 1.0 if known is None else float(known[self.value[row]])

    def certainty_gain(self, row: int) -> tuple[float, float]:
        """Return the minimum and maximum shift of belief in the exposed value, from the prior toward certainty."""
        usual = self._prior_bounds[self.names[self.column[row]]]
        low, high = self.share_bounds(row)
        most, fewest = float(usual.high[self.value[row]]), float(usual.low[self.value[row]])
        least_way = max(low - most, 0.0) / max(1 - most, NOTHING)
        most_way = max(high - fewest, 0.0) / max(1 - fewest, NOTHING)
        if self.is_tiny(row):
            return 0.0, 1.0
        return round_to_step(least_way, COST, "higher"), round_to_step(most_way, COST)

    def prior_share(self, row: int) -> float:
        """Return the prior share of the value, whether or not it may be named."""
        name, v = self.names[self.column[row]], int(self.value[row])
        found, totals = float(self._prior[name][v]), self.classes.sensitive[name].totals
        return found if totals[v] == totals.sum() else min(found, NEARLY_ALL)

    def published_prior(self, row: int) -> float | None:
        """Return the prior share of the value, if it may be named."""
        _, label, *_ = self.exposed_value(row)
        return None if label is None else self.prior_share(row)

    def posterior(self, row: int) -> float | None:
        """Return the share of the class that has the value; None if only a description is published."""
        _, label, count, total = self.exposed_value(row)
        n = share_resolution(self.people[row], self.smallest)
        if (
            label is None
            or n <= QUARTERS
            or count < small_limit(self.smallest)
            or 0 < total - count < small_limit(self.smallest)
        ):
            return None
        return min(round(n * count / total) / n, self.limit(row), 1.0 if count == total else NEARLY_ALL)

    def belief_sentence(self, row: int) -> str:
        """Return a sentence about the posterior of a class."""
        seen, *_ = self.exposed_value(row)
        if self.is_tiny(row):
            small = self.people[row] < 2 * self.smallest
            why = "The group is too small" if small else "Other groups would reveal its few members"
            return f"{why}: {HIDDEN}."
        if self._mixed(row):
            name, same = self.wording.column(seen.name), _describe_same(self)
            return f"The distribution of {name} among them {same} {self.wording.everybody}."
        return f"{self._have(row)} of them {self._do} {_describe_value(self, row)}{_compare_with_prior(self, row)}"

    @property
    def _do(self) -> str:
        """The verb for the people who have the value."""
        return "have" if self.is_truthful else "are published with"

    def _mixed(self, row: int) -> bool:
        """Return whether a class is described as similar to everybody."""
        _, label, *_ = self.exposed_value(row)
        return self.loss[row] <= NOTHING or (label is not None and self._have(row) == _describe_prior(self, row))

    def _have(self, row: int) -> str:
        """Describe the share of a class that has the value."""
        _, _, count, total = self.exposed_value(row)
        if count == total:
            return "All"
        if share_resolution(self.people[row], self.smallest) <= QUARTERS:
            share = describe_range(*self.share_bounds(row))
            return f"{share[:1].upper()}{share[1:]}"
        if count < small_limit(self.smallest):
            return f"Fewer than {small_limit(self.smallest)}"
        if total - count < small_limit(self.smallest):
            return f"All but fewer than {small_limit(self.smallest)}"
        return format_whole_percent(self.posterior(row) or 0.0)

    def most_exposed_class(self, who: Callable[[int], str]) -> int:
        """Return the most exposed class, a tiny one only if all are.

        Ties are decided by the posterior, then by size, then by the first description in `who`.
        """
        every, number = self.distinct

        def place(row: int) -> tuple[bool, float, float, int]:
            return self.is_tiny(row), -self.certainty_gain(row)[1], -(self.posterior(row) or 0), -int(self.people[row])

        places = [place(row) for row in every.tolist()]
        first = [i for i, found in enumerate(places) if found == min(places)]
        return min(np.flatnonzero(np.isin(number, first)).tolist(), key=who)

    def headline(self, row: int, who: str) -> dict[str, str]:
        """Return a figure for one class with its unit and a sentence; `who` describes its people."""
        wording = self.wording
        seen, label, count, total = self.exposed_value(row)
        people, name = wording.group(int(self.people[row]), self.smallest), wording.column(seen.name)
        if self.is_tiny(row):
            return {"figure": "Not published", "unit": "because it would reveal small counts", "sentence": ""}
        if self._mixed(row):
            alike = f"In every group, the distribution of {name} {_describe_same(self)} {wording.everybody}."
            return {"figure": "No group", "unit": "is more exposed than another", "sentence": alike}
        sentence = f"{people[:1].upper()}{people[1:]}{who}."
        if label is None:
            unit = f"is the value that stands out most, in a group of {people}"
            return {"figure": f"A rare {name}", "unit": unit, "sentence": sentence}
        worst = "of the worst group"
        if self.posterior(row) is None and count < total:
            usual = f", which includes that of {wording.everybody}" if self.certainty_gain(row)[0] == 0 else ""
            sentence = f"{people[:1].upper()}{people[1:]}, so few that the share is published as a range{usual}{who}."
            worst = "of a group that may be the worst" if usual else worst
        unit = f"{worst} {self._do} {_describe_value(self, row)}{_compare_with_prior(self, row)}".rstrip(".")
        return {"figure": self._have(row), "unit": unit, "sentence": sentence}


def _describe_same(redacted: RedactedClasses) -> str:
    """Return the verb that compares the distribution of a group with that among everybody."""
    return f"is {'' if redacted.is_truthful else 'published as '}about the same as among"


def _describe_prior(found: RedactedClasses, row: int) -> str:
    """Describe the prior share of the value, if it may be named."""
    seen, *_ = found.exposed_value(row)
    return describe_usual_share(found.published_prior(row) or 0, int(seen.totals.sum()), found.smallest)


def _compare_with_prior(found: RedactedClasses, row: int) -> str:
    _, label, *_ = found.exposed_value(row)
    return "." if label is None else f"; of {found.wording.everybody}, {_describe_prior(found, row)} do."


def _describe_value(found: RedactedClasses, row: int) -> str:
    """Describe the value of a class."""
    seen, label, *_ = found.exposed_value(row)
    if label is not None:
        return found.wording.having(seen.name, label)
    return f"{with_article(found.wording.column(seen.name))} that few {found.wording.many} have"


def _most_learned(shares: np.ndarray, prior: np.ndarray, may_harm: np.ndarray) -> np.ndarray:
    """Return the value of each class whose odds have risen most, of those that may harm if they are learned."""
    here, usual = (np.clip(one, ODDS, 1 - ODDS) for one in (shares, prior))
    risen = np.log(here / (1 - here)) - np.log(usual / (1 - usual))
    return np.where(may_harm & (prior > 0), risen, -np.inf).argmax(axis=1)


def redact_classes(
    classes: Classes,
    kind: str,
    smallest: int,
    most: float = math.inf,
    wording: Wording = PLAIN,
    limits: Mapping[str, np.ndarray] | None = None,
) -> RedactedClasses:
    """Return the classes as they may be published, by a kind of distance from the prior.

    No loss exceeds the published maximum `most`, and no share exceeds the published `limits`.
    """
    blunt = round_classes(classes, smallest)
    names = tuple(blunt.histograms)
    losses, values = [], []
    people = published_sizes(classes, smallest)
    tiny = (people < 2 * smallest) & (smallest > 1)
    for name in names:
        seen, dearest = classes.sensitive[name], _dearest(classes.sensitive[name], kind, smallest)
        prior = prior_bounds(seen, smallest)
        own = max_distance(
            kind, class_share_bounds(classes.histograms[name], seen.totals, smallest), prior, seen.levels
        )
        losses.append(np.where(tiny, dearest, np.minimum(own, dearest)))
        values.append(_most_learned(distributions(blunt, name), blunt.sensitive[name].prior, seen.may_harm(smallest)))
    column, rows = np.stack(losses).argmax(axis=0), np.arange(len(classes))
    loss = np.minimum(np.stack(losses)[column, rows], most)
    value = np.stack(values)[column, rows]
    return RedactedClasses(classes, people, names, column, value, loss, smallest, wording, limits or {})


# Examples of what a distance from the prior allows: the largest share of a group that may have one value.

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
