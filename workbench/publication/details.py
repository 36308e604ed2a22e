"""One release as it may be shown: what an attacker would learn, what it costs, its classes, its files."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from workbench.base.errors import Undefined
from workbench.base.randomness import operating_system_random
from workbench.base.small_counts import few, least, may_list_groups, parts
from workbench.data.table import Table
from workbench.data.wording import brief
from workbench.disclosure.exposure import exposed
from workbench.measures import Measure, sensitive_of
from workbench.measures.privacy.accuracy_gain import guesses
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.models import Model
from workbench.publication import format
from workbench.publication.accuracy import accuracy_of
from workbench.publication.certainty import surest
from workbench.publication.distributions import distributions
from workbench.publication.queries import queries
from workbench.publication.reasons import reason
from workbench.publication.shapes import Attack, Details, Figure, Reason, Risk, ScaleExample
from workbench.publication.standing_out import standing_out
from workbench.publication.tellable_queries import how_many
from workbench.releases.base import Release
from workbench.releases.published_classes import FINEST, Told, coarse_counts
from workbench.releases.scale import Scale, allowed, dearest, promised, scale_of

FIGURES = 4
ANY = "any values"
T = TypeVar("T")


def details_of(
    table: Table,
    release: Release,
    measures: Sequence[Measure],
    smallest: int,
    folder: Path,
    values: Mapping[str, float],
    model: Model | None,
) -> Details:
    """Everything about one release but its file: what lies in its folder, and what is said of it.

    `values` are its figures as they are told: no class is said to lose more, and none breaks what the model promises.
    """
    most = values.get(PrivacyLoss().key, math.inf)
    kind = next((one.distance for one in measures if isinstance(one, PrivacyLoss)), "")
    groups = Groups(release, smallest, most, model)
    classes = _or_reason(table, lambda: exposures(groups.listed()))
    if isinstance(classes, pa.Table):
        format.write_classes(folder, classes)
    of_utility = next((one for one in measures if isinstance(one, UtilityLoss)), UtilityLoss())
    misled = _or_reason(table, lambda: accuracy_of(release, of_utility, smallest, values.get(of_utility.key)))
    accuracy, rows = misled if isinstance(misled, tuple) else (misled, [])
    if release.guarantee and "reason" not in accuracy:  # the average that releases are compared by is told alone
        accuracy, rows = {**accuracy, "most": None, "example": None, "worst": None}, []
    format.write_populations(folder, rows)
    return {
        "attack": _or_reason(table, lambda: _attack(release, smallest)),
        "accuracy": accuracy,
        "worst": _or_reason(table, lambda: _most_exposed(groups.listed(), kind)),
        "surest": _or_reason(table, lambda: surest(release, smallest, model)),
        "risk": _or_reason(table, lambda: _risk(groups)),
        "beside": _or_reason(table, lambda: distributions(_covered(release), smallest)),
        "queries": _or_reason(table, lambda: queries(_covered(release) if how_many(table) else release, smallest)),
        "classes": len(classes) if isinstance(classes, pa.Table) else classes,
        "exact": isinstance(classes, pa.Table) and release.classes.exact,
        "tied": _tied(classes) if isinstance(classes, pa.Table) else 0,
        "small": int((release.classes.sizes < few(smallest)).sum()) if isinstance(classes, pa.Table) else 0,
        "fewer": few(smallest),
        "refused": refused(release),
        "left_out": _left_out(release, smallest),
    }


@dataclass(frozen=True, eq=False)
class Groups:
    """The classes of a release, within what the study tells (`most`) and the model promises of all of them."""

    release: Release
    smallest: int
    most: float = math.inf
    model: Model | None = None

    def listed(self) -> Groups:
        """The same, if groups of so few people may be listed."""
        table = self.release.table
        if not may_list_groups(table.records, self.smallest):
            raise Undefined(f"the table has so few {table.wording.many} that its groups are not listed")
        return self

    @cached_property
    def labels(self) -> dict[str, np.ndarray]:
        """How each class is labelled in each quasi-identifier; None where it may have any value."""
        classes, table, found = self.release.classes, self.release.table, {}
        for a, name in enumerate(table.quasi):
            found[name] = self.release.class_labels(name).copy()
            found[name][classes.spread(a) == table.columns[name].size - 1] = None
        return found

    def who(self, labels: Mapping[str, Collection[str | None]]) -> list[str]:
        """Classes in words: who they are; of buckets within which values all of them are."""
        wording = self.release.table.wording
        found = wording.groups(labels)
        return [ANY if one == wording.everybody else one for one in found] if self.release.classes.exact else found

    @cached_property
    def told(self) -> Told:
        """The classes as they may be told."""
        classes, limits = self.release.classes, {}
        for name in classes.histograms:
            seen = self.release.table.sensitive[name]
            within = allowed(seen, "js", self.most, self.smallest) if math.isfinite(self.most) else 1.0
            limits[name] = np.minimum(promised(self.model, seen, self.smallest), within)
        found = standing_out(classes, self.smallest, self.most, self.release.table.wording, limits)
        return replace(found, truthful=self.release.truthful)


def _most_exposed(groups: Groups, kind: str) -> Figure:
    """The first group of the table of classes: what is believed there, and who they are."""
    release, smallest = groups.release, groups.smallest
    classes = release.classes
    if not classes.histograms:
        counted = release.table.wording.people(int(classes.sizes.min()), smallest)
        figure = f"{counted[:1].upper()}{counted[1:]}"
        return {"figure": figure, "unit": "are in the smallest group", "sentence": "", "allowed": None}
    found, labels, wording, quasi = groups.told, groups.labels, release.table.wording, release.table.quasi
    row = found.worst(lambda i: wording.who(quasi, [labels[name][i] for name in quasi]))
    shown = {name: brief(labels[name][row]) for name in quasi}
    telling = sorted(quasi, key=lambda name: (shown[name] or "").startswith("any of "))
    (who,) = groups.who({name: [shown[name]] for name in telling})
    card = found.most_exposed(row, f", all within {who}" if classes.exact else f": {who}")
    seen, label, *_ = found.about(row)
    known = scale_of(seen, int(found.value[row]), kind, smallest) if kind and label is not None else None
    return {"figure": card["figure"], "unit": card["unit"], "sentence": card["sentence"], "allowed": example(known)}


def example(known: Scale | None) -> ScaleExample | None:
    """A scale as plain data."""
    if known is None:
        return None
    column, value, share, costs, most = known
    return {"column": column, "value": value, "share": share, "costs": list(costs), "dearest": most}


def _risk(groups: Groups) -> Risk:
    """How many people lose as much as a full disclosure may cost, and which quasi-identifiers make them exposed."""
    release, smallest = groups.release, groups.smallest
    seen = exposed(release)
    if seen.losses is None:
        raise Undefined(seen.note)
    each = [one for name in release.classes.histograms if (one := exposed(release, name).losses) is not None]
    count = int(seen.classes.sizes[np.logical_or.reduce([one.at_risk() for one in each])].sum())
    try:
        n = parts(groups.listed().release.table.records // FINEST, smallest)
        shares = (np.round(n * seen.risk_shares.share) / n).tolist()
    except Undefined:  # of buckets, or of few people
        shares = []
    return {
        "at_risk": release.table.wording.some_of(count, release.table.records, smallest),
        "shares": dict(zip(release.table.quasi, shares, strict=False)),
    }


def _tied(classes: pa.Table) -> int:
    """How many classes that are not small are the most exposed, as far as that is told."""
    shares = classes["share"].to_numpy()[classes["people"].is_valid().to_numpy()]
    return int((shares == shares.max(initial=0)).sum())


def _or_reason(table: Table, call: Callable[[], T]) -> T | Reason:
    try:
        return call()
    except Undefined as why:
        return {"reason": reason(str(why), table)}


def _covered(release: Release) -> Release:
    """The release, to be shown beside the truth: not where noise promises that little is learnt of that."""
    if release.guarantee:
        raise Undefined("the truth beside it is in the records, and the guarantee of the noise does not cover that")
    return release


def _left_out(release: Release, smallest: int) -> str:
    """How many records are not published, as the threshold allows."""
    gone, every = release.left_out, release.table.records
    return release.table.wording.some_of(gone, every, smallest) if gone else ""


def refused(release: Release) -> str:
    """Why no file of a release is written; nothing where one may be."""
    wording = release.table.wording
    tales = [f"{wording.column(name)} nearly names {wording.many}" for name in release.named()]
    tales += [found.tale(wording) for found in release.giveaways()]
    if release.telling and not tales:
        single = "singles" if len(release.telling) == 1 else "together single"
        tales.append(f"{wording.columns(release.telling)} {single} out {wording.many}")
    return f"columns that would be published unchanged undo what the release blurs: {', '.join(tales)}" * bool(tales)


def _attack(release: Release, smallest: int) -> Attack:
    """How often an adversary's best guess is right, with the release and without."""
    sensitive_of(release)  # says that there is none
    seen = dearest(release.table.sensitive.values(), "js", smallest)  # of the same column for every release
    assert seen is not None
    guess = guesses(release, seen.name, smallest)
    if guess.commonest is None:
        raise Undefined("so few people have the commonest value that its share is not told")
    return {
        "sensitive": guess.sensitive,
        "commonest": guess.commonest,
        "right": guess.right,
        "chance": guess.chance,
    }


