"""What classes may be told to be: their counts rounded outwards to the threshold, so that all that is worked out from
them (a loss, a quotient, which value stands out) is the same for many tables, and is no less than the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from workbench.base.figures import about_per_cent, an
from workbench.base.small_counts import (
    QUARTERS,
    about_share,
    between,
    few,
    least,
    may_list_groups,
    named,
    parts,
    share,
    stepped,
)
from workbench.data.sensitive import Sensitive
from workbench.data.wording import PLAIN, Wording
from workbench.models.classes import Classes
from workbench.models.distances import distance
from workbench.models.farthest import Bounds, farthest

FINEST = 20  # parts of a full disclosure, or of the risk
COST = 0.0001  # in such steps what a full disclosure costs is told
NOTHING = 1e-9  # a loss that is rounding


def coarse_counts(counts: np.ndarray, smallest: int) -> np.ndarray:
    """Many numbers of people, each as `coarse` tells it."""
    step = max(smallest, 1)
    return np.where(counts > 0, np.maximum(step * ((2 * counts + step) // (2 * step)), step), 0).astype(np.int64)


def told_values(sensitive: Sensitive, smallest: int) -> Sensitive:
    """A sensitive column with as many people of each value as may be told."""
    return replace(sensitive, totals=coarse_counts(sensitive.totals, smallest))


def disclosures(every: Iterable[Sensitive], kind: str, smallest: int) -> tuple[float, float]:
    """What the cheapest full disclosure costs and the dearest, by a kind of distance, as it may be told: no class loses
    more than that."""
    cheapest, dearest = [], []
    for seen in every:
        blunt = told_values(seen, smallest)
        cheapest.append(distance(kind, np.eye(len(seen)), blunt.prior, seen.levels)[seen.totals > 0].min())
        dearest.append(_dearest(seen, kind, smallest))
    return stepped(float(min(cheapest)), COST), stepped(max(dearest), COST)


def most_told(
    classes: Classes, every: Iterable[Sensitive], kind: str, smallest: int, records: int
) -> tuple[float, float]:
    """The largest loss of a class as it may be told of so many records, and what the cheapest disclosure costs."""
    cheapest, dearest = disclosures(every, kind, smallest)
    most = float(told(classes, kind, smallest).loss.max())
    step = cheapest / FINEST if may_list_groups(records, smallest) else dearest / QUARTERS
    return min(stepped(stepped(most, step), COST), dearest), cheapest


def farthest_of(every: Iterable[Sensitive], kind: str, most: float, smallest: int) -> float:
    """How far a class is from everybody at most, where no more than such a share of it has the same value."""
    found = []
    for seen in every:
        shares = Bounds(np.zeros(len(seen)), np.where(seen.totals > 0, most, 0.0))
        found.append(float(farthest(kind, shares, everybodys(seen.totals, smallest), seen.levels)))
    return stepped(max(found), COST)


def _dearest(seen: Sensitive, kind: str, smallest: int) -> float:
    """What the dearest full disclosure costs at most."""
    certain = np.eye(len(seen))[seen.totals > 0]
    return float(farthest(kind, Bounds(certain, certain), everybodys(seen.totals, smallest), seen.levels).max())


def everybodys(totals: np.ndarray, smallest: int) -> Bounds:
    """The shares of everybody: of every number of people that is told alike."""
    half = max(smallest, 1) / 2
    blunt = np.append(coarse_counts(totals, smallest), coarse_counts(totals.sum()[None], smallest))
    low = np.where(blunt <= 2 * half, np.minimum(blunt, 1), np.ceil(blunt - half))
    high = np.where(blunt == 0, 0, np.ceil(blunt + half) - 1)
    least, most = max(low[-1], low[:-1].sum()), min(high[-1], high[:-1].sum())
    return Bounds(low[:-1] / most, np.minimum(high[:-1] / least, 1))


def those_of(counts: np.ndarray, totals: np.ndarray, smallest: int) -> Bounds:
    """The shares of classes x values: of all counts that are not told from each other.

    Those are the small ones, those of all but few, and others up to a quarter of the threshold.
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


