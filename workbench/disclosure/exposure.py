"""Exposure: what each class of a release discloses about its people, its nearest limit, a sentence that explains it,
and the table of all classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, Undefined, safe_repr, suggest
from workbench.base.figures import figures_next_to, format_number, format_percent, join_names
from workbench.data.cells import distinct_rows
from workbench.data.column import unused_name
from workbench.data.sensitive import Sensitive
from workbench.measures import disjoint_classes, record_mean
from workbench.measures.privacy.achieved import MODELS
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.models.distribution_distances import jensen_shannon
from workbench.releases.base import Release, refuse_other
from workbench.releases.labels import region_labels

NOTHING = 1e-12  # smaller losses are rounding errors
OWN_COLUMNS = ("size", "loss", "records at risk", "worst value", "prior", "posterior", "nearest limit", "limit used")


class Loss(NamedTuple):
    """Each class's privacy loss, and its value with the largest increase, before and after."""

    loss: np.ndarray
    worst: np.ndarray  # the index of that value
    prior: np.ndarray
    posterior: np.ndarray
    possible: float  # loss of the cheapest full disclosure: the threshold of records at risk
    dearest: float  # loss of the most expensive one: the maximum of any class

    def at_risk(self, threshold: float | None = None) -> np.ndarray:
        """Return which classes lose at least the threshold."""
        return self.loss >= (self.possible if threshold is None else threshold)


class Nearest(NamedTuple):
    """For each class: the part of the model whose limit it is nearest to, its score there, and the used share of the
    limit.

    The used share is 1 at the limit: score / limit if the limit is a maximum, limit / score if it is a minimum.
    `broken` are the classes beyond the limit of any part.
    """

    parts: tuple[Model, ...]
    part: np.ndarray
    score: np.ndarray
    used: np.ndarray
    broken: np.ndarray