# --- classes


def exposures(groups: Groups) -> pa.Table:
    """One row a class, in random order: who, how many, how exposed they are, and what is believed of them.

    Numbers of people are rounded to the threshold. How exposed a class is, whatever the study measures: how far belief
    in the value that stands out has come from what is usual on the way to certainty; without sensitive columns one in
    how many the right person is.
    """
    release, smallest = groups.release, groups.smallest
    classes, table = release.classes, release.table
    order = operating_system_random().permutation(len(classes))
    columns: dict[str, Any] = {}
    labels = {name: found[order] for name, found in groups.labels.items()}
    for name, column in zip(table.quasi, format.label_columns(list(table.quasi)), strict=True):
        columns[column] = pa.array(labels[name], pa.string())
    columns["who"] = groups.who(labels)
    few_there = classes.sizes[order] < few(smallest)
    columns["people"] = pa.array(coarse_counts(classes.sizes, smallest)[order], mask=few_there & (smallest > 1))
    if not classes.histograms:
        columns["share"] = [round(1 / least(int(size), smallest), 3) for size in classes.sizes[order]]
        columns["fewest"] = [0.0] * len(order)
        lacking = {name: pa.nulls(len(order)) for name in format.CLASS_COLUMNS if name not in columns}
        return pa.table({**columns, **lacking})
    return pa.table({**columns, **_believed(groups.told, order)})


def _believed(found: Told, order: np.ndarray) -> dict[str, Any]:
    """The most exposed value of each class, how near it is to being certain, and what is believed."""
    first, number = found.alike
    rows, told_as = first.tolist(), pa.array(number[order])
    about, exposed = [found.about(row) for row in rows], [found.exposed(row) for row in rows]
    columns = {
        "share": pa.array([most for _, most in exposed], pa.float64()),
        "fewest": pa.array([least for least, _ in exposed], pa.float64()),
        "sensitive": pa.array([seen.name for seen, *_ in about], pa.string()),
        "value": pa.array([label for _, label, *_ in about], pa.string()),
        "prior": pa.array([found.prior(row) for row in rows], pa.float64()),
        "posterior": pa.array([found.posterior(row) for row in rows], pa.float64()),
        "sentence": pa.array([found.believed(row) for row in rows], pa.string()),
    }
    return {name: column.take(told_as) for name, column in columns.items()}