def told_classes(classes: Classes, smallest: int) -> Classes:
    """The classes with their counts rounded away from what everybody has; their sizes are the least they may be.

    A class of everybody is like everybody: rounded apart from them it would show what was rounded away.
    """
    seen = {name: told_values(one, smallest) for name, one in classes.sensitive.items()}
    blunt = {name: _outwards(classes.histograms[name], one.prior, smallest) for name, one in seen.items()}
    for name, one in classes.sensitive.items():
        blunt[name][classes.sizes == one.totals.sum()] = seen[name].totals
    step = max(smallest, 1)
    low = np.where(classes.sizes < few(smallest), 1, np.ceil(coarse_counts(classes.sizes, smallest) - step / 2))
    return replace(classes, sizes=low.astype(int), histograms=blunt, sensitive=seen)


def _outwards(counts: np.ndarray, prior: np.ndarray, smallest: int) -> np.ndarray:
    """Counts of classes x values of which none of few people can be told from another.

    A count that is not small is rounded to a quarter of the threshold, up where it is above what everybody has. A small
    one above is as large as the threshold; those below share what is left as everybody has them. Nothing is left where
    few people have another value than most, and in a class of few people.
    """
    step = max(smallest, 1)
    if step == 1:
        return counts.astype(float)
    quarter, size = math.ceil(step / 4), counts.sum(axis=1, keepdims=True)
    above = (counts >= size * prior) & (counts > 0)
    up, down = -(-counts // quarter) * quarter, np.where(counts < step, 0, counts - counts % quarter)
    blunt = np.where(size < few(smallest), above, np.where(above, np.maximum(up, step), down)).astype(float)
    left = np.maximum(-(-size // quarter) * quarter - blunt.sum(axis=1, keepdims=True), 0)
    left[(size < few(smallest)) | (size - counts.max(axis=1, keepdims=True) < step)] = 0
    shared = (~above & (counts < step)) * prior
    return blunt + left * shared / np.maximum(shared.sum(axis=1, keepdims=True), 1e-300)


def distributions(told: Classes, name: str) -> np.ndarray:
    """The distribution of a sensitive column in each told class."""
    return told.histograms[name] / told.histograms[name].sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class Told:
    """Of each class: how much it loses on the sensitive column that it loses most on, and which value stands out."""

    classes: Classes  # as they are, to be told in words
    names: tuple[str, ...]
    column: np.ndarray  # number of that sensitive column
    value: np.ndarray  # number of that value
    loss: np.ndarray
    smallest: int
    wording: Wording
    limits: Mapping[str, np.ndarray]  # of each value: the largest share of any class that has it, where that is known
    truthful: bool = True  # what is published of people is true of them

    @cached_property
    def alike(self) -> tuple[np.ndarray, np.ndarray]:
        """The first of those classes of which all the same is told, and of each class which of them it is like."""
        from workbench.data.cells import distinct_rows  # loads DuckDB, which no page needs

        count = np.zeros(len(self.loss), np.int64)
        for i, name in enumerate(self.names):
            of = np.flatnonzero(self.column == i)
            count[of] = self.classes.histograms[name][of, self.value[of]]
        told = [self.column, self.value, count, self.classes.sizes, self.loss <= NOTHING]
        return distinct_rows(np.stack(told, axis=1))

    @cached_property
    def _tiny(self) -> list[bool]:
        """Which classes are `tiny`."""
        return ((self.classes.sizes < few(self.smallest)) & (self.smallest > 1)).tolist()

    @cached_property
    def _named(self) -> dict[str, np.ndarray]:
        """Which values of each column may be named."""
        return {name: named(self.classes.sensitive[name].totals, self.smallest) for name in self.names}

    @cached_property
    def _everybodys(self) -> dict[str, Bounds]:
        """The shares of everybody who have the values of each column."""
        return {name: everybodys(self.classes.sensitive[name].totals, self.smallest) for name in self.names}

    @cached_property
    def _prior(self) -> dict[str, np.ndarray]:
        """The same as it is told."""
        return {name: told_values(self.classes.sensitive[name], self.smallest).prior for name in self.names}

    def about(self, row: int) -> tuple[Sensitive, str | None, int, int]:
        """The column, the value if it may be named, how many of the class have it, and of how many."""
        name, v = self.names[self.column[row]], int(self.value[row])
        seen = self.classes.sensitive[name]
        known = bool(self._named[name][v]) and not self.tiny(row)
        label = seen.labels[v] if known else None
        return seen, label, int(self.classes.histograms[name][row, v]), int(self.classes.sizes[row])

    def tiny(self, row: int) -> bool:
        """Whether so few are in a class that nothing is told of what they have."""
        return self._tiny[row]

    def bounds(self, row: int) -> tuple[float, float]:
        """The least and the largest share of a class that may have the value, by what is told of it."""
        _, label, count, of = self.about(row)
        if self.tiny(row):
            return 0.0, 1.0
        n = parts(of, self.smallest)
        if label is None:  # few have it
            low, high = 0.0, (few(self.smallest) - 1) / least(of, self.smallest)
        elif n == QUARTERS:
            low, high = (count * n // of) / n, (count * n // of + 1) / n
        else:
            told = share(count, of, self.smallest)
            low, high = told - 1 / (2 * n), told + 1 / (2 * n)
        high = min(high, 1.0, self.limit(row))
        return min(max(low, 0.0), high), high

    def limit(self, row: int) -> float:
        """The largest share of any class that may have the value, by what is known of all of them."""
        known = self.limits.get(self.names[self.column[row]])
        return 1.0 if known is None else float(known[self.value[row]])

    def exposed(self, row: int) -> tuple[float, float]:
        """How far belief in the value that stands out has come from what is usual on the way to certainty: at least,
        and at most."""
        usual = self._everybodys[self.names[self.column[row]]]
        low, high = self.bounds(row)
        most, fewest = float(usual.high[self.value[row]]), float(usual.low[self.value[row]])
        least_way = max(low - most, 0.0) / max(1 - most, NOTHING)
        most_way = max(high - fewest, 0.0) / max(1 - fewest, NOTHING)
        if self.tiny(row):
            return 0.0, 1.0
        return stepped(least_way, COST, "higher"), stepped(most_way, COST)

    def usual(self, row: int) -> float:
        """The share of everybody who has the value, whether or not it may be named."""
        return float(self._prior[self.names[self.column[row]]][self.value[row]])

    def prior(self, row: int) -> float | None:
        """The same, where the value may be named."""
        _, label, *_ = self.about(row)
        return None if label is None else self.usual(row)

    def posterior(self, row: int) -> float | None:
        """The share of the class that has the value; None where it is told in words alone."""
        _, label, count, of = self.about(row)
        if label is None or parts(of, self.smallest) == QUARTERS:
            return None
        return min(share(count, of, self.smallest), self.limit(row))

    def believed(self, row: int) -> str:
        """What is believed of the people of a class."""
        seen, *_ = self.about(row)
        if self.tiny(row):
            return "The group is too small: its values are not published."
        if self._mixed(row):
            return f"They {self._are} about as mixed in {self.wording.column(seen.name)} as {self.wording.everybody}."
        return f"{self._have(row)} of them {self._do} {self._called(row)}{self._usual(row)}"

    @property
    def _are(self) -> str:
        """Beside what people are like."""
        return "are" if self.truthful else "are published as"

    @property
    def _do(self) -> str:
        """Beside the value that people have."""
        return "have" if self.truthful else "are published with"

    def _mixed(self, row: int) -> bool:
        """Whether a class is told to be like everybody."""
        _, label, *_ = self.about(row)
        return self.loss[row] <= NOTHING or (label is not None and self._have(row) == self._before(row))

    def _have(self, row: int) -> str:
        """How many of a class have the value."""
        _, _, count, of = self.about(row)
        if of >= few(self.smallest) and count == of:
            return "All"
        told = about_share(count, of, self.smallest)
        if parts(of, self.smallest) == QUARTERS:
            told = between(*self.bounds(row))
            return f"{told[:1].upper()}{told[1:]}"
        if count < few(self.smallest):
            return f"Fewer than {few(self.smallest)}"
        if of - count < few(self.smallest):
            return f"All but fewer than {few(self.smallest)}"
        return told if self.posterior(row) is None else about_per_cent(self.posterior(row) or 0.0)

    def _before(self, row: int) -> str:
        """How many of everybody have the value, where it may be named."""
        return about_per_cent(self.prior(row) or 0)

    def _usual(self, row: int) -> str:
        _, label, *_ = self.about(row)
        return "." if label is None else f"; of {self.wording.everybody}, {self._before(row)} do."

    def _called(self, row: int) -> str:
        """The value of a class."""
        seen, label, *_ = self.about(row)
        name = self.wording.column(seen.name)
        return f"{an(name)} that few {self.wording.many} have" if label is None else f"the {name} {label}"

    def worst(self, who: Callable[[int], str]) -> int:
        """The most exposed class, not of few people if there is another; of those alike the one of which most is
        believed, then the largest, then the first in words: the first row of their table.
        """
        every, number = self.alike
        sizes = coarse_counts(self.classes.sizes, self.smallest)

        def place(row: int) -> tuple[bool, float, float, int]:
            return self.tiny(row), -self.exposed(row)[1], -(self.posterior(row) or 0), -int(sizes[row])

        places = [place(row) for row in every.tolist()]
        first = [i for i, found in enumerate(places) if found == min(places)]
        return min(np.flatnonzero(np.isin(number, first)).tolist(), key=who)

    def most_exposed(self, row: int, who: str) -> dict[str, str]:
        """One group: a figure of what is believed there, what it is of, and `who` they are, which ends a sentence."""
        wording = self.wording
        seen, label, count, of = self.about(row)
        people, name = wording.people(of, self.smallest), wording.column(seen.name)
        if self.tiny(row):
            return {"figure": "Not told", "unit": f"since all groups are of {people}", "sentence": ""}
        if self._mixed(row):
            is_so = "is" if self.truthful else "is published as"
            alike = f"Every group {is_so} about as mixed in {name} as {wording.everybody}."
            return {"figure": "No group", "unit": "is more exposed than another", "sentence": alike}
        sentence = f"{people[:1].upper()}{people[1:]}{who}."
        if label is None:
            unit = f"is the value that stands out most, in a group of {people}"
            return {"figure": f"A rare {name}", "unit": unit, "sentence": sentence}
        if self.posterior(row) is None and count < of:
            sentence = f"{people[:1].upper()}{people[1:]}, so few that the share is told as a range{who}."
        unit = f"of the worst group {self._do} {self._called(row)}{self._usual(row)}".rstrip(".")
        return {"figure": self._have(row), "unit": unit, "sentence": sentence}


def told(
    classes: Classes,
    kind: str,
    smallest: int,
    most: float = math.inf,
    wording: Wording = PLAIN,
    limits: Mapping[str, np.ndarray] | None = None,
) -> Told:
    """The classes as they may be told, by a kind of distance from everybody: none loses more than is said, and
    `most` and `limits` are told too."""
    blunt = told_classes(classes, smallest)
    names = tuple(blunt.histograms)
    losses, values = [], []
    tiny = (classes.sizes < few(smallest)) & (smallest > 1)
    for name in names:
        seen, dearest = classes.sensitive[name], _dearest(classes.sensitive[name], kind, smallest)
        prior = everybodys(seen.totals, smallest)
        own = farthest(kind, those_of(classes.histograms[name], seen.totals, smallest), prior, seen.levels)
        losses.append(np.where(tiny, dearest, np.minimum(own, dearest)))
        values.append((distributions(blunt, name) - blunt.sensitive[name].prior).argmax(axis=1))
    column, rows = np.stack(losses).argmax(axis=0), np.arange(len(classes))
    loss = np.minimum(np.stack(losses)[column, rows], most)
    return Told(classes, names, column, np.stack(values)[column, rows], loss, smallest, wording, limits or {})