class Shares(NamedTuple):
    """Each quasi-identifier's share of the risk: the decrease of the mean loss over records if it is merged away.

    Merging away a quasi-identifier joins classes that differ in it only, as if it were not released. Merging never
    increases the mean loss. The shares add up to 1, or are all 0 if no single quasi-identifier makes a difference.
    """

    names: tuple[str, ...]
    mean: float
    without: np.ndarray  # the remaining mean loss
    share: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Exposure:
    """The classes of a release for one sensitive column, or for none; `note` explains why there is none."""

    release: Release
    classes: Classes
    model: Model | None = None
    note: str = ""
    sensitive: Sensitive | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", next(iter(self.classes.sensitive.values()), None))

    @cached_property
    def shares_of_values(self) -> np.ndarray:
        """The distribution in each class: classes x values."""
        assert self.sensitive is not None
        return self.classes.distributions(self.sensitive.name)

    @cached_property
    def losses(self) -> Loss | None:
        """Privacy loss and the most exposed value; None without a sensitive column."""
        if self.sensitive is None:
            return None
        shares, prior = self.shares_of_values, self.sensitive.prior
        worst = (shares - prior).argmax(axis=1)
        reveal = PrivacyLoss().revealed(self.sensitive)
        posterior = shares[np.arange(len(shares)), worst]
        loss = jensen_shannon(shares, prior)
        return Loss(loss, worst, prior[worst], posterior, float(reveal.min()), float(reveal.max()))

    @cached_property
    def parts(self) -> tuple[Model, ...]:
        """The parts of the model that can be evaluated here; without a model, every one in the catalog, at default
        parameters.
        """
        known = self.release.table.population is not None
        bare = (kind.with_loosest_parameters() for kind in MODELS.values() if known or not kind.needs_population)
        every = self.model.parts if self.model else tuple(bare)
        return tuple(part for part in every if self.sensitive or not part.needs_sensitive)

    @cached_property
    def achieved(self) -> tuple[tuple[Model, float], ...]:
        """The strictest limit of each part that the release satisfies."""
        return tuple((part, part.achieved(self.classes)) for part in self.parts)

    @cached_property
    def nearest(self) -> Nearest | None:
        """The limit that each class is nearest to; None without a model, or if none of it can be evaluated."""
        if self.model is None or not self.parts:
            return None
        scores = np.array([np.asarray(part.score(self.classes), float) for part in self.parts])
        used = np.array([used_share(part, score) for part, score in zip(self.parts, scores, strict=True)])
        broken = ~np.logical_and.reduce([part.holds(self.classes) for part in self.parts])
        part, rows = used.argmax(axis=0), np.arange(len(self.classes))
        return Nearest(self.parts, part, scores[part, rows], used[part, rows], broken)

    @cached_property
    def risk_shares(self) -> Shares:
        """Each quasi-identifier's share of the risk; Undefined if it has no meaning."""
        classes, names = self.classes, self.release.table.quasi
        if self.sensitive is None or self.losses is None:
            raise Undefined(f"No share of the risk: {self.note}.")
        if classes.exact:
            raise Undefined("Buckets are identified by their number, so no quasi-identifier has a share of the risk.")
        disjoint_classes(self.release)
        bare, prior = replace(classes, low=None, high=None, sets={}), self.sensitive.prior
        mean, without = record_mean(self.losses.loss, classes.sizes), []
        for a in range(len(names)):
            others = [b for b in range(len(names)) if b != a]
            merged = bare.merged(distinct_rows(classes.regions(others))[1])
            loss = jensen_shannon(merged.distributions(self.sensitive.name), prior)
            without.append(min(record_mean(loss, merged.sizes), mean))
        fall = mean - np.array(without)
        fall[fall < NOTHING] = 0
        return Shares(names, mean, np.array(without), fall / (fall.sum() or 1))

    def why(self, row: int) -> str:
        """Explain why the people of a class are exposed."""
        if not 0 <= row < len(self.classes):
            raise BadInput(f"there is no class {row}; the release has {len(self.classes):,}, the first is 0")
        return " ".join(filter(None, (*self._learned(row), self._limits(row))))

    def _learned(self, row: int) -> tuple[str, ...]:
        """Describe what an attacker learns about the people in a class."""
        size, seen, losses = int(self.classes.sizes[row]), self.sensitive, self.losses
        people = "one person" if size == 1 else f"{size:,} people"
        here = "bucket" if self.classes.exact else "class"
        if seen is None or losses is None:
            return (f"{self._attacker(row)} knows that it is one of {people}. {self.note[:1].upper()}{self.note[1:]}.",)
        counts, values = self.classes.histograms[seen.name][row], f"{size:,} {'value' if size == 1 else 'values'}"
        if losses.loss[row] <= NOTHING:
            whose = (
                f"{people} of this {here}" if self.release.about.is_truthful else f"{values} that this {here} publishes"
            )
            text = f"The {whose} have the same distribution of {seen.name} as the whole table"
            return (f"{text}: {lowercase_first(self._attacker(row))} learns nothing about it.",)
        v = int(losses.worst[row])
        value, before, after = (
            f"the {seen.name} {seen.labels[v]}",
            format_percent(seen.prior[v]),
            format_percent(counts[v] / size),
        )
        attacker = lowercase_first(self._attacker(row))
        if not self.release.about.is_truthful:
            text = (
                f"{counts[v]:,} of the {values} that this {here} publishes {'is' if counts[v] == 1 else 'are'} {value} "
                f"({after}, against {before} in the whole table), swapped with those of others: {attacker} learns "
                "no more than that."
            )
        elif size == 1:
            text = f"This {here} is one person, who has {value} ({before} in the whole table): {attacker} knows it."
        elif counts[v] == size:
            text = f"All {people} in this {here} have {value} ({before} in the whole table): {attacker} knows it."
        else:
            has = "has" if counts[v] == 1 else "have"
            text = (
                f"In this {here} of {people} {counts[v]:,} {has} {value} ({after}, against {before} in the whole "
                f"table): {attacker} learns that."
            )
        return text, self._ruled_out(counts, seen), self._compared(row, losses)

    def _ruled_out(self, counts: np.ndarray, seen: Sensitive) -> str:
        """Describe the values that nobody in the class has, unless all its people have the same value."""
        absent = np.flatnonzero((counts == 0) & (seen.totals > 0))
        if not self.release.about.is_truthful or not len(absent) or (counts > 0).sum() == 1:
            return ""
        common = absent[np.argsort(-seen.prior[absent], kind="stable")]
        names = join_names([seen.labels[v] for v in common[:3]], "and" if len(common) <= 3 else ",")
        more = f" and {len(common) - 3:,} other values" if len(common) > 3 else ""
        return f"Nobody in it has {names}{more} ({format_percent(seen.prior[absent].sum())} of the whole table)."

    def _compared(self, row: int, losses: Loss) -> str:
        loss = format_number(losses.loss[row])
        if losses.loss[row] >= losses.possible:
            return f"Its loss is {loss}; full disclosure is possible from {format_number(losses.possible)}."
        return f"Its loss is {loss}, less than any full disclosure would cost ({format_number(losses.possible)})."

    def _limits(self, row: int) -> str:
        """Describe how near the class is to a limit of the model."""
        if self.nearest is None:
            return ""
        model, score = self.nearest.parts[self.nearest.part[row]], float(self.nearest.score[row])
        bound = "at least" if model.at_least else "less than" if model.strict else "at most"
        comparison = (
            f"{model.figure} = {figures_next_to(score, model.limit)}, where {bound} "
            f"{format_number(model.limit)} is required"
        )
        if self.nearest.broken[row]:
            return f"It violates {model.name}: {comparison}."
        return f"Its nearest limit is that of {model.name}: {comparison}."

    def _attacker(self, row: int) -> str:
        """Describe the attacker who finds a person in this class."""
        if self.classes.exact:
            return "An attacker who identifies a person's bucket by the quasi-identifiers"
        known = [
            f"{name} {labels[number[row]]}"
            for name, (labels, number) in self.released.items()
            if self._narrow(name, row)
        ]
        return (
            f"An attacker who knows that a person has {join_names(known)}"
            if known
            else "An attacker who knows only that a person is in the table"
        )

    def _narrow(self, name: str, row: int) -> bool:
        """Return whether a class restricts this quasi-identifier."""
        classes, a = self.classes, self.release.table.quasi.index(name)
        return bool(classes.spread(a)[row] < self.release.table.columns[name].size - 1)

    @cached_property
    def released(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """The released values of each quasi-identifier in the order of the data, and the index of each class's
        value.
        """
        found = {}
        for a, name in enumerate(self.release.table.quasi):
            regions = self.classes.regions([a])
            first, number = distinct_rows(regions)
            order = np.lexsort(regions[first].T[::-1])
            of_each = self.classes.take(first[order])
            found[name] = region_labels(self.release.table.columns[name], of_each, a), np.argsort(order)[number]
        return found


def assess_exposure(release: Release, sensitive: str | None = None, model: Model | None = None) -> Exposure:
    """Return what the classes disclose about a sensitive column, by default the first that is published."""
    refuse_other(release, "disclosure")
    if model is not None and not isinstance(model, Model):
        raise BadInput(f"disclosure: {safe_repr(model)} is not a model; write, for example, KAnonymity(5)")
    classes, table = release.classes, release.table
    if sensitive and sensitive not in table.sensitive:
        raise BadInput(f"{sensitive!r} is not a sensitive column; {suggest(sensitive, table.sensitive)}")
    name = sensitive or next(iter([*classes.sensitive, *table.sensitive]), "")
    shown = [name] if name in classes.sensitive else []
    note = f"this release does not publish {name!r}, so its classes show nothing about it"
    if not name:
        note = "no column is declared sensitive, so what may be learned about people is not examined"
    only = replace(
        classes,
        histograms={one: classes.histograms[one] for one in shown},
        sensitive={one: classes.sensitive[one] for one in shown},
    )
    return Exposure(release, only, model, "" if shown else note)


def used_share(model: Model, score: np.ndarray) -> np.ndarray:
    """Return the used share of a model's limit: 1 at the limit, more beyond it, 0 far from it."""
    above, below = (
        (np.full_like(score, model.limit), score) if model.at_least else (score, np.full_like(score, model.limit))
    )
    used = np.divide(above, below, out=np.full_like(score, np.inf), where=(below > 0) & np.isfinite(above))
    return np.where((above == below) & np.isfinite(above), 1.0, used)  # a satisfied limit of 0 is just reached


def lowercase_first(text: str) -> str:
    """Return the text with a small first letter."""
    return text[:1].lower() + text[1:]


def disclosure_table(
    release: Release, sensitive: str | None = None, at_risk: float | None = None, model: Model | None = None
) -> pd.DataFrame:
    """Return what each class of a release discloses, the worst classes first, by class index.

    Parameters
    ----------
    release
        The release.
    sensitive
        The sensitive column; by default the first.
    at_risk
        Records are at risk if their class loses at least this much. By default, the cost of the cheapest full
        disclosure.
    model
        If given, columns for the limit that the class is nearest to and its used share (1: at the limit).

    Returns
    -------
    pandas.DataFrame
        Size, released values, every privacy figure, the most exposed value and the histogram of each class. A
        quasi-identifier with the name of a figure is renamed.

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import Table, disclosure_table, methods, models
    >>> people = pd.DataFrame({"age": [30, 31, 60, 61], "ill": ["flu", "flu", "flu", "none"]})
    >>> table = Table.from_frame(people, quasi=["age"], sensitive="ill")
    >>> release = methods.Mondrian()(table, models.KAnonymity(2))
    >>> disclosure_table(release)["size"].tolist()
    [2, 2]
    """
    seen = assess_exposure(release, sensitive, model)
    classes, losses = seen.classes, seen.losses
    columns: dict[str, object] = {"size": classes.sizes}
    columns |= {unused_name(name, OWN_COLUMNS): release.class_labels(name) for name in release.table.quasi}
    if losses is None or seen.sensitive is None:
        if release.table.sensitive:
            raise Undefined(seen.note)
        return pd.DataFrame(columns | _nearest(seen)).sort_values("size", kind="stable")
    name, labels = seen.sensitive.name, np.array(seen.sensitive.labels, dtype=object)
    columns |= {
        "loss": losses.loss,
        "records at risk": np.where(losses.at_risk(at_risk), release.own_classes.sizes, 0),
        "worst value": labels[losses.worst],
        "prior": losses.prior,
        "posterior": losses.posterior,
    }
    columns |= _nearest(seen)
    for kind, one in MODELS.items():
        bare = one.with_loosest_parameters()
        if bare.needs_sensitive:
            columns[f"{bare.figure} ({kind})"] = bare.score_column(classes.histograms[name], seen.sensitive)
    columns |= {f"{name}: {label}": classes.histograms[name][:, v] for v, label in enumerate(labels)}
    return pd.DataFrame(columns).sort_values("loss", ascending=False, kind="stable")


def _nearest(seen: Exposure) -> dict[str, object]:
    """Return the columns about the nearest limit; empty without a model."""
    if seen.nearest is None:
        return {}
    parts = np.array([str(part) for part in seen.nearest.parts], dtype=object)
    return {"nearest limit": parts[seen.nearest.part], "limit used": seen.nearest.used}
